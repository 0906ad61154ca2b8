"""Running evidence again from the app, against a real sshd on loopback."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sessions.store.reader import Reader
from tests.tui.replaying.stage import SIZE, Server, Settle, plan, session, wait_for
from tui.app import NecropsyApp
from tui.widgets.document import Document

pytestmark = pytest.mark.sshd


def processes_with(word: str) -> list[str]:
    """Return the command lines of this machine that hold a word; the sshd of the tests runs what it gets here."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in found if word in line]


async def test_a_plan_is_shown_and_runs_only_after_consent(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("workers = 3\n")
    told, tree = session((f"cat {settings}", "workers = 3\n"), (f"rm {settings}", ""))
    store = fill(told, tree=tree)
    before = len(target.received())
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        shown = await plan(pilot, settle)
        assert "1 step would run on bench, 1 is refused" in shown
        shown = await wait_for(pilot, settle, f"sends to bench, as {target.user}:")
        assert "'cat' '--'" in shown
        assert len(target.received()) == before
        await pilot.press("y")
        shown = await wait_for(pilot, settle, "Stored.")
        assert "identical" in shown
        await wait_for(pilot, settle, "the verdict is undetermined")
        await pilot.press("escape")
        await settle(pilot)
        page = pilot.app.screen.query_one("#detail", Document).text
        assert "on bench: identical → holds" in page
    assert settings.exists()
    assert not any("rm " in command for command in target.received()[before:])
    with Reader.open(store) as reader:
        run = reader.runs("ses_r")[0]
    assert [(step.step, step.outcome) for step in run.steps] == [(0, "completed"), (1, "refused")]


async def test_a_changed_output_contradicts_and_is_shown_beside_the_recorded_one(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("mode = fresh\n")
    told, tree = session((f"cat {settings}", "mode = stale\n"))
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        await wait_for(pilot, settle, "Stored.")
        await wait_for(pilot, settle, "the verdict is overturned")
        await pilot.press("escape", "enter")
        await settle(pilot)
        page = pilot.app.screen.query_one("#detail", Document).text
        assert "on bench: changed → contradicted" in page
        assert "OUTPUT ON BENCH" in page
        assert "1 mode = fresh" in page


async def test_escape_ends_what_hangs_on_the_target(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told, tree = session((f"cat {pipe}", "never\n"))
    store = fill(told, tree=tree)
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        await wait_for(pilot, settle, "running …")
        writing = os.open(pipe, os.O_WRONLY)  # returns once cat has opened its end
        os.write(writing, b"first line\nsecond li")
        assert "second li" not in await wait_for(pilot, settle, "first line")
        await pilot.press("escape")
        await wait_for(pilot, settle, "Ended before its time")
    with Reader.open(store) as reader:
        assert [step.outcome for step in reader.runs("ses_r")[0].steps] == ["killed"]
    with pytest.raises(BrokenPipeError):  # nobody reads it any more
        os.write(writing, b"x")
    os.close(writing)
    assert processes_with(str(pipe)) == []


async def test_an_unknown_host_is_one_message_and_nothing_is_stored(
    fill: Callable[..., Path], settle: Settle, target: Server, tmp_path: Path
) -> None:
    told, tree = session(("cat /etc/hostname", "x\n"))
    store = fill(told, tree=tree)
    (tmp_path / "config" / "necropsy" / "targets.toml").write_text(
        '[targets.bench]\nhost = "127.0.0.1"\nport = 1\nssh_config = false\n'
    )
    async with NecropsyApp(store, "ses_r").run_test(size=SIZE) as pilot:
        await plan(pilot, settle)
        await pilot.press("y")
        assert "Host:" in await wait_for(pilot, settle, "Host:")
    with Reader.open(store) as reader:
        assert reader.runs("ses_r") == ()


async def test_without_a_target_nothing_is_planned(fill: Callable[..., Path], settle: Settle) -> None:
    told, tree = session(("cat /etc/hostname", "x\n"))
    async with NecropsyApp(fill(told, tree=tree), "ses_r").run_test(size=SIZE) as pilot:
        assert "Name the host on which to run" in await plan(pilot, settle, on="")
