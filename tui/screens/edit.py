"""Correcting one hypothesis, adding one, or making two of one: statement, verdict, support, deciding quote, parent."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, RadioSet, Select

from sessions.hypotheses.review import halves
from sessions.ingest import display
from sessions.models.hypothesis import LONGEST_STATEMENT, MARKS, Hypothesis, Tree
from tui.messages import Edit
from tui.widgets.dialog import Dialog, Radio, buttons, hint, label
from tui.widgets.ink import inline

SUPPORTS = ("grounded", "claimed", "contradicted")


class EditScreen(ModalScreen[Sequence[Edit] | None]):
    """The fields of a hypothesis; the answer is only what was changed. Without `hypothesis` one is added.

    `at` is the field to begin with: by default what is corrected most, the verdict.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("ctrl+s", "save", "Save"),
    ]

    def __init__(
        self, tree: Tree, hypothesis: Hypothesis | None, parent: str | None = None, *, at: str = "verdict"
    ) -> None:
        super().__init__()
        self._at = at
        self._tree = tree
        self._hypothesis = hypothesis
        self._above = hypothesis.parent if hypothesis else parent

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        one = self._hypothesis
        verdict = one.verdict if one else "open"
        statement = display.line(one.statement) if one else ""
        fields = [
            label("statement, as a possible cause", first=True),
            Input(statement, id="statement", max_length=LONGEST_STATEMENT),
        ]
        if not (one and one.root):
            fields += [
                label("verdict"),
                RadioSet(*_radios(verdict), id="verdict", compact=True),
                label("support"),
                RadioSet(*_plain_radios(one.support if one else "claimed"), id="support", compact=True),
                label("decided by: the line of the output, and its step"),
                Input(placeholder="quote", id="quote"),
                Input(placeholder="step", id="step", type="integer"),
                label("under"),
                Select(self._parents(), value=self._above or Select.NULL, id="parent", allow_blank=True, compact=True),
            ]
        title = f"Correct {one.id}" if one else "Add a hypothesis"
        yield Dialog(title, *fields, buttons("Save"))

    def on_mount(self) -> None:
        """Begin with the wanted field; what is new or the symptom has no other than the statement."""
        self.query_one(f"#{self._at}" if self._hypothesis and not self._hypothesis.root else "#statement").focus()

    @on(Button.Pressed, "#yes")
    @on(Input.Submitted)
    def action_save(self) -> None:
        """Close with what was changed."""
        if not self._text("statement"):
            self.notify("A hypothesis needs a statement.", severity="warning", markup=False)
            return
        self.dismiss(list(self._changed(self._hypothesis) if self._hypothesis else self._added()))

    @on(Button.Pressed, "#no")
    def _cancel(self) -> None:
        self.dismiss(None)

    def _added(self) -> Iterator[Edit]:
        value = {"statement": self._text("statement"), "verdict": self._picked("verdict"), "parent": self._under()}
        yield Edit("", "add", {**value, "support": self._picked("support")})

    def _changed(self, one: Hypothesis) -> Iterator[Edit]:
        if self._text("statement") != display.line(one.statement):
            yield Edit(one.key, "statement", {"statement": self._text("statement")})
        if one.root:
            return
        verdict, support = self._picked("verdict"), self._picked("support")
        quote, step = self._text("quote"), self._text("step")
        if (verdict, support) != (one.verdict, one.support) or quote:
            cited = {"quote": quote, "step": int(step)} if quote and step else {}
            kept = {"support": support} if support != one.support or not cited else {}
            yield Edit(one.key, "verdict", {"verdict": verdict, **kept, **cited})
        if self._under() != one.parent:
            yield Edit(one.key, "parent", {"parent": self._under()})

    def _parents(self) -> list[tuple[Content, str]]:
        own = self._hypothesis.id if self._hypothesis else ""
        return [(inline(f"{one.id}  {one.statement}"), one.id) for one in self._tree.hypotheses if one.id != own]

    def _under(self) -> str | None:
        value = self.query_one("#parent", Select).value
        return value if isinstance(value, str) else None

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _picked(self, name: str) -> str:
        pressed = self.query_one(f"#{name}", RadioSet).pressed_button
        return (pressed.name if pressed else None) or ""


class SplitScreen(ModalScreen[tuple[str, str] | None]):
    """Two statements, proposed from the halves of one; the answer is both."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("ctrl+s", "save", "Save"),
    ]

    def __init__(self, one: Hypothesis) -> None:
        super().__init__()
        self._one = one

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        first, second = halves(display.line(self._one.statement))
        yield Dialog(
            f"Split {self._one.id}",
            label("it keeps its evidence and says", first=True),
            Input(first, id="first", max_length=LONGEST_STATEMENT),
            label("the new one beside it says"),
            Input(second, id="second", max_length=LONGEST_STATEMENT),
            hint("Enter or Ctrl-S splits   Esc leaves it whole"),
            buttons("Split"),
        )

    @on(Button.Pressed, "#yes")
    @on(Input.Submitted)
    def action_save(self) -> None:
        """Close with both statements."""
        first, second = (self.query_one(name, Input).value.strip() for name in ("#first", "#second"))
        if first and second:
            self.dismiss((first, second))
        else:
            self.notify("Both need a statement.", severity="warning", markup=False)

    @on(Button.Pressed, "#no")
    def _cancel(self) -> None:
        self.dismiss(None)


def _radios(chosen: str) -> list[Radio]:
    return [Radio(f"{mark} {name}", value=name == chosen, name=name) for name, mark in MARKS.items()]


def _plain_radios(chosen: str) -> list[Radio]:
    return [Radio(name, value=name == chosen, name=name) for name in SUPPORTS]
