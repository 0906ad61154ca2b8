"""How text becomes something Textual draws: harmless first, then in one of the few named inks of the theme.

A plain ``str`` is markup to Textual, and an escape sequence in it reaches the terminal. So nothing here or above ever
hands over a ``str`` from a log: `ink` and `inline` make it safe and wrap it, and every widget takes `Content`.
"""

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from sessions.ingest import display
from sessions.models.hypothesis import DEAD_ENDS, MARKS, Hypothesis

INKS = frozenset({
    "muted", "faint", "strong", "accent", "code", "quote", "gutter", "confirmed", "refuted", "abandoned", "open",
    "supports", "refutes", "neutral", "claimed", "contradicted", "good", "bad", "doubtful", "root", "heading",
})  # fmt: skip
"""Names of the inks; each is the class ``ink--NAME`` of the style sheet."""

CLASSES = frozenset({f"ink--{name}" for name in INKS})
"""What a widget or screen that draws with inks lists in its COMPONENT_CLASSES."""

LONGEST = 4_000
"""Characters of a text that a one-line cell looks at."""


def ink(text: str, name: str = "") -> Content:
    """Return `text`, made harmless, newlines kept, in the ink `name` (none: the widget's own)."""
    return Content.styled(display.safe(text), f".ink--{name}" if name else "")


def inline(text: str, name: str = "") -> Content:
    """Return `text` as one harmless line in the ink `name`; only its first part is looked at."""
    return Content.styled(display.line(text[:LONGEST]), f".ink--{name}" if name else "")


def fit(content: Content, width: int) -> Content:
    """Return `content` in exactly `width` cells, cut with an ellipsis or padded."""
    return content.truncate(max(width, 0), ellipsis=True, pad=True)


def right(content: Content, width: int) -> Content:
    """Return `content` at the right edge of `width` cells."""
    missing = width - content.cell_length
    return content.pad_left(missing) if missing > 0 else fit(content, width)


def mark(hypothesis: Hypothesis) -> Content:
    """Return the mark of a hypothesis in the ink of its verdict; the root has one of its own."""
    if hypothesis.root:
        return ink("◆", "root")
    return ink(MARKS[hypothesis.verdict], hypothesis.verdict)


def verdict_words(hypothesis: Hypothesis) -> str:
    """Return what the verdict means, in words: ``refuted, a dead end``."""
    if hypothesis.verdict in DEAD_ENDS:
        return f"{hypothesis.verdict}, a dead end"
    return {"confirmed": "confirmed, a cause", "open": "open, undecided when the log ends"}[hypothesis.verdict]


def paint(widget: Widget, content: Content, width: int, base: Style) -> Strip:
    """Draw one line of `content` for `widget` over the style `base`, in exactly `width` cells."""

    def look(style: str | Style) -> Style:
        if isinstance(style, Style):
            return style
        # Not get_visual_style(partial=True): that loses opaque backgrounds.
        return Style.from_styles(widget.get_component_styles(style.removeprefix("."))) if style else Style.null()

    segments = [Segment(text, style.rich_style) for text, style in content.render(base, "", look)]
    return Strip(segments).adjust_cell_length(width, base.rich_style)
