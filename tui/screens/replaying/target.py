"""One target: its fields, saved only when all of them are right."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static, TextArea

from tui import messages
from tui.messages import TargetLine
from tui.widgets.dialog import Dialog, buttons, hint, label
from tui.widgets.ink import ink

FIELDS = (
    ("name", "name: what --on takes"),
    ("host", "host: a name, an address, or an alias of ~/.ssh/config"),
    ("port", "port, where it is not 22"),
    ("user", "user, where it is not that of ~/.ssh/config"),
    ("identity", "private key, where it is not a usual one"),
    ("recorded", "hosts in logs that it stands for, with commas between"),
)
"""The fields of one line, each with its label."""


class TargetScreen(ModalScreen[messages.TargetsRead | None]):
    """A form; the answer is the file as it is once it is saved. Without `target` one is added."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("ctrl+s", "save", "Save"),
    ]

    def __init__(self, target: TargetLine | None) -> None:
        super().__init__()
        self._target = target

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        one = self._target or TargetLine(name="")
        values = {**{name: str(getattr(one, name)) for name, _ in FIELDS}, "recorded": ", ".join(one.recorded)}
        fields = [
            widget
            for place, (name, text) in enumerate(FIELDS)
            for widget in (label(text, first=not place), Input(values[name], id=name))
        ]
        rules = "\n".join(f"{recorded} = {there}" for recorded, there in one.paths)
        area = TextArea(rules, id="paths", compact=True, tab_behavior="focus")
        title = f"Target {one.name}" if self._target else "Add a target"
        yield Dialog(
            title, *fields, label("path rules, a line each: RECORDED = THERE"), area, hint("Ctrl-S saves   Esc leaves"),
            buttons("Save"),
        )  # fmt: skip

    def on_mount(self) -> None:
        """Begin with the name of a new one, with the host of another."""
        self.query_one("#host" if self._target else "#name", Input).focus()

    @on(Button.Pressed, "#yes")
    @on(Input.Submitted)
    def action_save(self) -> None:
        """Have it saved, or say what is wrong with a rule."""
        wrong = [
            f"path rules: line {n} is not RECORDED = THERE" for n, rule in enumerate(self._rules(), 1) if not all(rule)
        ]
        if wrong:
            self._say(wrong)
            return
        values = {name: self.query_one(f"#{name}", Input).value.strip() for name, _ in FIELDS}
        hosts = tuple(word for word in values.pop("recorded").replace(",", " ").split())
        line = TargetLine(**values, recorded=hosts, paths=tuple(self._rules()))
        self.post_message(messages.TargetSaveAsked(line, self._target.name if self._target else None))

    @on(Button.Pressed, "#no")
    def _cancel(self) -> None:
        self.dismiss(None)

    def on_targets_read(self, read: messages.TargetsRead) -> None:
        """It is saved."""
        self.dismiss(read)

    def on_target_refused(self, refused: messages.TargetRefused) -> None:
        """Say what is wrong, a line each."""
        self._say(list(refused.problems))

    def _rules(self) -> Iterator[tuple[str, str]]:
        for line in self.query_one(TextArea).text.splitlines():
            if line.strip():
                recorded, _, there = line.partition("=")
                yield recorded.strip(), there.strip()

    def _say(self, problems: list[str]) -> None:
        shown = self.query_one(".hint", Static)
        shown.update(ink("\n".join(f"✗ {one}" for one in problems), "bad"))
        shown.scroll_visible()
