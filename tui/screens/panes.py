"""The panes of a session: its hypotheses and steps beside the detail of what is chosen."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Footer

from sessions import times
from sessions.errors import NecropsyError
from sessions.models.hypothesis import Hypothesis
from tui import messages
from tui.screens.messages import MessagesScreen
from tui.screens.opened import Opened, Page
from tui.widgets import figures
from tui.widgets.banner import Banner
from tui.widgets.blocks import Place
from tui.widgets.document import Document
from tui.widgets.ink import ink, inline
from tui.widgets.roster import Roster
from tui.widgets.steps import StepList
from tui.widgets.tree import HypothesisTree

ROOMY = 100
"""Cells of width from which the keys at the bottom have room between them."""


PAUSE = 0.02
"""Seconds that the cursor must rest before a page is made: holding a key down makes none in between."""


class SessionPanes(Screen[None]):
    """The tree, the steps, the detail. Whatever the cursor of the list in use stands on is the detail."""

    def __init__(self, store: Path, session: str) -> None:
        super().__init__()
        self._store = store
        self._session = session
        self.opened: Opened | None = None
        self.candidates = False
        self._sought: Place | None = None
        self._settling: Mapping[str, Sequence[str]] = {}

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Banner()
        with Container(id="panes"):
            with Container(id="left"):
                yield HypothesisTree(id="tree")
                yield StepList(id="steps")
            yield Document(id="detail")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Name the panes and begin to read."""
        for name in ("tree", "steps", "detail"):
            self.query_one(f"#{name}").add_class("pane")
        self.query_one(HypothesisTree).focus()
        self.reload()

    def on_resize(self, event: events.Resize) -> None:
        """Move the keys closer together where there is little room for them."""
        self.query_one(Footer).compact = event.size.width < ROOMY

    @work(exclusive=True, group="session")
    async def reload(self) -> None:
        """Read the session from the store again; the cursors stay where they are."""
        try:
            opened = await asyncio.to_thread(Opened.read, self._store, self._session)
        except NecropsyError as error:
            self.on_failed(messages.Failed.of(error))
        else:
            self.fill(opened)

    @property
    def chosen(self) -> Hypothesis | None:
        """The hypothesis under the cursor of the tree."""
        node = self.query_one(HypothesisTree).current
        return node.hypothesis if node else None

    def on_failed(self, failed: messages.Failed) -> None:
        """Say in one notification what went wrong."""
        text = f"{failed.message}\n{failed.hint}" if failed.hint else failed.message
        self.notify(ink(text).plain, title=failed.title, severity="error", timeout=12, markup=False)

    def on_edited(self, _edited: messages.Edited) -> None:
        """Show the tree with the corrections."""
        self.reload()

    def on_suggested(self, suggested: messages.Suggested) -> None:
        """Name the probes on the page that is shown."""
        self._settling = suggested.probes
        self.show_current()

    def on_exported(self, exported: messages.Exported) -> None:
        """Say where the file is."""
        self.notify(ink(str(exported.path)).plain, title="Written", markup=False)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the detail of what the focused list stands on."""
        if event.widget.id in {"tree", "steps"}:
            self.set_class(event.widget.id == "steps", "-at-steps")
            self.show_current()

    @on(Roster.Moved, "#tree")
    def _choose(self) -> None:
        self._sought = None
        self.mark_steps(only=self.query_one(StepList).filtered)
        self.show_current()

    @on(Roster.Moved, "#steps")
    def _show_step(self) -> None:
        self.show_current()

    @on(Roster.Chosen, "#tree")
    def _go_to_evidence(self) -> None:
        self.query_one(StepList).focus()

    @on(Roster.Chosen, "#steps")
    def _read_output(self) -> None:
        self.query_one(Document).focus()

    @on(Document.Followed)
    def _follow(self, event: Document.Followed) -> None:
        self.go_to(event.place)

    def go_to(self, place: Place | None) -> None:
        """Bring the cursors to a place."""
        if place is None or self.opened is None:
            return
        if place.kind == "step":
            self._sought = place
            steps = self.query_one(StepList)
            steps.go_to(int(place.name))
            steps.focus()
        elif place.kind == "hypothesis":
            tree = self.query_one(HypothesisTree)
            tree.go_to(place.name)
            tree.focus()
        elif place.kind == "session":
            self.app.push_screen(type(self)(self._store, place.name))
        else:
            self.app.push_screen(MessagesScreen(self.opened, int(place.name)))

    @property
    def at_steps(self) -> bool:
        """Whether the detail is of a step: the steps were focused after the tree."""
        return self.has_class("-at-steps")

    def fill(self, opened: Opened) -> None:
        """Show a session as it was read; the first time, its cause is chosen."""
        first = self.opened is None
        self.opened = opened
        self.post_message(messages.SuggestionsAsked(opened.tree, opened.row.title))
        row = opened.row
        about = (row.agent, row.model or "", times.local(row.started))
        self.query_one(Banner).say(
            inline(row.title or row.id, "strong"), inline(" · ".join(word for word in about if word), "muted")
        )
        tree = self.query_one(HypothesisTree)
        tree.fill(opened.tree, candidates=self.candidates, worths=opened.worths())
        self._name_panes(opened)
        steps = self.query_one(StepList)
        only = steps.filtered
        steps.fill(opened.steps)
        if first and opened.answer:
            tree.go_to(opened.answer.id)
        self.mark_steps(only=only)
        self.show_current()

    def _name_panes(self, opened: Opened) -> None:
        row = opened.row
        tree, steps = self.query_one(HypothesisTree), self.query_one(StepList)
        tree.border_title = f" {figures.several(row.hypotheses, 'hypothesis', 'hypotheses')} "
        steps.border_title = f" {figures.several(row.steps, 'step')} "

    def mark_steps(self, *, only: bool) -> None:
        """Mark the evidence for the chosen hypothesis among the steps, and bring what decided into sight."""
        steps = self.query_one(StepList)
        evidence = self.chosen.evidence if self.chosen else ()
        steps.mark(evidence, only=only)
        deciding = [piece.step for piece in evidence if piece.deciding] or [piece.step for piece in evidence]
        if deciding and not self.at_steps:
            steps.relay(steps.place_of(deciding[0]))

    def show_current(self) -> None:
        """Show the detail of what the list in use stands on."""
        steps, opened, chosen = self.query_one(StepList), self.opened, self.chosen
        if opened is None:
            return
        if self.at_steps and steps.current is not None:
            sought = self._sought.words if self._sought and self._sought.name == str(steps.current) else ()
            self._compose_page(partial(opened.page_of_step, steps.current, chosen, sought))
        elif chosen is not None:
            self._compose_page(partial(opened.page_of_hypothesis, chosen, self._settling.get(chosen.id, ())))

    @work(exclusive=True, group="detail")
    async def _compose_page(self, make: Callable[[], Page]) -> None:
        await asyncio.sleep(PAUSE)
        try:
            page = await asyncio.to_thread(make)
        except NecropsyError as error:
            self.on_failed(messages.Failed.of(error))
        else:
            self._show_page(page)

    def _show_page(self, page: Page) -> None:
        detail = self.query_one(Document)
        detail.border_title = f" {page.subject} "
        detail.show(page.blocks, at_mark=page.at_mark)
