"""Names of many targets written short, in full."""

import pytest

from replay.fleet import MOST, expand
from sessions.errors import UsageProblem


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["gpu1"], ("gpu1",)),
        (["gpu[1-3]"], ("gpu1", "gpu2", "gpu3")),
        (["gpu[08-10]"], ("gpu08", "gpu09", "gpu10")),
        (["gpu[1,3,5-6].example.org"], tuple(f"gpu{n}.example.org" for n in (1, 3, 5, 6))),
        (["r[1-2]n[1-2]"], ("r1n1", "r1n2", "r2n1", "r2n2")),
        (["b", "a[1-2]", "b", "a2"], ("b", "a1", "a2")),
        (["[fe80::1]"], ("[fe80::1]",)),
    ],
)
def test_ranges_are_written_out(given: list[str], names: tuple[str, ...]) -> None:
    assert expand(given) == names


@pytest.mark.parametrize("name", ["gpu[3-1]", "gpu[1-]", "gpu[,]", f"gpu[1-{MOST + 1}]", "a[1-99]b[1-99]"])
def test_what_is_no_range_is_told(name: str) -> None:
    with pytest.raises(UsageProblem):
        expand([name])
