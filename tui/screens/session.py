"""One session: what can be done with it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from sessions.models.hypothesis import Hypothesis
from tui import messages
from tui.screens.choice import Choice, ChoiceScreen
from tui.screens.edit import EditScreen
from tui.screens.export import ExportScreen
from tui.screens.messages import MessagesScreen
from tui.screens.opened import Opened
from tui.screens.panes import SessionPanes
from tui.screens.replaying.form import Selection
from tui.screens.replaying.replay import ReplayScreen
from tui.screens.replaying.results import ResultsScreen
from tui.screens.replaying.targets import TargetsScreen
from tui.screens.review import ReviewScreen
from tui.screens.search import SearchScreen
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline
from tui.widgets.steps import StepList
from tui.widgets.tree import HypothesisTree


class SessionScreen(SessionPanes):
    """The panes, and the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/"),
        Binding("f", "evidence_only", "Evidence"),
        Binding("m", "messages", "Messages"),
        Binding("c", "candidates", "Candidates", show=False),
        Binding("e", "edit", "Edit"),
        Binding("E", "change", "Add, merge, remove", show=False),
        Binding("v", "review", "Review"),
        Binding("r", "replay", "Replay"),
        Binding("h", "results", "What runs say, by host", show=False),
        Binding("t", "targets", "Targets", show=False),
        Binding("x", "export", "Export"),
        Binding("escape", "back", "Back", show=False),
        Binding("q", "leave", "Back"),
    ]

    def action_back(self) -> None:
        """Go from the detail to the steps, from there to the tree, from there to the list of sessions."""
        if self.query_one(Document).has_focus:
            self.query_one(StepList).focus()
        elif self.query_one(StepList).has_focus:
            self.query_one(HypothesisTree).focus()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Go back to the list of sessions."""
        self.app.pop_screen()

    def action_evidence_only(self) -> None:
        """Show only the steps that are evidence for the chosen hypothesis, or all again."""
        self.mark_steps(only=not self.query_one(StepList).filtered)
        self.show_current()

    def action_candidates(self) -> None:
        """Show the suspicions that were too weak for the tree, or hide them."""
        if self.opened is not None:
            self.candidates = not self.candidates
            self.fill(self.opened)

    def action_messages(self) -> None:
        """Show what was said around what is chosen."""
        if self.opened is not None:
            self.app.push_screen(MessagesScreen(self.opened, self._message_at_hand(self.opened)))

    def _message_at_hand(self, opened: Opened) -> int:
        steps = self.query_one(StepList)
        if self.at_steps and steps.current is not None:
            line = opened.steps.at(steps.current)
            return (line.message if line else None) or 0
        one = self.chosen
        places = (one.decided_in, one.stated_in) if one else ()
        return next((place for place in places if place is not None), 0)

    def action_search(self) -> None:
        """Search this session and go to the place that is chosen."""
        if self.opened is not None:
            self.app.push_screen(SearchScreen(self.opened), self.go_to)

    def action_export(self) -> None:
        """Write the post-mortem to a file."""
        if self.opened is not None:
            self.app.push_screen(ExportScreen(self.opened.row), self._ask_export)

    def action_edit(self) -> None:
        """Correct the chosen hypothesis."""
        if self.opened is not None and self.chosen is not None:
            self.app.push_screen(EditScreen(self.opened.tree, self.chosen), self._ask_edits)

    def action_change(self) -> None:
        """Add, merge or remove hypotheses, or evidence."""
        if self.opened is not None:
            choices = self._changes(self.opened, self.chosen)
            self.app.push_screen(ChoiceScreen("Change the tree", choices), self._change)

    def action_review(self) -> None:
        """Settle what the analysis proposes, one key each."""
        if self.opened is not None:
            self.app.push_screen(ReviewScreen(self._store, self.opened.row.id), self._after_review)

    def action_replay(self) -> None:
        """Plan to run evidence again on a host."""
        if self.opened is not None and (selections := self._selections(self.opened)):
            self.app.push_screen(ReplayScreen(self.opened, selections), self._after_replay)

    def action_results(self) -> None:
        """Show what runs say of the evidence, host by host."""
        if self.opened is not None:
            self.app.push_screen(ResultsScreen(self.opened.runs))

    def action_targets(self) -> None:
        """Show the targets, and which of them stands for which host of this session."""
        if self.opened is not None:
            self.app.push_screen(TargetsScreen(self.opened))

    def _ask_export(self, asked: messages.ExportAsked | None) -> None:
        if asked is not None:
            self.post_message(asked)

    def _ask_edits(self, edits: Sequence[messages.Edit] | None) -> None:
        if edits and self.opened is not None:
            self.post_message(messages.EditAsked(self.opened.row.id, edits))

    def _after_review(self, _answer: None) -> None:
        self.reload()

    def _after_replay(self, ran: bool | None) -> None:  # noqa: FBT001 - Textual calls it with the dialog's answer
        if ran:
            self.reload()

    def _changes(self, opened: Opened, one: Hypothesis | None) -> list[Choice]:
        choices = [(ink("Add a hypothesis under it" if one else "Add a hypothesis"), "add")]
        if one is None:
            return choices
        if any(one.key == candidate.key for candidate in opened.tree.candidates):
            choices.append((ink("Take this candidate into the tree"), "promote"))
        if not one.root:
            choices += [(ink("Merge it into another one"), "merge"), (ink("Remove it; its children move up"), "remove")]
        step = self.query_one(StepList).current
        if step is not None:
            cited = any(piece.step == step for piece in one.evidence)
            for stance in ("supports", "refutes"):
                choices.append((ink(f"Step {step} {stance} it"), f"{stance}"))
            choices += [(ink(f"Step {step} is no evidence for it"), "unevidence")] if cited else []
        return choices

    def _change(self, action: str | None) -> None:
        one, opened = self.chosen, self.opened
        if action is None or opened is None:
            return
        step = self.query_one(StepList).current
        if action == "add":
            self.app.push_screen(EditScreen(opened.tree, None, one.id if one else None), self._ask_edits)
        elif one is None:
            return
        elif action == "merge":
            others = [
                (inline(f"{other.id}  {other.statement}"), other.id)
                for other in opened.tree.hypotheses
                if not other.root and other.id != one.id
            ]
            self.app.push_screen(ChoiceScreen(f"Merge {one.id} into", others), self._merge)
        elif action in {"supports", "refutes"}:
            self._ask_edits([messages.Edit(one.key, "evidence", {"step": step, "stance": action, "quote": ""})])
        else:
            value = {"step": step} if action == "unevidence" else {}
            self._ask_edits([messages.Edit(one.key, action, value)])

    def _merge(self, into: str | None) -> None:
        if into is not None and self.chosen is not None:
            self._ask_edits([messages.Edit(self.chosen.key, "merge", {"into": into})])

    def _selections(self, opened: Opened) -> list[Selection]:
        found = []
        if self.chosen is not None and self.chosen.evidence:
            steps = sorted({piece.step for piece in self.chosen.evidence})
            found.append(Selection(f"the evidence for {self.chosen.id}: {_steps(steps)}", steps))
        current = self.query_one(StepList).current
        if current is not None:
            found.append(Selection(f"step {current}", [current]))
        every = sorted({piece.step for one in opened.tree.hypotheses for piece in one.evidence})
        if every:
            found.append(Selection(f"all evidence of the session: {_steps(every)}", every))
        return found


def _steps(ordinals: Sequence[int]) -> str:
    shown = ", ".join(str(ordinal) for ordinal in ordinals[:8])
    more = f" and {len(ordinals) - 8} more" if len(ordinals) > 8 else ""  # noqa: PLR2004 - as many as fit on a line
    return f"step {shown}" if len(ordinals) == 1 else f"steps {shown}{more}"
