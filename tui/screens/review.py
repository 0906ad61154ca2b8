"""A person settles a session: what waits on the left, all that is needed to decide on the right, one key each.

A decision takes its hypothesis out of the list at once and is stored behind the person's back, one after the other, so
that no key waits for the disk and none hits what was decided a moment ago.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Footer

from sessions.errors import NecropsyError
from sessions.hypotheses import review
from sessions.hypotheses.review import Change
from sessions.models.hypothesis import Hypothesis, Verdict
from tui import messages
from tui.screens.choice import Choice, ChoiceScreen
from tui.screens.edit import EditScreen, SplitScreen
from tui.screens.messages import MessagesScreen
from tui.screens.opened import Opened
from tui.screens.panes import PAUSE, ROOMY
from tui.widgets import figures
from tui.widgets.banner import Banner
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline
from tui.widgets.queue import Queue
from tui.widgets.roster import Roster

Then = Callable[[str], None]


class ReviewScreen(Screen[None]):
    """The queue and the page of what its cursor stands on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "Accept"),
        Binding("x", "reject", "Reject"),
        Binding("c", "decide('confirmed')", "Confirmed"),
        Binding("r", "decide('refuted')", "Refuted"),
        Binding("b", "decide('abandoned')", "Abandoned"),
        Binding("o", "decide('open')", "Open"),
        Binding("p", "parent", "Parent"),
        Binding("m", "merge", "Merge"),
        Binding("s", "split", "Split"),
        Binding("e", "edit", "Edit"),
        Binding("u", "undo", "Undo"),
        Binding("escape,q", "leave", "Back", key_display="q"),
    ]

    def __init__(self, store: Path, session: str) -> None:
        super().__init__()
        self._store = store
        self._session = session
        self._opened: Opened | None = None
        self._decided: set[str] = set()
        self._again: set[str] = set()
        self._sizes: list[int] = []
        self._outbox: deque[messages.EditAsked | messages.UndoAsked] = deque()
        self._sent: messages.EditAsked | messages.UndoAsked | None = None
        self._sought: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Banner()
        with Container(id="panes"):
            with Container(id="left"):
                yield Queue(id="queue")
            yield Document(id="detail")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Name the panes and begin to read."""
        for name in ("queue", "detail"):
            self.query_one(f"#{name}").add_class("pane")
        self.query_one(Queue).focus()
        self._reload()

    def on_resize(self, event: events.Resize) -> None:
        """Move the keys closer together where there is little room for them."""
        self.query_one(Footer).compact = event.size.width < ROOMY

    @property
    def one(self) -> Hypothesis | None:
        """The hypothesis under the cursor."""
        item = self.query_one(Queue).current
        return item.hypothesis if item else None

    def action_accept(self) -> None:
        """Make the proposed verdict one's own."""
        if one := self.one:
            self._decide(one, review.accept(one))

    def action_reject(self) -> None:
        """Take out what is no hypothesis."""
        if one := self.one:
            self._decide(one, review.reject(one))

    def action_decide(self, verdict: Verdict) -> None:
        """Set another verdict."""
        if one := self.one:
            self._decide(one, review.decide(one, verdict))

    def action_parent(self) -> None:
        """Ask under which other one it hangs; it waits on."""
        if one := self.one:
            self._choose(f"Hang {one.id} under", one, lambda key: self._correct(review.hang(one, key)), root=True)

    def action_merge(self) -> None:
        """Ask with which other one it is the same."""
        if one := self.one:
            self._choose(f"Merge {one.id} into", one, lambda key: self._decide(one, review.merge(one, key)))

    def action_split(self) -> None:
        """Make two of it; both wait on."""
        if one := self.one:
            self.app.push_screen(
                SplitScreen(one), lambda both: self._correct(review.split(one, *both)) if both else None
            )

    def action_edit(self) -> None:
        """Correct all of it; with a verdict it is settled."""
        if (one := self.one) and self._opened:
            dialog = EditScreen(self._opened.tree, one, at="statement")
            self.app.push_screen(dialog, lambda edits: self._take(one, edits or ()))

    def action_undo(self) -> None:
        """Take the last decision back, also one of an earlier sitting."""
        self._send(messages.UndoAsked(self._session, self._sizes.pop() if self._sizes else 1, self))

    def action_leave(self) -> None:
        """Go back to the session."""
        self.dismiss(None)

    @on(Roster.Chosen, "#queue")
    def _jump(self) -> None:
        one = self.one
        if one and self._opened:
            self.app.push_screen(MessagesScreen(self._opened, one.stated_in or 0))

    @on(Roster.Moved, "#queue")
    def _show(self) -> None:
        self._compose_page()

    def on_edited(self, edited: messages.Edited) -> None:
        """Send what waits to be stored, or show the tree as it is now."""
        edits = self._sent.edits if isinstance(self._sent, messages.EditAsked) else ()
        self._again.update(key for edit, key in zip(edits, edited.keys, strict=False) if edit.action == "add")
        self._answered()

    def on_undone(self, undone: messages.Undone) -> None:
        """Show what was taken back."""
        if not undone.edits:
            self.notify("There is nothing of yours to take back.", severity="warning", markup=False)
        for edit in undone.edits:
            self._decided.discard(edit.key)
            self._again.add(edit.key)
            self._sought = edit.key
        self._answered()

    def on_failed(self, failed: messages.Failed) -> None:
        """Say what went wrong; what was to be stored behind it is dropped and waits again."""
        self._outbox.clear()
        self._decided.clear()
        self._sizes.clear()
        text = f"{failed.message}\n{failed.hint}" if failed.hint else failed.message
        self.notify(ink(text).plain, title=failed.title, severity="error", timeout=12, markup=False)
        self._answered()

    def _choose(self, question: str, one: Hypothesis, then: Then, *, root: bool = False) -> None:
        choices: list[Choice] = [
            (inline(f"{other.id}  {other.statement}"), other.key)
            for other in (self._opened.tree.hypotheses if self._opened else ())
            if other.key != one.key and (root or not other.root)
        ]
        if choices:
            self.app.push_screen(ChoiceScreen(question, choices), lambda key: then(key) if key else None)

    def _take(self, one: Hypothesis, edits: Sequence[messages.Edit]) -> None:
        changes = [Change(edit.key, edit.action, edit.value) for edit in edits]
        if any(change.action == "verdict" for change in changes):
            self._decide(one, changes)
        elif changes:
            self._correct(changes)

    def _decide(self, one: Hypothesis, changes: Sequence[Change]) -> None:
        """Have a decision stored and go on to the next."""
        self._decided.add(one.key)
        self._again.discard(one.key)
        self.query_one(Queue).take_out(one.key)
        self._compose_page()
        self._correct(changes)

    def _correct(self, changes: Sequence[Change]) -> None:
        self._sizes.append(len(changes))
        edits = [messages.Edit(change.key, change.action, change.value) for change in changes]
        self._send(messages.EditAsked(self._session, edits, self))

    def _send(self, asked: messages.EditAsked | messages.UndoAsked) -> None:
        self._outbox.append(asked)
        if self._sent is None:
            self._answered()

    def _answered(self) -> None:
        """Send the next; when all is stored, read the tree again."""
        self._sent = self._outbox.popleft() if self._outbox else None
        if self._sent is not None:
            self.post_message(self._sent)
        else:
            self._reload()

    @work(exclusive=True, group="session")
    async def _reload(self) -> None:
        try:
            opened = await asyncio.to_thread(Opened.read, self._store, self._session)
        except NecropsyError as error:
            self.notify(error.message, title=error.title, severity="error", markup=False)
        else:
            self._fill(opened)

    def _fill(self, opened: Opened) -> None:
        self._opened = opened
        items = [item for item in review.queue(opened.tree, self._again) if item.hypothesis.key not in self._decided]
        waiting = self.query_one(Queue)
        waiting.fill(items, self._sought)
        self._sought = None
        settled, count = review.progress(opened.tree)
        waiting.border_title = f" {figures.several(len(items), 'waits', 'wait')} "
        self.query_one(Banner).say(
            inline(opened.row.title or opened.row.id, "strong"),
            ink(f"review: {settled} of {figures.several(count, 'hypothesis', 'hypotheses')} settled", "muted"),
        )
        self._compose_page()

    @work(exclusive=True, group="detail")
    async def _compose_page(self) -> None:
        await asyncio.sleep(PAUSE)
        item, opened, detail = self.query_one(Queue).current, self._opened, self.query_one(Document)
        if item is None or opened is None:
            detail.border_title = ""
            detail.show([])
            return
        try:
            page = await asyncio.to_thread(opened.page_of_item, item)
        except NecropsyError as error:
            self.notify(error.message, title=error.title, severity="error", markup=False)
        else:
            detail.border_title = f" {page.subject} "
            detail.show(page.blocks)
