"""What always moves on a living machine is no change; what it has, and what runs there, is."""

import pytest

from replay.output.compare import compare

MEMINFO = "MemTotal:       {} kB\nMemFree:        {} kB\nHugePages_Total:       {}\n"
PS = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
ROW = "root {:>10}  0.0  0.1   8000  3000 ?        Ss   10:56   0:00 {}\n"
STAT = (
    "  File: f\n  Size: {}\tBlocks: 8\nAccess: (0644/-rw-r--r--)  Uid: (0/root)\nAccess: {}\n"
    "Modify: {}\nChange: 2026-01-01 00:00:00.0 +0000\n Birth: -\n"
)
ONE, OTHER = "2026-01-01 00:00:00.000000000 +0000", "2026-01-02 03:04:05.000000000 +0000"


@pytest.mark.parametrize(
    ("argv", "recorded", "new", "comparison"),
    [
        ("cat /proc/meminfo", MEMINFO.format(100, 50, 0), MEMINFO.format(100, 7, 0), "equivalent"),
        ("cat /proc/meminfo", MEMINFO.format(100, 50, 0), MEMINFO.format(90, 50, 0), "changed"),
        ("cat /proc/meminfo", MEMINFO.format(100, 50, 0), MEMINFO.format(100, 50, 8), "changed"),
        ("cat /proc/stat", "cpu 1 2 3\ncpu0 1 2 3\n", "cpu 4 5 6\ncpu0 4 5 6\n", "equivalent"),
        ("cat /proc/stat", "cpu 1 2 3\ncpu0 1 2 3\n", "cpu 4 5 6\n", "changed"),
        ("cat /proc/sys/vm/swappiness", "60\n", "10\n", "changed"),
        ("stat f", STAT.format(5, ONE, ONE), STAT.format(5, OTHER, ONE), "equivalent"),
        ("stat f", STAT.format(5, ONE, ONE), STAT.format(6, ONE, ONE), "changed"),
        ("ps aux", PS + ROW.format(1, "vllm serve"), PS + ROW.format(7, "vllm serve"), "equivalent"),
        ("ps aux", PS + ROW.format(1, "vllm serve"), PS, "changed"),
        ("ps aux", PS + ROW.format(1, "vllm serve"), PS + ROW.format(1, "bash -c vllm serve"), "changed"),
        (
            "ps aux",
            PS
            + ROW.format(1, "vllm serve")
            + ROW.format(2, "bash -c ps aux | head")
            + ROW.format(3, "sshd: root@notty"),
            PS + ROW.format(1, "vllm serve") + ROW.format(9, "sh -c echo 0123456789abcdef >&2 { 'ps' 'aux' }"),
            "equivalent",
        ),
        ("ps aux", ROW.format(1, "vllm serve") + ROW.format(3, "ps aux"), ROW.format(8, "vllm serve"), "equivalent"),
    ],
)
def test_what_moves_by_itself_is_no_change(argv: str, recorded: str, new: str, comparison: str) -> None:
    found = compare(recorded, new, argv=tuple(argv.split())).comparison
    assert ("equivalent" if found in {"drift", "identical"} else found) == comparison
