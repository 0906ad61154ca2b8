"""A tree while edits are laid over it."""

from sessions.hypotheses.tree import is_under
from sessions.models.hypothesis import PERSON, Hypothesis, Tree


class Draft:
    """Nodes and candidates by key, and where merged ones went."""

    def __init__(self, tree: Tree) -> None:
        self.nodes = {h.key: h for h in tree.hypotheses}
        self.candidates = {h.key: h for h in tree.candidates}
        self.merged: dict[str, str] = {}
        self.note = tree.note
        taken = [h.id[1:] for h in (*tree.hypotheses, *tree.candidates)]
        self._last = max((int(n) for n in taken if n.isdigit()), default=0)

    def find(self, key: str | None) -> Hypothesis | None:
        """Return the node that `key` names now, merged ones followed."""
        while key in self.merged:
            key = self.merged[key]
        return self.nodes.get(key) if key is not None else None

    def touch(self, key: str, author: str) -> Hypothesis | None:
        """Return the node that `key` names; a candidate becomes one."""
        candidate = self.candidates.pop(key, None)
        if candidate is not None:
            self.put(candidate, parent=self.root_id(), source=f"{PERSON}{author}")
        return self.find(key)

    def put(self, node: Hypothesis, **changes: object) -> None:
        """Set fields of a node."""
        self.nodes[node.key] = node.model_copy(update=changes)

    def has(self, key: str) -> bool:
        """Return whether `key` itself, not one it was merged into, is there."""
        return key in self.nodes or key in self.candidates

    def drop(self, node: Hypothesis, into: Hypothesis | None = None) -> None:
        """Take a node out; later edits of it go to `into`."""
        del self.nodes[node.key]
        if into is not None:
            self.merged[node.key] = into.key

    def parents(self) -> dict[str, str | None]:
        """Return the parent of each node, by id."""
        return {h.id: h.parent for h in self.nodes.values()}

    def next_id(self) -> str:
        """Return an id that no node has or had."""
        self._last += 1
        return f"H{self._last}"

    def root_id(self) -> str | None:
        """Return the id of the symptom."""
        return next((h.id for h in self.nodes.values() if h.root), None)

    def rehang(self, old: str, new: str | None) -> None:
        """Hang the children of the node `old` under `new` (ids)."""
        for child in [h for h in self.nodes.values() if h.parent == old and h.id != new]:
            self.put(child, parent=new)

    def hang(self, node: Hypothesis, parent: str | None) -> None:
        """Hang a node under `parent` (ids); where that lies below the node, its branch takes the node's old place."""
        parents = self.parents()
        if parent is not None and is_under(node.id, parent, parents):
            for child in self.nodes.values():
                if child.parent == node.id and is_under(child.id, parent, parents):
                    self.put(child, parent=node.parent)
                    break
        self.put(self.nodes[node.key], parent=parent)

    def tree(self) -> Tree:
        """Return the tree as it stands."""
        return Tree(hypotheses=tuple(self.nodes.values()), candidates=tuple(self.candidates.values()), note=self.note)
