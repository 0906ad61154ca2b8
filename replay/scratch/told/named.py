"""Whether a text speaks of a file: by its path, by its path from a folder, or as a Python module beside it."""

import re
from collections.abc import Iterator

from replay.scratch.changes import Place

_IMPORT = re.compile(r"^\s*import\s+([\w., \t]+)", re.MULTILINE)
_FROM = re.compile(r"^\s*from\s+\.?([\w.]*)\s+import\s+\(?([\w., \t]+)", re.MULTILINE)


def names(text: str, around: Place, place: Place) -> bool:
    """Tell whether a text that is read in the folder `around` speaks of the file `place`."""
    if (around.host, around.container) != (place.host, place.container):
        return False
    names = [place.path]
    folder = around.path.rstrip("/") + "/"
    if place.path.startswith(folder):
        names.append(place.path.removeprefix(folder))
    if any(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", text) for name in names):
        return True
    if place.path.startswith("/root/") and re.search(rf"(?<![\w./-])~{re.escape(place.path[5:])}(?![\w/-]|\.\w)", text):
        return True
    if not place.path.endswith(".py") or not place.path.startswith(folder):
        return False
    module = place.path.removeprefix(folder).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return any(found == module or found.startswith(module + ".") for found in _imports(text))


def _imports(text: str) -> Iterator[str]:
    """Yield the dotted names of the modules that a Python text may import."""
    for names in _IMPORT.findall(text):
        yield from (name.split()[0] for name in names.split(",") if name.split())
    for package, names in _FROM.findall(text):
        yield package
        yield from (f"{package}.{name.split()[0]}".lstrip(".") for name in names.split(",") if name.split())
