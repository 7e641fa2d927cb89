"""The second idea: a vote, what every fitted ensemble of the library is."""

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
