"""Many classifiers: learn by margin how to join them, and drop those that add nothing."""

from uneven.stacking.level_one import LevelOne, finish_members, level_one, score_members
from uneven.stacking.members import FittedMember, Member

__all__ = ["FittedMember", "LevelOne", "Member", "finish_members", "level_one", "score_members"]
