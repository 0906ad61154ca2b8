"""Running evidence again: what and where, then the plan, then consent, then the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen
from textual.widgets import Button, Input, RadioSet, Static

from sessions.models.replay import Plan
from tui import messages
from tui.screens.pages import plan as pages
from tui.widgets.dialog import Dialog, Radio, buttons, hint, label
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline


@dataclass(frozen=True, slots=True)
class Selection:
    """Steps that can be replayed together, and what they are called."""

    name: str
    steps: Sequence[int]


class ReplayScreen(ModalScreen[bool]):
    """First a form, then the plan in its place. Nothing is sent before `y`. The answer is whether something ran."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave"), Binding("y", "consent", "Run it")]

    def __init__(self, session: str, selections: Sequence[Selection], hosts: Sequence[str]) -> None:
        super().__init__()
        self._session = session
        self._selections = selections
        self._hosts = hosts
        self._plan: Plan | None = None
        self._progress = pages.Progress()
        self._under_way = False

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        recorded = ", ".join(self._hosts) or "none: these steps ran on the agent's own machine"
        radios = [Radio(inline(one.name), value=number == 0) for number, one in enumerate(self._selections)]
        form = Container(
            label("which steps", first=True),
            RadioSet(*radios, id="which", classes="-upright"),
            label("hosts in the log"),
            Static(inline(recorded)),
            label("run on: a target of targets.toml, or a host of ~/.ssh/config"),
            Input(id="target"),
            label("if they are several: RECORDED=TARGET, and so on"),
            Input(id="map"),
            buttons("Plan"),
            id="form",
        )
        yield Dialog("Replay", form, Document(id="plan"), hint(""), classes="-tall -form")

    def on_mount(self) -> None:
        """Begin with the target."""
        self.query_one("#target", Input).focus()

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _ask(self) -> None:
        target = self.query_one("#target", Input).value.strip()
        words = self.query_one("#map", Input).value.replace(",", " ").split()
        mapping = dict(word.split("=", 1) for word in words if "=" in word)
        which = max(self.query_one(RadioSet).pressed_index, 0)
        if not target and not mapping:
            self._say("Name the host on which to run; one that only the log names is never contacted.")
            return
        self._say("Planning …")
        steps = self._selections[which].steps
        self.post_message(messages.PlanAsked(self._session, target, steps, mapping))

    @on(Button.Pressed, "#no")
    def action_leave(self) -> None:
        """End a run that is under way; else leave."""
        if self._under_way:
            self._say("Ending what runs on the target …")
            self.post_message(messages.CancelAsked())
        else:
            self.dismiss(self._progress.run is not None or bool(self._progress.done))

    def action_consent(self) -> None:
        """Carry out the plan that is shown."""
        if self._plan is None or self._under_way or self._progress.run is not None:
            return
        if not any(step.decision == "run" for step in self._plan.steps):
            self._say("Nothing in this plan may run.   Esc leaves")
            return
        self._under_way = True
        self._say("Running …   Esc ends it, here and on the target")
        self.post_message(messages.RunAsked(self._plan))

    def on_planned(self, planned: messages.Planned) -> None:
        """Show the plan and wait for consent."""
        self._plan = planned.plan
        self.query_one(Dialog).remove_class("-form")
        self.call_after_refresh(self.query_one(Document).focus)  # before that it is not displayed, and takes no focus
        runs = any(step.decision == "run" for step in planned.plan.steps)
        self._draw(pages.summary(planned.plan) + (".   y runs it   Esc leaves" if runs else ".   Esc leaves"))

    def on_started(self, started: messages.Started) -> None:
        """Show which step is being sent."""
        self._progress.current = started.step
        self._draw()

    def on_ran(self, ran: messages.Ran) -> None:
        """Show what came of a step."""
        self._progress.done[ran.step.step] = ran.step
        self._draw()

    def on_finished(self, finished: messages.Finished) -> None:
        """Show what the run does to the evidence."""
        self._under_way = False
        self._progress.current = None
        self._progress.run = finished.run
        self._draw(
            "Ended before its time; what ran is stored.   Esc leaves" if finished.cancelled else "Stored.   Esc leaves"
        )

    def on_failed(self, failed: messages.Failed) -> None:
        """Say what went wrong, where the keys are said else."""
        self._under_way = False
        self._say(f"{failed.title}: {failed.message}  {failed.hint}")

    def _draw(self, say: str = "") -> None:
        if self._plan is not None:
            page = self.query_one(Document)
            page.refill(pages.compose(self._plan, self._progress))
        if say:
            self._say(say)

    def _say(self, text: str) -> None:
        self.query_one(".hint", Static).update(ink(text))
