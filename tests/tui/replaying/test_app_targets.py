"""Targets in the app: seen, added, changed, tried against a real sshd on loopback, mapped to the hosts of a session."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from probes.host.targets import load
from sessions.models.command import Command
from sessions.models.hypothesis import Evidence, Hypothesis, Tree
from sessions.models.session import Session, Step
from tests.tui.replaying.stage import SIZE, Server, Settle, wait_for
from tui import messages
from tui.app import NecropsyApp
from tui.widgets.document import Document


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the targets file of an empty configuration folder will be."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "necropsy" / "targets.toml"


@pytest.fixture
def bench(path: Path, sshd: Server) -> Path:
    """The same with the sshd as ``bench``, written by hand, and another one that nobody answers for."""
    path.parent.mkdir(parents=True)
    path.write_text(
        f'# ours\n[targets.bench]\nhost = "127.0.0.1"\nport = {sshd.port}\nuser = "{sshd.user}"\nssh_config = false\n'
        f'identity = "{sshd.identity}"\nknown_hosts = "{sshd.known_hosts}"  # its own\n'
        '\n[targets.gone]\nhost = "127.0.0.1"\nport = 1\nssh_config = false\n'
    )
    return path


@pytest.fixture
def remote(fill: Callable[..., Path]) -> Path:
    """A store with a session on 192.0.2.174 that names an environment and a model by their paths."""
    words = (
        "/root/ml-env/bin/python3",
        "/root/ml-env/lib/python3.12/site-packages/no_such_package/x.py",
        "/m/no-such.gguf",
    )
    command = Command(argv=words, text=" ".join(words), host="192.0.2.174")
    step = Step(
        ordinal=0, kind="shell", tool="bash", command=f"ssh ops@192.0.2.174 '{' '.join(words)}'", commands=(command,),
        output="x\n", exit_code=0,
    )  # fmt: skip
    piece = Evidence(step=0, stance="supports", quote="x", deciding=True, source="rule:a")
    cause = Hypothesis(id="H1", key="a", statement="It is x", verdict="confirmed", evidence=(piece,), source="rule:a")
    told = Session(id="ses_t", format="codex", agent="codex", title="T", source="/logs/t", steps=(step,))
    return fill(told, tree=Tree(hypotheses=(cause,)))


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


async def test_a_target_is_added_once_all_of_it_is_right(path: Path, remote: Path, settle: Settle) -> None:
    async with NecropsyApp(remote).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await wait_for(pilot, settle, "No target yet")
        await pilot.press("n")
        await settle(pilot)
        screen = pilot.app.screen
        screen.query_one("#name", Input).value = "local"
        screen.query_one("#port", Input).value = "70000"
        screen.query_one(TextArea).text = "/root/ml-env = /opt/venv\n/root/models /data\n"
        await pilot.press("ctrl+s")
        assert "path rules: line 2 is not RECORDED = THERE" in await settle(pilot)
        screen.query_one(TextArea).text = "/root/ml-env = /opt/venv\n/root/models = data\n"
        await pilot.press("ctrl+s")
        shown = await wait_for(pilot, settle, "✗ name: local is this machine")
        assert "✗ port: Input should be less than or equal to 65535" in shown
        assert "✗ paths: both sides of a path rule must be absolute" in shown
        assert read(path) == ""
        screen.query_one("#name", Input).value = "gpu7"
        screen.query_one("#port", Input).value = "2222"
        screen.query_one("#recorded", Input).value = "192.0.2.174, old-gpu"
        screen.query_one(TextArea).text = "/root/ml-env = /opt/venv\n/root/models = /data\n"
        await pilot.press("ctrl+s")
        shown = await wait_for(pilot, settle, "2 path rules")
        assert "for 192.0.2.174, old-gpu" in shown
        assert "/root/ml-env → /opt/venv" in shown
    target = load(path).named("gpu7")
    assert (target.port, target.recorded) == (2222, ("192.0.2.174", "old-gpu"))
    assert target.paths == (("/root/ml-env", "/opt/venv"), ("/root/models", "/data"))


async def test_a_change_leaves_comments_and_other_settings(bench: Path, remote: Path, settle: Settle) -> None:
    before = read(bench)
    async with NecropsyApp(remote).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await wait_for(pilot, settle, "bench")
        await pilot.press("e")
        await settle(pilot)
        pilot.app.screen.query_one(TextArea).text = "/root/ml-env = /opt/venv"
        await pilot.press("ctrl+s")
        await wait_for(pilot, settle, "1 path rule")
        await pilot.press("down", "d")
        await settle(pilot)
        await pilot.press("down", "enter")
        await settle(pilot)
        assert "gone" not in await settle(pilot)
    text = read(bench)
    assert text.startswith(before[: before.index("\n[targets.gone]")].rstrip("\n"))
    assert list(load(bench).targets) == ["bench"]


@pytest.mark.sshd
async def test_a_target_is_tried(bench: Path, remote: Path, settle: Settle) -> None:
    async with NecropsyApp(remote).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await wait_for(pilot, settle, "bench")
        await pilot.press("t")
        assert "Linux" in await wait_for(pilot, settle, "✓ answers:")
        await pilot.press("down", "t")
        assert "cannot be reached" in await wait_for(pilot, settle, "✗")


async def test_a_recorded_host_is_mapped_from_the_session(bench: Path, remote: Path, settle: Settle) -> None:
    async with NecropsyApp(remote, "ses_t").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        assert "192.0.2.174 is no target" in await wait_for(pilot, settle, "in the log")
        await pilot.press("m")
        await settle(pilot)
        await pilot.press("enter")
        assert "192.0.2.174 is bench" in await wait_for(pilot, settle, "for 192.0.2.174")
        assert load(bench).named("bench").recorded == ("192.0.2.174",)
        await pilot.press("m")
        await settle(pilot)
        await pilot.press("enter")
        await wait_for(pilot, settle, "192.0.2.174 is no target")
    assert load(bench).named("bench").recorded == ()


@pytest.mark.sshd
async def test_what_is_not_on_the_host_is_said(bench: Path, remote: Path, settle: Settle) -> None:
    before = read(bench)
    async with NecropsyApp(remote, "ses_t").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await wait_for(pilot, settle, "in the log")
        await pilot.press("p")
        shown = await wait_for(pilot, settle, "FOUND ON BENCH")
        assert "environment  /root/ml-env  ✗ nothing like it was found" in shown
        assert "model  /m  ✗ nothing like it was found" in shown
    assert read(bench) == before


async def test_only_what_is_sure_is_offered_as_a_rule(bench: Path, remote: Path, settle: Settle) -> None:
    found = [
        ("environment", "/root/ml-env", ("/opt/a", "/opt/b")), ("model", "/m", ("/data/m",)), ("model", "/n", ("/n",)),
    ]  # fmt: skip
    async with NecropsyApp(remote, "ses_t").run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("t")
        await wait_for(pilot, settle, "in the log")
        screen = pilot.app.screen
        screen.post_message(messages.Discovered("bench", found))
        shown = await wait_for(pilot, settle, "Add 1 rule")
        assert "Only /m → /data/m" in shown
        page = screen.query_one(Document).text
        assert "/root/ml-env  ? 2 places, none is chosen" in page
        assert "/opt/a" in page
        assert "/opt/b" in page
        await pilot.press("down", "enter")
        await wait_for(pilot, settle, "1 path rule")
    assert load(bench).named("bench").paths == (("/m", "/data/m"),)
