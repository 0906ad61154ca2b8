"""Running evidence again: what and where, then the plan, then consent, then the run and what came of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from sessions.errors import NecropsyError
from sessions.models.replay import Plan
from tui import messages
from tui.screens.opened import Opened
from tui.screens.pages import plan as pages
from tui.screens.pages import results
from tui.screens.replaying.form import Form, Selection
from tui.widgets.blocks import Block
from tui.widgets.calls import Calls, Line
from tui.widgets.dialog import Dialog, hint
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline
from tui.widgets.roster import Roster

_ALLOWING = {"code": "c", "writes": "w"}
"""What may be asked about beside what the policy asks about, and the key for it."""
PAUSE = 0.05
"""Seconds after which what happened is drawn, so that a fleet's news are drawn together."""


class ReplayScreen(ModalScreen[bool]):
    """First a form, then the plan in its place. Nothing is sent before `y`. The answer is whether something ran."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave"),
        Binding("y", "run", "Run it"),
        Binding("a", "consent_alike", "Consent to all like it"),
        Binding("c", "allow('code')", "Ask about recorded code too"),
        Binding("w", "allow('writes')", "Ask about writes too"),
    ]

    def __init__(self, opened: Opened, selections: Sequence[Selection]) -> None:
        super().__init__()
        self._opened = opened
        self._selections = selections
        self._asked: messages.PlanAsked | None = None
        self._plans: Sequence[Plan] = ()
        self._rows: Sequence[pages.Row] = ()
        self._progress = pages.Progress()
        self._under_way = False
        self._due = False

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        form = Form(self._selections)
        yield Dialog("Replay", form, Calls(id="calls"), Document(id="plan"), hint(""), classes="-whole -form")

    def on_mount(self) -> None:
        """Begin with the target."""
        self.query_one("#target", Input).focus()
        self.post_message(messages.TargetsAsked())
        self._name_hosts()

    def on_targets_read(self, read: messages.TargetsRead) -> None:
        """Say which targets there are."""
        self.query_one(Form).propose(read.targets)

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _ask(self) -> None:
        form = self.query_one(Form)
        if not form.targets and not form.mapping:
            self._say("Name the host on which to run; one that only the log names is never contacted.")
            return
        self._say("Planning …")
        on_them = form.targets or sorted(set(form.mapping.values()))
        self._asked = messages.PlanAsked(self._opened.row.id, on_them, form.steps, form.mapping)
        self.post_message(self._asked)

    @on(Button.Pressed, "#no")
    def action_leave(self) -> None:
        """End a run that is under way; else leave."""
        if self._under_way:
            self._say("Ending what runs on the target …")
            self.post_message(messages.CancelAsked())
        else:
            self.dismiss(bool(self._progress.runs) or bool(self._progress.done))

    def action_run(self) -> None:
        """Carry out the plan that is shown."""
        if not self._waiting:
            return
        consented = frozenset(self._progress.consented)
        if not any(row.step.decision == "run" or row.call in consented for row in self._rows):
            self._say("Nothing in this plan may run.   Esc leaves")
            return
        self._under_way = True
        self._say("Running …   Esc ends it, here and on the target")
        self.post_message(messages.RunAsked(consented))

    @on(Calls.ConsentTurned)
    def action_consent(self) -> None:
        """Give consent to the step under the cursor, or take it back; say why where there is none to give."""
        row = self._current
        if row is None or not self._waiting:
            return
        if row.step.decision == "ask":
            self._progress.consented ^= {row.call}
            self._draw(self._plan_in_words())
            self._show_page(stay=True)
        elif row.step.decision == "run":
            self._say(f"Step {row.step.step} needs no consent: it is proven to be reading.")
        else:
            self._say(f"Step {row.step.step} cannot be consented to: {'; '.join(row.step.reasons)}{self._advice(row)}")

    def action_consent_alike(self) -> None:
        """Give consent to all steps that call the same programs to the same effect."""
        row = self._current
        if row is not None and self._waiting and row.step.decision == "ask":
            alike = {one.call for one in self._rows if one.step.decision == "ask" and one.step.kind == row.step.kind}
            self._progress.consented |= alike
            self._draw(self._plan_in_words())
            self._show_page(stay=True)

    def action_allow(self, what: str) -> None:
        """Plan anew, with or without what runs in a scratch folder; until that is shown nothing can be run."""
        if self._waiting and self._asked is not None:
            self._plans = ()
            self._asked = replace(self._asked, allowed=self._asked.allowed ^ {what})
            self._say("Planning …")
            self.post_message(self._asked)

    def on_planned(self, planned: messages.Planned) -> None:
        """Show the plan and wait for consent; what was consented to stays so where the same would be sent."""
        self._plans = planned.plans
        self._rows = pages.rows(planned.plans)
        self._progress.consented &= {row.call for row in self._rows if row.step.decision == "ask"}
        self.query_one(Dialog).remove_class("-form")
        self.call_after_refresh(self.query_one(Calls).focus)  # before that it is not displayed, and takes no focus
        self._draw(self._plan_in_words())
        self._show_page()

    def on_started(self, started: messages.Started) -> None:
        """Show which step is being sent."""
        self._progress.running.add((started.target, started.step))
        self._draw_soon()

    def on_heard(self, heard: messages.Heard) -> None:
        """Show what a step prints while it runs."""
        self._progress.hear((heard.target, heard.step), heard.text)
        self._draw_soon()

    def on_ran(self, ran: messages.Ran) -> None:
        """Show what came of a step."""
        self._progress.running.discard((ran.target, ran.result.step))
        self._progress.done[ran.target, ran.result.step] = ran.result
        self._draw_soon()

    def on_finished(self, finished: messages.Finished) -> None:
        """Show what the runs do to the evidence."""
        self._under_way = False
        self._progress.running.clear()
        self._progress.runs = finished.runs
        self._draw(
            "Ended before its time; what ran is stored.   Esc leaves" if finished.cancelled else "Stored.   Esc leaves"
        )
        if finished.runs:
            self.query_one(Calls).cursor = len(self._rows)
        self._show_page()

    def on_failed(self, failed: messages.Failed) -> None:
        """Say what went wrong, where the keys are said else."""
        self._under_way = False
        self._progress.running.clear()
        self._draw(f"{failed.title}: {failed.message}  {failed.hint}")

    @on(Roster.Moved)
    def _show_another(self) -> None:
        self._show_page()

    @on(Roster.Chosen)
    def _read(self) -> None:
        self.query_one(Document).focus()

    @property
    def _waiting(self) -> bool:
        """Whether a plan is shown that has not been run."""
        return bool(self._plans) and not self._under_way and not self._progress.runs

    @property
    def _current(self) -> pages.Row | None:
        place = self.query_one(Calls).cursor
        return self._rows[place] if place < len(self._rows) else None

    def _plan_in_words(self) -> str:
        asks = any(row.step.decision == "ask" for row in self._rows)
        runs = any(row.step.decision == "run" or row.call in self._progress.consented for row in self._rows)
        consent = "   space consents, a to all like it" if asks else ""
        more = "".join(f"   {key} {self._turn(what)} {what}" for what, key in _ALLOWING.items())
        return f"{pages.summary(self._plans)}.{consent}{more}{'   y runs it' if runs else ''}   Esc leaves"

    def _turn(self, what: str) -> str:
        return "drops" if self._asked is not None and what in self._asked.allowed else "adds"

    def _advice(self, row: pages.Row) -> str:
        """Return what a person may do about a step that is refused."""
        key = _ALLOWING.get(row.step.effect)
        if key is None or self._turn(row.step.effect) == "drops":
            return ""
        return f".   {key} asks about {row.step.effect} where that can run in a scratch folder"

    @work(exclusive=True, group="hosts")
    async def _name_hosts(self) -> None:
        try:
            hosts = await asyncio.to_thread(self._opened.hosts, self._selections[0].steps)
        except NecropsyError as error:
            self._say(f"{error.title}: {error.message}")
        else:
            self.query_one(Form).name_hosts(hosts)

    def _draw_soon(self) -> None:
        if not self._due:
            self._due = True
            self.set_timer(PAUSE, self._draw_news)

    def _draw_news(self) -> None:
        self._due = False
        self._draw()
        self._show_page(stay=True)

    def _draw(self, say: str = "") -> None:
        result: list[Line] = [(ink("    in all", "strong"), _outcome(self._progress))] if self._progress.runs else []
        self.query_one(Calls).fill([*(pages.line(row, self._progress) for row in self._rows), *result])
        if say:
            self._say(say)

    @work(exclusive=True, group="page")
    async def _show_page(self, *, stay: bool = False) -> None:
        row, detail = self._current, self.query_one(Document)
        try:
            blocks = await asyncio.to_thread(self._page, row)
        except NecropsyError as error:
            self._say(f"{error.title}: {error.message}")
            return
        if stay:
            detail.refill(blocks)
        else:
            detail.show(blocks)

    def _page(self, row: pages.Row | None) -> list[Block]:
        if row is None:
            return results.compose(self._progress.runs)
        return pages.page(row, self._progress, self._opened.output(row.step.step))

    def _say(self, text: str) -> None:
        self.query_one(".hint", Static).update(ink(text))


def _outcome(progress: pages.Progress) -> Content:
    worths = [worth.worth for run in progress.runs for worth in run.worths]
    told = [f"{worths.count(name)} {name}" for name in results.WORTHS if name in worths]
    return inline(", ".join(told) or "no verdict rests on these steps", "muted")
