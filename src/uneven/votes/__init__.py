"""The second idea: a vote, what every ensemble of the library is once it has learnt."""

from uneven.votes.certificate import VoteCertificate, certify
from uneven.votes.vote import ALL_VIEWS, Explanation, Panel, Term, Vote, column_shares

__all__ = [
    "ALL_VIEWS",
    "Explanation",
    "Panel",
    "Term",
    "Vote",
    "VoteCertificate",
    "certify",
    "column_shares",
]
