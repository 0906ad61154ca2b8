"""The targets: which there are, which recorded hosts they stand for, whether they answer, which paths lie elsewhere."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from sessions.errors import NecropsyError
from tui import messages
from tui.messages import TargetLine
from tui.screens.choice import Choice, ChoiceScreen
from tui.screens.opened import Opened
from tui.screens.pages import lines
from tui.widgets import figures
from tui.widgets.blocks import Block, Prose, blank
from tui.widgets.dialog import Dialog, hint
from tui.widgets.document import Document
from tui.widgets.ink import fit, ink, inline
from tui.widgets.roster import Roster

KEYS = "e edit   n new   d remove   t try   m map a host   p find paths   Esc close"


class TargetList(Roster):
    """The entries of the targets file, a line each."""

    EMPTY: ClassVar[str] = " No target yet: n adds one. Hosts of ~/.ssh/config need no entry."

    def __init__(self) -> None:
        super().__init__()
        self.targets: Sequence[TargetLine] = ()

    @property
    def count(self) -> int:
        """Number of targets."""
        return len(self.targets)

    @property
    def current(self) -> TargetLine | None:
        """The target under the cursor."""
        return self.targets[self.cursor] if self.count else None

    def fill(self, targets: Sequence[TargetLine], at: str | None) -> None:
        """Take other targets; the cursor goes to the name `at`."""
        self.filled = True
        self.targets = targets
        self.relay(next((n for n, one in enumerate(targets) if one.name == at), None))

    def draw(self, index: int, line: int, width: int) -> Content:
        """Return the line of one target."""
        del line
        one = self.targets[index]
        words = [f"for {', '.join(one.recorded)}"] if one.recorded else []
        words += [figures.several(len(one.paths), "path rule")] if one.paths else []
        name = fit(Content(" ") + inline(one.name, "strong"), 18)
        return fit(Content(" ").join([name, fit(inline(_where(one)), 34), inline(" · ".join(words), "muted")]), width)


class TargetsScreen(ModalScreen[None]):
    """The list above, all of the target under the cursor below; `opened` is the session whose hosts are mapped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit"),
        Binding("n", "add", "New"),
        Binding("d", "remove", "Remove"),
        Binding("t", "try", "Try"),
        Binding("m", "map", "Map a recorded host"),
        Binding("p", "discover", "Find paths"),
        Binding("escape,q", "dismiss", "Close"),
    ]

    def __init__(self, opened: Opened | None = None) -> None:
        super().__init__()
        self._opened = opened
        self._hosts: Sequence[str] = ()
        self._tried: dict[str, messages.Tried] = {}
        self._found: dict[str, messages.Discovered] = {}
        self._at: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        yield Dialog("Targets", TargetList(), Document(), hint(KEYS), classes="-whole")

    def on_mount(self) -> None:
        """Have the file read."""
        self.query_one(TargetList).focus()
        self.post_message(messages.TargetsAsked())
        self._read_hosts()

    @property
    def current(self) -> TargetLine | None:
        """The target under the cursor."""
        return self.query_one(TargetList).current

    @on(Roster.Chosen)
    def action_edit(self) -> None:
        """Change the target under the cursor."""
        if one := self.current:
            self._open(one)

    def action_add(self) -> None:
        """Add a target."""
        self._open(None)

    def _open(self, one: TargetLine | None) -> None:
        from tui.screens.replaying.target import TargetScreen  # noqa: PLC0415 - brings Textual's editor of texts

        self.app.push_screen(TargetScreen(one), self._take)

    def action_remove(self) -> None:
        """Ask whether the target under the cursor may go."""
        if one := self.current:
            choices: list[Choice] = [(ink("Keep it"), ""), (ink("Remove it from the targets file"), one.name)]
            self.app.push_screen(ChoiceScreen(f"Remove {one.name}?", choices), self._remove)

    def action_try(self) -> None:
        """Connect to the target under the cursor."""
        if one := self.current:
            self._say(f"Connecting to {one.name} …")
            self.post_message(messages.TryAsked(one.name))

    def action_map(self) -> None:
        """Ask which host of the session the target under the cursor stands for."""
        one = self.current
        if one is None or not self._hosts:
            self._say("Open a session first (t there): it is its hosts that are mapped." if one else KEYS)
            return
        choices: list[Choice] = [
            (inline(f"{host}  {'is taken off' if host in one.recorded else 'is added'}"), host) for host in self._hosts
        ]
        self.app.push_screen(ChoiceScreen(f"{one.name} stands for", choices), self._map)

    def action_discover(self) -> None:
        """Look on the target for what the session names."""
        one = self.current
        if one is None or self._opened is None:
            self._say("Open a session first (t there): it is its paths that are looked for." if one else KEYS)
            return
        self._say(f"Looking for interpreters, packages and models on {one.name} …")
        self.post_message(messages.DiscoverAsked(one.name, self._opened.row.id))

    def on_targets_read(self, read: messages.TargetsRead) -> None:
        """Show the targets."""
        self.query_one(Dialog).border_title = inline(f"Targets  {read.path}").plain
        self.query_one(TargetList).fill(read.targets, self._at)
        self._at = None
        self._say(KEYS)
        self._show()

    def on_tried(self, tried: messages.Tried) -> None:
        """Say what came of it."""
        self._tried[tried.name] = tried
        self._say(KEYS)
        self._show()

    def on_discovered(self, discovered: messages.Discovered) -> None:
        """Show what was found; what is sure is offered, what is not is only shown."""
        self._found[discovered.name] = discovered
        self._say(KEYS)
        self._show()
        one = self.current
        sure = [(recorded, places[0]) for _, recorded, places in discovered.found if len(places) == 1]
        fresh = [rule for rule in sure if one and rule[0] != rule[1] and rule not in one.paths]
        if one and one.name == discovered.name and fresh:
            choices: list[Choice] = [(ink("Leave the path rules as they are"), "")]
            choices.append((ink(f"Add {figures.several(len(fresh), 'rule')}"), "add"))
            choices += [(inline(f"Only {recorded} → {there}"), recorded) for recorded, there in fresh]
            self.app.push_screen(ChoiceScreen(f"Path rules for {one.name}", choices), lambda a: self._add(a, fresh))

    def on_target_refused(self, refused: messages.TargetRefused) -> None:
        """Say why nothing was saved."""
        self._say("\n".join(refused.problems))

    def on_failed(self, failed: messages.Failed) -> None:
        """Say what went wrong."""
        self._say(f"{failed.title}: {failed.message}  {failed.hint}")

    @work
    async def _read_hosts(self) -> None:
        if self._opened is None:
            return
        try:
            self._hosts = await asyncio.to_thread(self._opened.evidence_hosts)
        except NecropsyError as error:
            self._say(f"{error.title}: {error.message}")
        else:
            self._show()

    @on(Roster.Moved)
    def _show(self) -> None:
        one = self.current
        self.query_one(Document).show(list(self._page(one)) if one else [])

    def _take(self, read: messages.TargetsRead | None) -> None:
        if read is not None:
            self.on_targets_read(read)

    def _remove(self, name: str | None) -> None:
        if name:
            self.post_message(messages.TargetRemoveAsked(name))

    def _map(self, host: str | None) -> None:
        if host and (one := self.current):
            kept = tuple(each for each in one.recorded if each != host)
            self._save(replace(one, recorded=kept if host in one.recorded else (*kept, host)))

    def _add(self, answer: str | None, rules: Sequence[tuple[str, str]]) -> None:
        if answer and (one := self.current):
            added = [rule for rule in rules if answer in {"add", rule[0]}]
            kept = [rule for rule in one.paths if rule[0] not in {recorded for recorded, _ in added}]
            self._save(replace(one, paths=(*kept, *added)))

    def _save(self, line: TargetLine) -> None:
        self._at = line.name
        self.post_message(messages.TargetSaveAsked(line, line.name))

    def _page(self, one: TargetLine) -> Iterator[Block]:
        yield lines.field("host", inline(_where(one)))
        yield lines.field("key", inline(one.identity or "those of the agent and of ~/.ssh"))
        yield lines.field("stands for", inline(", ".join(one.recorded) or "no recorded host"))
        for host in self._hosts:
            named = [target.name for target in self.query_one(TargetList).targets if host in target.recorded]
            told = inline(", ".join(named)) if named else ink("no target: m maps it to this one", "doubtful")
            yield lines.field("in the log", inline(f"{host} is", "muted") + Content(" ") + told)
        if tried := self._tried.get(one.name):
            sign = ink("✓ answers: ", "good") if tried.reached else ink("✗ ", "bad")
            yield lines.field("tried", sign + inline(tried.told))
        yield from lines.heading("Path rules")
        for recorded, there in one.paths:
            yield Prose(inline(recorded) + ink(" → ", "muted") + inline(there), hang=2)
        if not one.paths:
            yield Prose(ink("none: paths are taken as they were recorded", "muted"))
        if found := self._found.get(one.name):
            yield from _places(found)

    def _say(self, text: str) -> None:
        self.query_one(".hint", Static).update(ink(text))


def _where(one: TargetLine) -> str:
    login = f"{one.user}@{one.host}" if one.user else one.host
    return f"{login}:{one.port}" if one.port else login


def _places(discovered: messages.Discovered) -> Iterator[Block]:
    yield from lines.heading(f"Found on {discovered.name}")
    if not discovered.found:
        yield Prose(ink("The session names no interpreter, package or model by its path.", "muted"))
    for kind, recorded, places in discovered.found:
        head = Content("  ").join([inline(kind, "muted"), inline(recorded)])
        if len(places) == 1:
            same = places[0] == recorded
            yield Prose(head + ink(" is there" if same else " → ", "good") + inline("" if same else places[0]), hang=2)
        elif places:
            yield Prose(
                head + ink(f"  ? {len(places)} places, none is chosen; e sets one by hand:", "doubtful"), hang=2
            )
            yield from (Prose(inline(place), indent=4) for place in places)
        else:
            yield Prose(head + ink("  ✗ nothing like it was found", "bad"), hang=2)
    yield blank()
