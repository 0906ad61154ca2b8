"""The escapes of ``$'…'``, as bash reads them in a UTF-8 locale."""

import re

_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})"
    r"|U(?P<long>[0-9a-fA-F]{1,8})|c(?P<control>[A-Za-z])|(?P<plain>.))",
    re.DOTALL,
)
_NAMED = {
    "a": b"\a", "b": b"\b", "e": b"\x1b", "E": b"\x1b", "f": b"\f", "n": b"\n", "r": b"\r", "t": b"\t", "v": b"\v",
    "\\": b"\\", "'": b"'", '"': b'"', "?": b"?",
}  # fmt: skip


def decode_ansi(content: str) -> str | None:
    r"""The text between ``$'`` and ``'`` with its escapes replaced.

    None if the bytes are not UTF-8, hold a NUL (at which bash cuts), or an escape has no digits.
    """
    out = bytearray()
    place = 0
    for found in _ESCAPE.finditer(content):
        out += content[place : found.start()].encode("utf-8", "replace")
        piece = _value(found)
        if piece is None:
            return None
        out += piece
        place = found.end()
    out += content[place:].encode("utf-8", "replace")
    if 0 in out:
        return None
    try:
        return out.decode()
    except UnicodeDecodeError:
        return None


def _value(found: re.Match[str]) -> bytes | None:
    kind, digits = found.lastgroup, found.group(found.lastgroup or 0)
    if kind == "octal":
        return bytes([int(digits, 8) & 0xFF])
    if kind == "hex":
        return bytes([int(digits, 16)])
    if kind in {"short", "long"}:
        return _encode(int(digits, 16))
    if kind == "control":
        return bytes([ord(digits.upper()) & 0x1F])
    if digits in "xuUc":
        return None
    return _NAMED.get(digits, b"\\" + digits.encode("utf-8", "replace"))


def _encode(code: int) -> bytes | None:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 -- the bounds of Unicode
        return None
    return chr(code).encode()
