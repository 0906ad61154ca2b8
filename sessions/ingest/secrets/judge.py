"""A second look at what a rule found, for a variable or a word of prose may stand where a secret would.

Each function is given what stands before the value within the match, and the value, and tells whether it is one.
"""

import re

from sessions.ingest.secrets import MARK

LONGEST = 2_000
"""Characters of a value that is looked at; a longer one in one piece is taken for a secret, whatever it is."""

_PLACEHOLDER = re.compile(
    r"\$[\w{(@].*|<.*|\{.*\}|\[.*\]|%s|%\(\w+\)s|%\w+%|(.)\1*|.*\.\.\.|.*…|x{3,}.*|[\w-]*redacted[\w-]*"
    r"|(?:none|null|nil|true|false|undefined|empty|unset|str|string|bytes|any)[,;)}\]]*|optional|required|hidden|masked|prompt|n/a"
    r"|your[-_ ].*|my[-_](?:token|key|api[-_]?key)|\w+_(?:password|passwd|token|key|secret)"
    r"|(?:self|args|config|os|process|settings|cfg|opts|options|params|kwargs|request|env|this|ctx|user|secrets|vars?"
    r"|local)\..*|[A-Za-z_][A-Za-z_.]*[(\[].*",
    re.IGNORECASE | re.DOTALL,
)
_PATH = re.compile(r"(?:~|\.{0,2})/[\w.@-]+(?:/[\w.@-]{1,40})*/?|[\w-]+\.(?:pem|key|pub|txt|json|ya?ml|py|sh|toml)")
_CODE = re.compile(r"[a-z_]\w*(?:\??\.[a-z_]\w*)+!?|https?://.*", re.IGNORECASE)
_TYPE = re.compile(r"[A-Z][a-z]+(?:8|16|32|64)?[A-Z][a-z]+")
_HARMLESS_NAME = re.compile(
    r"(?:^|[_-])(?:eos|bos|pad|unk|sep|cls|mask|image|audio|video|stop|think|cache|sort|primary|foreign|partition|index|"
    r"public|host|group|lookup|dict|map|state|next|last|first|special|start|end)[_-](?:token|key)$",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Tell whether `value` stands for a secret without being one: a variable, a template, a call, a word like null."""
    return MARK in value or (len(value) <= LONGEST and _PLACEHOLDER.fullmatch(value) is not None)


def _is_code(before: str, value: str) -> bool:
    """Tell whether `value` is an attribute of something, written behind a name and a blank as programs have it."""
    word = value.rstrip(",;)}]")
    return (
        before.endswith((" ", "\t")) and word.isascii() and (_CODE.fullmatch(word) or _TYPE.fullmatch(word)) is not None
    )


def _is_random(value: str, shortest: int) -> bool:
    if len(value) > LONGEST:
        return True
    if len(value) < shortest or " " in value or _PATH.fullmatch(value) or _CODE.fullmatch(value):
        return False
    digit = any(c.isdigit() for c in value)
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return (digit and any(c.isalpha() for c in value)) or (
        mixed and not re.fullmatch(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)*", value)
    )


def _name(before: str) -> str:
    return re.split(r"""[\s"'\\=:]+""", before.strip(" \t\"'\\=:>"))[-1]


def password(before: str, value: str) -> bool:
    """A value under a name such as password: anything but a placeholder, a folder, a word of a sentence."""
    name = _name(before).lower()
    if is_placeholder(value) or _is_code(before, value) or value.lower().rstrip(",;)}") == name:
        return False
    if name.endswith("pwd") and value.startswith(("/", "~")):
        return False
    prose = before.endswith((" ", "\t")) and ":" in before and value.isalpha() and value.islower()
    return not prose or name.isupper()


def named_secret(before: str, value: str) -> bool:
    """A value under a name such as API_KEY: whatever a shell assigns, and otherwise what looks random."""
    name = _name(before)
    if (
        is_placeholder(value)
        or _is_code(before, value)
        or _HARMLESS_NAME.search(name)
        or _PATH.fullmatch(value)
        or value.isdigit()
    ):
        return False
    if name.isupper() and not before.endswith((" ", "\t")):
        return len(value) >= 6  # noqa: PLR2004 (shorter ones are words such as on, auto, file)
    return _is_random(value, 8)


def token(before: str, value: str) -> bool:
    """A value under the name token, which in logs of language models is mostly a word: only long and random ones."""
    harmless = is_placeholder(value) or _is_code(before, value) or _HARMLESS_NAME.search(_name(before))
    return not harmless and _is_random(value, 16)


def flag(_before: str, value: str) -> bool:
    """The word behind a flag such as --token in a text that may be prose or a help page."""
    return not is_placeholder(value) and not _PATH.fullmatch(value) and _is_random(value, 6)


def argument(_before: str, value: str) -> bool:
    """A word of a command line that only a secret can be."""
    return not is_placeholder(value) and not value.startswith("-")


def bare_argument(before: str, value: str) -> bool:
    """The word behind a flag such as --token in a command."""
    return argument(before, value) and not _PATH.fullmatch(value) and not value.isdigit()


def bearer(_before: str, value: str) -> bool:
    """What stands behind the word bearer, or alone as user information of a URL."""
    return not is_placeholder(value) and _is_random(value, 12)


def provider_token(_before: str, value: str) -> bool:
    """A token with a provider's prefix, not an identifier that begins alike."""
    return any(c.isdigit() or c.isupper() for c in value[4:])


def key_material(_before: str, value: str) -> bool:
    """A block of a private key, not only its first line quoted in a program."""
    return re.search(r"[A-Za-z0-9+/]{30}", value) is not None


def cookie(_before: str, value: str) -> bool:
    """A cookie with a value."""
    return "=" in value and not is_placeholder(value.split("=", 1)[1])
