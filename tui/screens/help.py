"""The keys, on one page."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from tui.widgets.blocks import Block, Prose, blank
from tui.widgets.dialog import Dialog
from tui.widgets.document import Document
from tui.widgets.ink import ink

KEYS = (
    ("Moving", (
        ("↑ ↓  j k", "one up or down"),
        ("PgUp PgDn  g G", "a page; the first, the last"),
        ("Tab  Shift-Tab", "the next pane, the one before"),
        ("Enter", "open: a session; the step that decided a hypothesis; a step's output"),
        ("n N", "in a text: the next quote, the one before"),
        ("Esc", "one back"),
    )),
    ("In a session", (
        ("/", "search messages, commands and outputs"),
        ("f", "only the steps that are evidence for the chosen hypothesis"),
        ("m", "the messages around what is chosen"),
        ("c", "suspicions that were too weak for the tree"),
        ("e", "correct the chosen hypothesis"),
        ("E", "add, merge, remove; make a step evidence"),
        ("v", "review: settle what the analysis proposes, one key each"),
        ("r", "run its evidence again on a host: first the plan, nothing runs without your consent"),
        ("h", "what runs say of the evidence, host by host"),
        ("t", "the targets: add, change, try them; which recorded host they stand for, which paths lie elsewhere"),
        ("x", "write the post-mortem to a file"),
    )),
    ("In a review", (
        ("a x", "accept the proposed verdict; reject: it is no hypothesis"),
        ("c r b o", "another verdict: confirmed, refuted, abandoned, open"),
        ("p m s e", "hang it elsewhere, merge it, split it, correct all of it"),
        ("Enter", "the messages around its statement"),
        ("u", "undo"),
    )),
    ("In a plan", (
        ("Space", "consent to the step, or take it back; what is refused cannot be consented to"),
        ("a", "consent to all steps with the same programs and the same effect"),
        ("c  w", "ask also about recorded code, about writes: in a scratch folder on the target, or no longer"),
        ("y", "run it: what only reads, and what you consented to"),
        ("Esc", "leave; while it runs: end it, here and on the target"),
        ("▶ [ ] [x] ■", "runs; is asked about; you consented; is refused"),
    )),
    ("Marks", (
        ("✓ ✗ ⊘ ?", "confirmed, a cause; refuted and abandoned, dead ends; open"),
        ("▲ ▼ ◦", "a step that supports, refutes, or says neither; ● decided"),
    )),
    ("Everywhere", (
        ("?", "this page"),
        ("Ctrl-T", "light or dark"),
        ("q  Ctrl-C", "leave"),
    )),
)  # fmt: skip


class HelpScreen(ModalScreen[None]):
    """All keys and marks."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,question_mark", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """Lay out the dialog."""
        yield Dialog("Keys and marks", Document(), classes="-tall")

    def on_mount(self) -> None:
        """Fill the page."""
        page = self.query_one(Document)
        page.show(list(_page()))
        page.focus()


def _page() -> list[Block]:
    blocks: list[Block] = []
    for title, keys in KEYS:
        blocks += [blank()] if blocks else []
        blocks.append(Prose(ink(title.upper(), "heading")))
        blocks += [Prose(ink(f"{key:<18}", "accent") + Content(text), hang=18) for key, text in keys]
    return blocks
