r"""What a secret looks like: the rule table, in RE2's syntax.

The capturing groups of a rule hold the secret; everything outside them stays in the text. Rules are tried together, at
each place of the text in this order. A rule with an `accept` is asked once more about what it found, because RE2, in
exchange for linear time on hostile text, has no look-around.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sessions.ingest.secrets import judge

Accept = Callable[[str, str], bool]
"""Called with what stands before the secret within the match, and the secret."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a secret shows; `kind` goes into the token that replaces it."""

    kind: str
    pattern: str
    accept: Accept | None = None


# A word's beginning, also inside a name, right behind a JSON escape, a colour code printed as text, or a URL escape.
_START = r"(?:\b|_|\\[nrtbf]|\[[0-9;]*m|%[0-9A-Fa-f]{2})"
_SEPARATOR = r"""(?:\\*["'])?[ \t]*(?:=>|:=|==?|:)[ \t]*"""
_BARE = r"""(?:[^\s"'`;&|<>\\]|\\[^\nrntu"'\\])+"""
_VALUE = rf"""(?:\\+"([^"\\\n]+)|"((?:[^"\\\n]|\\[^\n])+)|'([^'\n]+)|({_BARE}))"""
_WORD = (  # of a shell, at any depth of quoting
    r"""(?:'\\''([^'\n]+)'\\''|\\+"([^"\\\n]+)|"((?:[^"\\\n]|\\[^\n])+)|'([^'\n]+)|"""
    r"""((?:[^\s"'`;&|<>()\\]|\\[^\n])+))"""
)
_PAIR = (  # user:password as one word
    r"""(?:\\+"[^"\\:\n]+:([^"\\\n]+)|"[^":\n]+:((?:[^"\\\n]|\\[^\n])+)|'[^':\n]+:([^'\n]+)|"""
    r"""[^\s:"'`;&|<>()\\]+:((?:[^\s"'`;&|<>()\\]|\\[^\n])+))"""
)
_REST = r"[^\n;&|]*?[ \t]"

SKIP = Rule("", r"(<redacted:[a-z0-9-]+:[0-9a-f]{4}>)")
"""A token of ours, stepped over whole."""

_PROVIDER_PATTERNS = (
    ("github", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    ("gitlab", r"gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent|oas|imt)-[A-Za-z0-9_.-]{16,}"),
    ("huggingface", r"hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}"),
    ("anthropic", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", r"sk-[A-Za-z0-9_-]{20,}"),
    ("google", r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}"),
    ("azure", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}"),
    ("slack", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"),
    ("npm", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi", r"pypi-[A-Za-z0-9_-]{30,}"),
    ("stripe", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"),
    ("docker", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("groq", r"gsk_[A-Za-z0-9]{20,}"),
    ("xai", r"xai-[A-Za-z0-9]{20,}"),
    ("nvidia", r"nvapi-[A-Za-z0-9_-]{20,}"),
    ("perplexity", r"pplx-[A-Za-z0-9]{20,}"),
    ("replicate", r"r8_[A-Za-z0-9]{30,}"),
    ("sendgrid", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("digitalocean", r"do[opr]_v1_[a-f0-9]{32,}"),
    ("databricks", r"dapi[a-f0-9]{32}"),
    ("vault", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("tailscale", r"tskey-[a-z]+-[A-Za-z0-9-]{16,}"),
    ("shopify", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("grafana", r"gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}"),
    ("linear", r"lin_api_[A-Za-z0-9]{20,}"),
    ("telegram", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("age", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"),
)

BREAK = r"(?:\\\r?\n|\r?\n[ \t]*|\xe2\x90(?:\x8d|[\x80-\x9f]|\xa1)|\\u\{[0-9a-f]{2,6}\}|''|\"\")"
"""What may stand in the middle of a secret that is shown in one piece, in bytes: a line's end where a terminal wrapped
it, with or without a backslash; a control or an invisible character made visible; quotes with nothing in them."""

SPLIT = (
    rf"{_START}((?:gh[pousr]_|github_pat_|gl[a-z]{{2,5}}-|hf_|sk-|AKIA|ASIA|AIza|ya29\.|xox[abeoprs]-|npm_|pypi-|[sr]k_live_|"
    r"dckr_[a-z]{3}_|gsk_|xai-|nvapi-|r8_|hvs\.|do[opr]_v1_|dapi|lin_api_|tskey-|eyJ)"
    rf"[A-Za-z0-9_.-]*(?:{BREAK}[A-Za-z0-9_.-][A-Za-z0-9_.-]+)+)"
)
"""A word that begins like a provider's secret, and goes on behind a break."""

PROVIDERS: tuple[Rule, ...] = (
    Rule("aws", r"(?:^|[^A-Za-z0-9+/])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9+]|$)"),
    Rule("aws", r"(?:\\[nrtbf]|\[[0-9;]*m|%[0-9A-Fa-f]{2})((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?:[^A-Za-z0-9+]|$)"),
    *(Rule(kind, f"{_START}({pattern})", judge.provider_token) for kind, pattern in _PROVIDER_PATTERNS),
)
"""Secrets that tell by their own form whose they are."""

_JUNK = r"""[\s\\nr|>+:,"'0-9\x80-\xff-]{0,40}"""
_BODY = r"""[A-Za-z0-9+/=\s\\|>:,."'()#*\x80-\xff]"""
_KEY_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"

KEYS: tuple[Rule, ...] = (
    Rule(
        "private-key",
        r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        rf"""(?:(?:-?{_BODY})*?{_KEY_END}|(?:{_JUNK}[A-Za-z0-9+/=]{{16,}})+(?:\n[A-Za-z0-9+/=]{{4,15}}\b)?))""",
        judge.key_material,
    ),
    Rule("hash", r"(\$(?:1|5|6|y|2[aby])\$[./A-Za-z0-9$]{20,})"),
)

KEY_TAILS: tuple[Rule, ...] = (
    Rule(
        "private-key",
        rf"((?:[A-Za-z0-9+/=]{{16,29}}{_JUNK})?(?:[A-Za-z0-9+/=]{{30,}}{_JUNK})+"
        rf"(?:[A-Za-z0-9+/=]{{1,29}}{_JUNK})?{_KEY_END})",
    ),
)
"""The end of a private key whose beginning was cut off; apart, for it may begin at every word and slows the others."""

_ELEMENT = r"(?:[ \t][^<>\n]*)?>([^\s<>][^<>\n]*)</"

_NAMES = (
    r"(?:api|access|secret|private|auth|account|shared[_-]?access|encryption|signing|service|license|master|subscription)"
    r"[_-]?key|secret[_-]?access[_-]?key|(?:access|auth|refresh|session|security|id|bearer|private|bot|hf|github|gitlab|npm|pypi|"
    r"api|csrf|deploy|job|registry|personal)[_-]?token|client[_-]?secret|credentials?|x-auth|authtoken"
)

NAMED: tuple[Rule, ...] = (
    Rule(
        "bearer",
        r"""(?i:authorization)(?:\\*["'])?[ \t]*[:=][ \t]*(?:\\*["'])?(?i:bearer|token|apikey|negotiate|digest)[ \t]+"""
        r"""([^\s"'`\\<>]+)""",
        judge.argument,
    ),
    Rule(
        "basic",
        r"""(?i:authorization)(?:\\*["'])?[ \t]*[:=][ \t]*(?:\\*["'])?(?i:basic)[ \t]+([A-Za-z0-9+/=_-]{4,})""",
        judge.argument,
    ),
    Rule("bearer", r"\b(?i:bearer)[ \t]+([A-Za-z0-9._~+/=-]{12,})", judge.bearer),
    Rule("cookie", r"""(?i:\b(?:set-)?cookie)(?:\\*["'])?[ \t]*:[ \t]*(?:\\*["'])?([^\r\n"'`\\]+)""", judge.cookie),
    Rule(
        "password",
        rf"(?i:[a-z0-9_.-]*(?:password|passwd|passphrase|passwort|pwd|secret)){_SEPARATOR}{_VALUE}",
        judge.password,
    ),
    Rule("password", rf"\b(?:[A-Z0-9_]*_PASS|SSHPASS|REDISCLI_AUTH)={_VALUE}", judge.password),
    Rule("key", rf"(?i:[a-z0-9_.-]*(?:{_NAMES})){_SEPARATOR}{_VALUE}", judge.named_secret),
    Rule("key", rf"[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|SECRET|CREDENTIALS?){_SEPARATOR}{_VALUE}", judge.named_secret),
    Rule("token", rf"(?i:[a-z0-9_.-]*token){_SEPARATOR}{_VALUE}", judge.token),
    Rule("password", rf"<(?i:[a-z0-9_.:-]*(?:password|passwd|passphrase|secret)){_ELEMENT}", judge.password),
    Rule("token", rf"<(?i:[a-z0-9_.:-]*(?:token|(?:api|private|access)[_-]?key)){_ELEMENT}", judge.token),
    Rule("password", r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S+)", judge.argument),
    Rule("password", r"""[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'`<>\\]*:([^\s/"'`<>\\]+)@""", judge.argument),
    Rule("token", r"https?://([A-Za-z0-9_-]{20,})@", judge.bearer),
    Rule("password", r"(?i:[a-z][a-z0-9+.-]*%3A%2F%2F[^\s/:@%]*%3A)([^\s/]+?)%40", judge.argument),
    Rule("signature", r"[?&](?:sig|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=([A-Za-z0-9%+/=_-]{16,})"),
    Rule("slack", r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{16,})"),
    Rule("discord", r"discord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_-]{20,})"),
)
"""Secrets that only their surroundings give away."""

_FLAGS = r"(?:password|passwd|passphrase|pass|api-?key|token|secret(?:-?key)?|access-?key|private-?token)"

SHELL: tuple[Rule, ...] = (
    Rule("password", rf"\bsshpass(?:[ \t]+-[a-zA-Z]+)*?[ \t]+-p[ \t]*{_WORD}", judge.argument),
    Rule(
        "password",
        rf"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli)\b{_REST}-p{_WORD}",
        judge.argument,
    ),
    Rule("password", rf"\b7z[ar]?[ \t]{_REST}-p{_WORD}", judge.argument),
    Rule("password", rf"\bredis-cli\b{_REST}-a[ \t]*{_WORD}", judge.argument),
    Rule(
        "password",
        r"\b(?:mongo|mongosh|mongodump|mongorestore|rabbitmqadmin|"
        rf"(?:docker|podman|skopeo|buildah|helm|oc|az|nerdctl)[ \t][^\n;&|]*?login)\b{_REST}-p[ \t=]+{_WORD}",
        judge.argument,
    ),
    Rule("password", rf"\b(?:sqlcmd|ipmitool|unzip|zip|rdesktop)\b{_REST}-P[ \t]*{_WORD}", judge.argument),
    Rule("password", rf"\bldap(?:search|add|modify|whoami|delete|passwd)\b{_REST}-w[ \t]*{_WORD}", judge.argument),
    Rule(
        "password",
        rf"\b(?:curl|wget|http|xh)\b{_REST}(?:-[a-zA-Z]*u|-U|-a|--user|--proxy-user|--auth)[ \t=]*{_PAIR}",
        judge.argument,
    ),
    Rule(
        "password",
        rf"\bhtpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:[^\s;&|]+[ \t]+){{1,3}}?{_WORD}[ \t]*(?:[\n;&|]|$)",
        judge.argument,
    ),
    Rule("password", rf"\bopenssl[ \t]+(?:enc|aes[a-z0-9-]+)[ \t](?:{_REST})?-[kK][ \t]+{_WORD}", judge.argument),
    Rule("password", rf"\bsmbclient\b{_REST}-U[ \t]*[^\s%'\"]+%({_BARE})", judge.argument),
    Rule("password", rf"\b(?i:-pass(?:in|out)|--passphrase)[ \t=]+pass:({_BARE})", judge.argument),
    Rule("password", rf"--(?:[a-z]+-)*{_FLAGS}(?:=|[ \t]+){_WORD}", judge.flag),
)
"""Secrets on command lines, wherever those are quoted."""

COMMAND: tuple[Rule, ...] = (
    Rule("password", rf"--(?:[a-z]+-)*{_FLAGS}(?:=|[ \t]+){_WORD}", judge.bare_argument),
    Rule(
        "password",
        rf"\b(?:echo|printf)[ \t]+(?:-[a-zA-Z]+[ \t]+)*(?:[\"']?%s(?:\\n)?[\"']?[ \t]+)?{_WORD}[\"']?[ \t]*\|[ \t]*"
        r"(?:sudo[ \t]+(?:-[a-zA-Z]+[ \t]+)*-[a-zA-Z]*S|su\b|(?:sudo[ \t]+)?(?:ch)?passwd\b|"
        r"(?:docker|podman|gh)\b[^\n|;&]*login)",
        judge.argument,
    ),
    Rule("password", rf"\bsudo[ \t][^\n|;&]*-[a-zA-Z]*S\b[^\n|;&]*<<<[ \t]*{_WORD}", judge.argument),
)
"""Rules that hold only where the text is known to be a command."""

TEXT_RULES: tuple[Rule, ...] = (SKIP, *KEYS, *PROVIDERS, *NAMED, *SHELL)
