"""Secrets that do not stand in one piece, and forms that only some programs have: nothing of them may stay."""

import pytest

from sessions.ingest.display import clean
from sessions.ingest.redact import Redactor

MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"
TOKEN = "ghp" + "_" + MIXED
OTHER = "ghp" + "_" + MIXED[::-1]
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0", MIXED))
ROWS = [f"{n:02d}" + MIXED + MIXED[:26] for n in range(6)]
BEGIN, END = (f"-----{word} OPENSSH {'PRIVATE'} KEY-----" for word in ("BEGIN", "END"))
WORD = "hunter" + "2"


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(b"one key for all tests")


def _left(secret: str, text: str) -> list[str]:
    """Return the pieces of six characters of `secret` that still stand in `text`."""
    return [secret[at : at + 6] for at in range(4, len(secret) - 5) if secret[at : at + 6] in text]


@pytest.mark.parametrize(
    "gap", ["\r", "\n", "\r\n", "\n    ", "\u200b", "\0", "\b", "\x1b[0m", "\\\n", "''", '""'], ids=repr
)
@pytest.mark.parametrize("at", [9, 20, 30])
@pytest.mark.parametrize("secret", [TOKEN, JWT], ids=["github", "jwt"])
def test_a_secret_in_two_pieces_goes_whole(redactor: Redactor, secret: str, at: int, gap: str) -> None:
    text = f"the token {secret[:at]}{gap}{secret[at:]} and more"
    for shown in (redactor.text(clean(text)), redactor.command(clean(text))):
        assert _left(secret, shown) == []
        assert shown.startswith("the token ")
        assert shown.endswith(" and more")


def test_a_secret_in_pieces_is_the_same_as_in_one(redactor: Redactor) -> None:
    wrapped = "\n".join((TOKEN[:12], TOKEN[12:24], TOKEN[24:]))
    assert redactor.text(wrapped) == redactor.text(TOKEN)


@pytest.mark.parametrize("rest", ["done now", "12 files changed", "README.md", "Makefile", "ok"])
def test_the_line_behind_a_secret_stays(redactor: Redactor, rest: str) -> None:
    assert redactor.text(f"{TOKEN}\n{rest}") == f"{redactor.text(TOKEN)}\n{rest}"


def test_secrets_below_each_other_stay_apart(redactor: Redactor) -> None:
    assert redactor.text(f"{TOKEN}\n{OTHER}") == f"{redactor.text(TOKEN)}\n{redactor.text(OTHER)}"


@pytest.mark.parametrize("text", ["hf_model\nloaded 3 files", "sk-learn\nscikit x1", "the sk-\nlive", "eyJ\nx1y2z3"])
def test_what_only_begins_like_one_stays(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


@pytest.mark.parametrize(
    "lines",
    [
        [*ROWS[2:], "Qx==", END],
        [ROWS[0][20:], *ROWS[1:], END],
        [BEGIN, *ROWS[:2], ROWS[2][:14], "... [20 lines truncated] ..."],
        ["... [20 lines truncated] ...", *ROWS[4:], "Qx==", END],
    ],
    ids=["end", "within a row", "beginning", "end behind a note"],
)
def test_a_part_of_a_key_goes(redactor: Redactor, lines: list[str]) -> None:
    shown = redactor.text("\n".join(("before", *lines, "after")))
    assert [piece for row in ROWS for piece in _left(row, shown)] == []
    assert shown.startswith("before\n")
    assert shown.endswith("after")


@pytest.mark.parametrize(
    "form",
    [
        "<password>{}</password>",
        '<db:password type="plain">{}</db:password>',
        "machine git.example.org login me password {}",
        "machine git.example.org\n  login me\n  password {}\n",
        "htpasswd -b /etc/users me {}",
        "htpasswd -nbB me {}",
        "openssl enc -aes-256-cbc -k {} -in x",
        "openssl enc -k {}",
    ],
)
def test_forms_of_single_programs(redactor: Redactor, form: str) -> None:
    for shown in (redactor.text(form.format(WORD)), redactor.command(form.format(WORD))):
        assert WORD not in shown
        assert "<redacted:password:" in shown


def test_a_password_that_printf_hands_to_sudo(redactor: Redactor) -> None:
    shown = redactor.command(rf"printf '%s\n' '{WORD}' | sudo -S id")
    assert WORD not in shown
    assert shown.endswith("' | sudo -S id")


@pytest.mark.parametrize("text", ["<subagent_tokens>1198543</subagent_tokens>", "<max_token>4096</max_token>"])
def test_counts_in_elements_stay(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


@pytest.mark.parametrize("name", ["mcp__{}", "backup_{}", "x_{}.txt"])
def test_a_secret_within_a_name_goes(redactor: Redactor, name: str) -> None:
    assert _left(TOKEN, redactor.text(name.format(TOKEN))) == []
