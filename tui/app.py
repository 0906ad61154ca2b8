"""The app: which screens there are, how it looks, and who does what a screen asks for."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import NoColor
from textual.screen import Screen

from tui import commands, messages, targets
from tui.palette import DARK, LIGHT
from tui.replays import Replays
from tui.screens.help import HelpScreen
from tui.screens.session import SessionScreen
from tui.screens.sessions import SessionsScreen


class NecropsyApp(App[None]):
    """Sessions of the store at `store`; with `session`, an id, that one is opened at once."""

    TITLE = "necropsy"
    CSS_PATH = "theme.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (76, "-narrow"), (96, "-medium"), (160, "-wide")]  # noqa: RUF012 - as Textual types it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-short"), (30, "-high")]  # noqa: RUF012 - as above
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("ctrl+t", "turn_light", "Light or dark", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(self, store: Path, session: str | None = None) -> None:
        super().__init__()
        if self.no_color:  # Textual would paint in greys; the style sheet has forms for what colours tell
            self._filters = [NoColor()]
        self.store = store
        self._session = session
        self._replays = Replays(store)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that do not have them."""
        return (DARK if self.current_theme.dark else LIGHT).variables

    def on_mount(self) -> None:
        """Open the list, and the session that was named on top of it."""
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self.push_screen(SessionsScreen(self.store))
        if self._session is not None:
            self.push_screen(SessionScreen(self.store, self._session))

    async def on_unmount(self) -> None:
        """End what still runs on a target."""
        await self._replays.close()

    def action_help(self) -> None:
        """Show the keys."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def action_turn_light(self) -> None:
        """Change between light and dark."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name

    def on_edit_asked(self, asked: messages.EditAsked) -> None:
        """Have corrections stored."""
        self._in_thread(lambda: commands.edit(self.store, asked), asked.asker)

    def on_undo_asked(self, asked: messages.UndoAsked) -> None:
        """Have corrections taken back."""
        self._in_thread(lambda: commands.undo(self.store, asked), asked.asker)

    def on_suggestions_asked(self, asked: messages.SuggestionsAsked) -> None:
        """Have the catalogue of probes looked through."""
        self._in_thread(lambda: commands.suggest(asked))

    def on_export_asked(self, asked: messages.ExportAsked) -> None:
        """Have a report written."""
        self._in_thread(lambda: commands.export(self.store, asked))

    def on_targets_asked(self, _asked: messages.TargetsAsked) -> None:
        """Have the targets file read."""
        self._in_thread(targets.read)

    def on_target_save_asked(self, asked: messages.TargetSaveAsked) -> None:
        """Have an entry of the targets file written."""
        self._in_thread(lambda: targets.save(asked))

    def on_target_remove_asked(self, asked: messages.TargetRemoveAsked) -> None:
        """Have an entry of the targets file removed."""
        self._in_thread(lambda: targets.remove(asked))

    def on_try_asked(self, asked: messages.TryAsked) -> None:
        """Have a target connected to."""
        self._in_thread(lambda: targets.attempt(asked))

    def on_discover_asked(self, asked: messages.DiscoverAsked) -> None:
        """Have a target looked through for what a session names."""
        self._in_thread(lambda: targets.discover(self.store, asked))

    def on_plan_asked(self, asked: messages.PlanAsked) -> None:
        """Have a replay planned."""
        self._in_thread(lambda: self._replays.plan(asked))

    def on_run_asked(self, asked: messages.RunAsked) -> None:
        """Have a plan carried out."""
        self._replays.start(asked.consented, self.screen.post_message)

    def on_cancel_asked(self, _asked: messages.CancelAsked) -> None:
        """End the run."""
        self._replays.cancel()

    def _in_thread(self, work: commands.Work, asker: Screen[Any] | None = None) -> None:
        asker = asker or self.screen

        async def answer() -> None:
            asker.post_message(await asyncio.to_thread(work))

        self.run_worker(answer())
