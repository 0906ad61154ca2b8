"""Lists of steps as a person writes them."""

import pytest

from sessions.errors import UsageProblem
from tui.cli.arguments import numbers


def test_lists_and_ranges_of_steps() -> None:
    assert numbers("3,7-9") == (3, 7, 8, 9)
    assert numbers(" 9 , 2-2 ,9") == (2, 9)


@pytest.mark.parametrize("text", ["", "a", "3-1", "1,,2", "-1", "1-999999999", "1;2"])
def test_what_is_no_list_of_steps(text: str) -> None:
    with pytest.raises(UsageProblem):
        numbers(text)
