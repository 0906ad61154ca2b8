"""The app in a real terminal: what reaches it byte by byte, and what a person sees of a hostile log."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Message, Session, Step

PAYLOAD = "c2VjcmV0LXBheWxvYWQ"
ATTACK = (
    f"start \x1b]52;c;{PAYLOAD}\x07\x1b]0;owned-title\x07\x1b[31;5mred\x1b[2J\x1b[?1049l"
    f"\x1b]8;;https://evil.example.org\x1b\\link\x1b]8;;\x1b\\ \x9d52;c;{PAYLOAD}\x9c "
    "\x1bP$q\x1b\\ \x1b[6n\x1b[5n\x1b[c \u202ereversed [@click=app.quit]press[/] end"
)
PROGRAM = "import sys; from pathlib import Path; from tui.app import NecropsyApp; NecropsyApp(Path(sys.argv[1])).run()"

OSC = re.compile(rb"\x1b\]([^\x07\x1b]*)\x07?")
CSI = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
FROM_LOG = re.compile(rb"\x1b\[(?:31;5m|2J|6n|5n|c)$")


@pytest.fixture
def hostile(fill: Callable[..., Path]) -> Path:
    """A store in which every text attacks the terminal."""
    step = Step(ordinal=0, message=0, kind="shell", tool="bash", command=ATTACK, output=f"{ATTACK}\n" * 5)
    session = Session(
        id="evil", format="codex", agent="codex", title=ATTACK, source="/logs/evil",
        messages=(Message(ordinal=0, role="agent", text=ATTACK),), steps=(step,),
    )  # fmt: skip
    piece = Evidence(step=0, stance="supports", quote="start", deciding=True, source="rule:a")
    cause = Hypothesis(
        id="H1", key="a", statement=ATTACK, verdict="confirmed", stated_in=0, evidence=(piece,), source="rule:a"
    )
    return fill(session, tree=Tree(hypotheses=(cause,)))


def test_no_sequence_of_the_log_reaches_the_terminal(hostile: Path) -> None:
    sent = bytes(record(hostile, [b"\r", b"\t", b"\t", b"m", b"\x1b", b"/start", b"\x1b", b"q", b"q"]))
    assert b"start" in sent, "the log was never shown"
    assert PAYLOAD.encode() not in sent
    assert b"owned-title" not in sent
    assert b"evil.example.org" not in sent
    assert set(OSC.findall(sent)) <= {b"22;default"}, "Textual itself sends only the shape of the pointer"
    assert [found for found in CSI.findall(sent) if FROM_LOG.match(found)] == []
    text = OSC.sub(b"", sent).decode("utf-8")
    assert not set(text) & {"\x9d", "\x9b", "\x90", "\u202e", "\x00", "\x07"}


def record(store: Path, keys: list[bytes]) -> Iterator[int]:
    """Run the app on a terminal of our own, press keys, and yield every byte that it sends."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "36"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(store)], stdin=child, stdout=child, stderr=child, env=environment
    )
    os.close(child)
    try:
        yield from _drain(parent, until=b"start")
        for key in keys:
            os.write(parent, key)
            yield from _drain(parent)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(parent)


def _drain(terminal: int, until: bytes = b"") -> Iterator[int]:
    """Yield what the app sends until it is quiet for half a second; with `until`, not before it sent that."""
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        if not ready:
            if until in seen:
                return
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            return
        if not data:
            return
        seen += data
        yield from data


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_a_person_sees_the_log_as_text_in_tmux(hostile: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -c {PROGRAM!r} {hostile}"
    with Tmux(tmp_path / "tmux.sock", command) as terminal:
        assert "codex" in terminal.wait_for("start red")
        terminal.press("Enter")
        shown = terminal.wait_for("confirmed, a cause")
        assert "[@click=app.quit]press[/]" in shown.replace("\n", "")
        assert "\\u{202e}reversed" in shown.replace("\n", "")
        assert PAYLOAD not in shown
        terminal.press("q")
        terminal.wait_for("1 session")
        terminal.press("q")
        terminal.wait_for_end()


class Tmux:
    """A tmux server of our own with one pane in which a command runs."""

    def __init__(self, socket: Path, command: str) -> None:
        self._socket = socket
        self._command = command

    def __enter__(self) -> Self:
        # A terminal's size in the environment would win over that of the pane.
        command = f"env -u COLUMNS -u LINES {self._command}"
        self._run("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "36", command)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True)

    def press(self, key: str) -> None:
        """Press a key, by tmux's name for it."""
        self._run("send-keys", key)

    def wait_for(self, text: str) -> str:
        """Return the pane as soon as it shows `text`."""
        shown = ""
        for _ in range(300):
            shown = self._run("capture-pane", "-p", "-J")
            if text in shown:
                return shown
            time.sleep(0.1)
        pytest.fail(f"{text!r} never appeared:\n{shown}")

    def wait_for_end(self) -> None:
        """Return when the command has ended, and the server with it."""
        for _ in range(200):
            done = subprocess.run(["tmux", "-S", str(self._socket), "ls"], check=False, capture_output=True)
            if done.returncode:
                return
            time.sleep(0.1)
        pytest.fail("the app did not end")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), *words], check=True, capture_output=True, text=True, timeout=30
        )
        return done.stdout
