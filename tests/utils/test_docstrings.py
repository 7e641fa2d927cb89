"""Every parameter of the boosting methods is described once, with its default."""

import inspect
import re

import pytest

from uneven import (
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
    NormComboClassifier,
)
from uneven.boosting import ShareBoostClassifier

SCORED = [
    AdaBoostMMClassifier,
    BalancedBoostingClassifier,
    ComboClassifier,
    MuComboClassifier,
    MumboClassifier,
]


def described(cls, title):
    """Name and default of every entry of a section, in order."""
    text = inspect.getdoc(cls)
    section = text.split(f"{title}\n{'-' * len(title)}\n")[1].split("\n----")[0]
    return re.findall(r"^(\w+) : (?:.*default=(.*)$)?", section, re.MULTILINE)


@pytest.mark.parametrize("cls", [*SCORED, NormComboClassifier, ShareBoostClassifier])
def test_every_parameter_is_described_once_with_its_default(cls):
    found = described(cls, "Parameters")
    parameters = inspect.signature(cls).parameters
    assert sorted(name for name, _ in found) == sorted(parameters)
    for name, default in found:
        expected = repr(parameters[name].default).replace("'", '"')
        assert default == expected, name


@pytest.mark.parametrize("cls", SCORED)
def test_attributes_of_scores_are_described_where_they_are_of_use(cls):
    assert ("temperature_", "") in described(cls, "Attributes")
    assert ("temperature_", "") not in described(ShareBoostClassifier, "Attributes")
