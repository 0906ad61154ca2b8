"""What to replay and where: the form in front of a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Container
from textual.suggester import SuggestFromList
from textual.widgets import Input, RadioSet, Static

from tui.messages import TargetLine
from tui.widgets.dialog import Radio, buttons, label
from tui.widgets.ink import inline

_HERE = "local and sandbox, both this machine"


@dataclass(frozen=True, slots=True)
class Selection:
    """Steps that can be replayed together, and what they are called."""

    name: str
    steps: Sequence[int]


class Form(Container):
    """Which steps, on which targets, and which recorded host stands for which."""

    def __init__(self, selections: Sequence[Selection]) -> None:
        super().__init__(id="form")
        self._selections = selections

    def compose(self) -> ComposeResult:
        """Lay out the fields."""
        radios = [Radio(inline(one.name), value=number == 0) for number, one in enumerate(self._selections)]
        yield label("which steps", first=True)
        yield RadioSet(*radios, id="which", classes="-upright")
        yield label("hosts in the log")
        yield Static("", id="recorded")
        yield label("run on: targets, or hosts of ~/.ssh/config; a range: gpu[1-8]")
        yield Input(id="target")
        yield Static("", id="known")
        yield label("if they are several: RECORDED=TARGET, and so on")
        yield Input(id="map")
        yield buttons("Plan")

    def name_hosts(self, hosts: Sequence[str]) -> None:
        """Name the hosts on which the steps ran."""
        told = ", ".join(hosts) or "none: these steps ran on the agent's own machine"
        self.query_one("#recorded", Static).update(inline(told))

    def propose(self, targets: Sequence[TargetLine]) -> None:
        """Name the targets that the targets file has; what is typed is completed from them."""
        told = [one.name + (f" for {', '.join(one.recorded)}" if one.recorded else "") for one in targets]
        self.query_one("#known", Static).update(inline("known: " + " · ".join((*told, _HERE)), "faint"))
        names = [*(one.name for one in targets), "local", "sandbox"]
        self.query_one("#target", Input).suggester = SuggestFromList(names)

    @property
    def targets(self) -> Sequence[str]:
        """The names and ranges of the targets."""
        return self.query_one("#target", Input).value.split()

    @property
    def mapping(self) -> Mapping[str, str]:
        """Recorded host to target."""
        words = self.query_one("#map", Input).value.replace(",", " ").split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    @property
    def steps(self) -> Sequence[int]:
        """The steps that are chosen."""
        return self._selections[max(self.query_one(RadioSet).pressed_index, 0)].steps
