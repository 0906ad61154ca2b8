"""What the pieces of a line look like, before anything around them is asked.

Shapes never depend on which digits a text has, only on where it has some: lines that differ in nothing but digits
have the same pieces, which is what `replay.output.forms` builds on.
"""

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_UNIT = r"(?:[KMGTPE]i?B|[KMGTPE]iB|B|bytes)"
_PER = r"(?:tokens?/s|it/s|s/it|[KMGT]i?B/s|TFLOPS?(?:/s)?|req(?:uests)?/s)"
_HEX8 = r"[0-9a-fA-F]{8}"
_UUID = rf"{_HEX8}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{12}}"
_SPECIAL = (
    rf"(?:{_DAY}|{_MONTH}|GPU-|MIG-|[IWEF]\d{{4}}|sha256:|v\d|{_HEX8}|https?:|(?:chat)?cmpl-|req-|tmp|torchelastic_|"
    r"[0-9a-fA-F]{2}:)"
)
_BUS = r"[0-9a-fA-F]{2}:[0-9a-fA-F]{2}"
_TMP = r"/tmp/"  # noqa: S108 - a pattern, not a place
_TEMPORARY = (
    rf"{_TMP}(?:tmp\.?\w{{6,10}}|torchelastic_\w+|pip-[a-z-]+-\w{{8}})(?![\w])|"
    r"(?<![\w])(?:tmp(?=[a-z]*[\d_])[a-z0-9_]{8}|torchelastic_\w{8,})(?![\w])|"
    r"/(?:tmp/)?ray/session_[\d_-]+|/dev/shm/[\w.]*(?:psm_|sem\.|torch_)\w+"
)
_SHAPES = (
    ("space", r"[ \t]+"),
    ("word", rf"(?!{_SPECIAL})[A-Za-z_]\w*"),  # most of a line, told early from all that begins with a letter
    ("url", r"https?://[^\s\"'<>)\]]+"),
    ("time", rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z|[ ]?[+-]\d\d:?\d\d)?"),
    ("time", rf"{_DAY} {_MONTH} [ \d]?\d {_CLOCK}(?: [A-Z]{{3,4}})? \d{{4}}"),
    ("time", rf"\d\d/{_MONTH}/\d{{4}}:\d\d:\d\d:\d\d [+-]\d{{4}}"),
    ("time", rf"{_MONTH} [ \d]?\d {_CLOCK}"),
    ("time", rf"\d\d-\d\d {_CLOCK}"),
    ("time", r"(?<![\w])[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6}"),
    ("time", r"(?<![\w])\d{8}-\d{6}(?![\w])"),
    ("listed", rf"(?<![\w]){_MONTH} [ \d]\d (?:\d\d:\d\d| \d{{4}})(?![\w:])"),
    ("mac", r"(?<![\w:])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?![\w:])"),
    ("pci", rf"(?<![\w:.])(?:[0-9a-fA-F]{{4,8}}:{_BUS}(?:\.\d)?|{_BUS}\.\d)(?![\w:.])"),
    ("clock", rf"(?<![\w:.]){_CLOCK}(?![\w:])"),
    ("dmesg", r"^\[ *\d+\.\d{6}\]"),
    ("progress", r"\[\d+:\d\d(?::\d\d)?<(?:\d+:\d\d(?::\d\d)?|\?), [^\]]*\]"),
    ("progress", r"[\d.]+ [kMG]?B/s eta [\d:-]+"),
    ("gpu", rf"(?:GPU|MIG)-{_UUID}"),
    ("request", rf"(?<![\w])(?:(?:chat)?cmpl|req)-(?:{_UUID}|[0-9a-f]{{16,32}})(?![\w])"),
    ("uuid", rf"(?<![\w]){_UUID}(?![\w])"),
    ("address", r"(?<![\w])0x[0-9a-fA-F]+(?![\w])"),
    ("temporary", _TEMPORARY),
    ("digest", r"sha256:[0-9a-f]{12,64}(?![\w])"),
    ("hash", r"(?<![\w])[0-9a-f]{32,128}(?![\w])"),
    ("short", r"(?<![\w])[0-9a-f]{12}(?![\w])"),
    ("path", r"(?<![\w.])~?/[\w.+@%:~-]+(?:/[\w.+@%:~=-]*)+"),
    ("rate", rf"(?<![\w.])\d+(?:\.\d+)? ?{_PER}(?![\w])"),
    ("size", rf"(?<![\w.])\d+(?:\.\d+)? ?{_UNIT}(?![\w/])"),
    ("duration", r"(?<![\w.])(?:\d+m)?\d+(?:\.\d+)? ?(?:s|ms|us|µs|ns|secs?|seconds|minutes|hours|min)(?![\w/])"),
    ("percent", r"(?<![\w.])\d+(?:\.\d+)? ?%"),
    ("ip", r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.+-])"),
    ("version", r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+.]?[\w+]+)*|(?<![\w.])\d+\.\d+(?:\.\d+)?[+-][\w.+]+"),
    ("number", r"[-+]?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])"),
    ("word", r"\w+"),
    ("ruler", r"([-=*#~_])\1{7,}"),
    ("sign", r"."),
)  # fmt: skip
_NAMES = [f"{name}_{place}" for place, (name, _) in enumerate(_SHAPES)]
# Groups inside a shape would shift a numbered backreference: the one there is gets a name.
_PATTERN = "|".join(f"(?P<{name}>{shape})" for name, (_, shape) in zip(_NAMES, _SHAPES, strict=True))

PIECE = re.compile(_PATTERN.replace(r"([-=*#~_])\1{7,}", r"(?P<drawn>[-=*#~_])(?P=drawn){7,}"))
"""Matches the next piece of a line; `SHAPE` of its last group's name says which it is."""
SHAPE = {name: shape for name, (shape, _) in zip(_NAMES, _SHAPES, strict=True)}

_LEVEL = r"(?:INFO|WARN(?:ING)?|ERROR|DEBUG|CRITICAL|FATAL)\b"
LOGGED = re.compile(
    rf"^(?:\(\w+(?: pid=\d+)?\) ?)?(?:\[?{_LEVEL}|\[?\d{{4}}[-/]\d\d[-/]\d\d|{_MONTH} [ \d]?\d {_CLOCK}|"
    r"[IWEF]\d{4} |\[ *\d+\.\d+\]|real\t|user\t|sys\t)"
)
"""Matches the beginning of a line that tells of something that happened, and so may hold durations."""
FRAME = re.compile(r"\s*(?:frame )?#\d+")
"""Matches a line of a native stack."""
