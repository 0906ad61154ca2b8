"""A session made by hand: a model that loads and speaks nonsense, five suspicions, two replays."""

from dataclasses import replace

import pytest

from sessions.ingest.display import clean
from sessions.ingest.events import About, Called, Returned, Said
from sessions.ingest.redact import Redactor, redact
from sessions.models.hypothesis import Cost, Evidence, Hypothesis, Support, Tree, Turn, Verdict
from sessions.models.replay import EvidenceStanding, HypothesisStanding, RunStep
from sessions.models.session import Message, Step, Tokens
from sessions.reports.collect import ReportData
from sessions.store.rows import RunRow, SessionRow

RULE = "rule:test"

TEXTS = (
    ("user", "The model loads on all eight GPUs, but every answer is incoherent. Find out why."),
    ("agent", "Maybe the chat template is wrong. Let me send a plain completion."),
    ("agent", "The known digits are at -20 to -24: not a template issue. Is the dequantization kernel wrong on SM120?"),
    ("agent", "CPU and GPU agree, so the kernel is fine. What if the Triton MLA backend misbehaves on SM120?"),
    ("agent", "The listing stops before supports_compute_capability. Let me look at the names in the file instead."),
    ("agent", "The map returns None for all of them: is the name map empty?"),
    ("agent", "I asked in the wrong direction. But the expert tensors stay unmapped: that is the cause."),
)

LISTING = "".join(f"{number:>4}  line {number} of the backend\n" for number in range(29, 71))

STEPS = (
    (
        "curl -s http://192.0.2.174:8000/v1/completions -d @digits.json",
        "token  logprob\n'2'    -20.31\n'3'    -24.07\n",
        1,
        1,
    ),
    ("ssh root@192.0.2.174 'python3 compare_dequant.py'", "tensor blk.0.attn_q.weight\nmax abs diff: 0.00012\n", 0, 2),
    ("ssh root@192.0.2.174 'sed -n \"29,70p\" /opt/ml/triton_mla.py' 2>&1", LISTING, 0, 3),
    ("ssh root@192.0.2.174 'python3 names.py'", "mapped: 0 of 1809\n", 0, 4),
    (
        "ssh root@192.0.2.174 'python3 names.py --reverse'",
        "mapped: 1593 of 1809\nunmapped: blk.3.ffn_gate_exps.weight\n",
        0,
        5,
    ),
)


@pytest.fixture
def data() -> ReportData:
    tree = Tree(
        hypotheses=_hypotheses(), candidates=(_hypothesis("C1", "The sampler's temperature is too high", "open"),)
    )
    return ReportData(session_row(), _messages(), _steps(), tree, _runs())


def session_row(*, title: str = "GLM answers are incoherent after loading", reconstructed: bool = False) -> SessionRow:
    return SessionRow(
        id="ses_41f7",
        format="opencode",
        agent="opencode",
        agent_version="1.2.0",
        title=title,
        model="glm-5",
        cwd="/root/work",
        started="2026-11-29T18:02:11.000Z",
        ended="2026-11-29T20:40:00.000Z",
        parent=None,
        live=False,
        reconstructed=reconstructed,
        source="/logs/ses_41f7.json",
        tokens=Tokens(input=120_000, output=8_000),
        messages=len(TEXTS),
        steps=len(STEPS),
        hypotheses=5,
        dead_ends=4,
        causes=1,
        note="",
    )


def _messages() -> tuple[Message, ...]:
    return tuple(
        Message(
            ordinal=n, role="user" if role == "user" else "agent", text=text, time=f"2026-11-29T18:{10 + n}:00.000Z"
        )
        for n, (role, text) in enumerate(TEXTS)
    )


def _steps() -> tuple[Step, ...]:
    return tuple(
        Step(
            ordinal=n,
            message=message,
            kind="shell",
            tool="bash",
            command=command,
            output=output,
            exit_code=code,
            duration=2.5 + n,
            started=f"2026-11-29T18:{10 + message}:30.000Z",
        )
        for n, (command, output, code, message) in enumerate(STEPS)
    )


def _hypothesis(
    name: str, statement: str, verdict: Verdict, support: Support = "claimed", **more: object
) -> Hypothesis:
    fields = {
        "id": name,
        "key": f"key-{name}",
        "statement": statement,
        "verdict": verdict,
        "support": support,
        "source": RULE,
    }
    return Hypothesis.model_validate({**fields, **more})


def _hypotheses() -> tuple[Hypothesis, ...]:
    return (
        _hypothesis("H0", "The model loads, then every answer is incoherent", "confirmed", "grounded", root=True),
        _hypothesis(
            "H1", "The chat template or the tokenizer is wrong", "refuted", "grounded",
            parent="H0", stated_in=1, decided_in=2,
            history=(Turn(message=2, verdict="refuted", quote="not a template issue", source=RULE),),
            evidence=(Evidence(step=0, stance="refutes", quote="'3'    -24.07", deciding=True, source=RULE),),
            cost=Cost(steps=1, seconds=62.0, tokens=1200),
        ),
        _hypothesis(
            "H2", "The dequantization kernel is wrong on SM120", "refuted", "grounded",
            parent="H0", stated_in=2, decided_in=3,
            history=(Turn(message=3, verdict="refuted", quote="so the kernel is fine", source=RULE),),
            evidence=(Evidence(step=1, stance="refutes", quote="max abs diff: 0.00012", deciding=True, source=RULE),),
            cost=Cost(steps=1, seconds=4000.0, tokens=5400),
        ),
        _hypothesis(
            "H3", "The Triton MLA backend is wrong on SM120", "abandoned", parent="H0", stated_in=3, decided_in=4,
            history=(Turn(message=4, verdict="abandoned", quote="Let me look at the names in the file", source=RULE),),
            evidence=(Evidence(step=2, stance="neutral", quote="50  line 50 of the backend", source=RULE),),
            cost=Cost(steps=1, seconds=300.0),
        ),
        *_mapping(),
    )  # fmt: skip


def _mapping() -> tuple[Hypothesis, ...]:
    return (
        _hypothesis(
            "H4", "The tensor name map returns nothing", "refuted", "grounded",
            parent="H0", stated_in=5, decided_in=6,
            history=(
                Turn(message=5, verdict="confirmed", quote="mapped: 0 of 1809", source=RULE),
                Turn(message=6, verdict="refuted", quote="I asked in the wrong direction.", source=RULE),
            ),
            evidence=(
                Evidence(step=3, stance="supports", quote="mapped: 0 of 1809", source=RULE),
                Evidence(step=4, stance="refutes", quote="mapped: 1593 of 1809", deciding=True, source=RULE),
            ),
            cost=Cost(steps=2, seconds=120.0),
        ),
        _hypothesis(
            "H5", "The expert tensors are not mapped without manual overrides", "confirmed", "grounded", parent="H4",
            stated_in=6, decided_in=6,
            history=(Turn(message=6, verdict="confirmed", quote="that is the cause", source=RULE),),
            evidence=(
                Evidence(step=4, stance="supports", quote="unmapped: blk.3.ffn_gate_exps", deciding=True, source=RULE),
            ),
            cost=Cost(steps=1, seconds=90.0),
        ),
    )  # fmt: skip


def _runs() -> tuple[RunRow, ...]:
    return (
        RunRow(
            number=1,
            session="ses_41f7",
            target="lab",
            started="2026-11-30T09:00:00.000Z",
            finished="2026-11-30T09:01:00.000Z",
            fingerprint={"kernel": "6.12"},
            plan=(),
            steps=(
                RunStep(
                    step=2,
                    outcome="completed",
                    comparison="equivalent",
                    rules=("line-ends",),
                    exit_code=0,
                    output=LISTING,
                ),
                RunStep(step=1, outcome="refused", reasons=("runs code",)),
            ),
            standings=(
                EvidenceStanding(hypothesis="H3", step=2, standing="holds"),
                EvidenceStanding(hypothesis="H2", step=1, standing="undetermined", why="the step was refused"),
            ),
            worths=(
                HypothesisStanding(hypothesis="H3", worth="upheld", why="all of its evidence holds"),
                HypothesisStanding(hypothesis="H2", worth="undetermined", why="its evidence was not run"),
            ),
        ),
    )


ATTACK = (
    "</pre><script>alert(1)</script>\n"
    "```\n# injected\n```\n"
    "<img src=x onerror=alert(2)> <a href='javascript:alert(3)'>x</a>\n"
    "[link](https://evil.example.org) ![image](https://evil.example.org/i.png) @everyone www.evil.example.org\n"
    "\x1b]52;c;ZWNobyBoaQ==\x07\x1b[2J\x9b31m over\x1b]8;;https://evil.example.org\x1b\\word\x1b]8;;\x1b\\\n"
    "{{ 7 * 7 }} {% raw %} \u202etxt.exe\u202c zero\u200bwidth ]]> --> a | b | c\n"
)


@pytest.fixture
def hostile_secret() -> str:
    return "hf" + "_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2z"


@pytest.fixture
def hostile(hostile_secret: str) -> ReportData:
    """Return a session all of whose texts attack, as the ingest leaves it."""
    redactor = Redactor(b"key")
    said = redact(Said("s", "agent", f"{ATTACK}\ntoken {hostile_secret}"), redactor)
    done = redact(Returned("s", "c", f"{ATTACK}HF_TOKEN={hostile_secret}\n"), redactor)
    called = redact(Called("s", "c", "ba\x1bsh<b>", "shell", f"echo {hostile_secret} {ATTACK}"), redactor)
    title = redact(About("s", title="</title><script>document.title='taken'</script>"), redactor).title or ""
    return ReportData(
        replace(session_row(title=title), model=clean(ATTACK), note=clean(ATTACK)),
        (Message(ordinal=0, role="agent", text=said.text),),
        (Step(ordinal=0, message=0, kind="shell", tool=called.tool, command=called.command, output=done.output),),
        Tree(hypotheses=_attacking(done.output), candidates=_attacking(done.output)[1:], note=clean(ATTACK)),
        (),
    )


def _attacking(output: str) -> tuple[Hypothesis, ...]:
    rows = [row for row in output.splitlines() if row.strip()]
    return tuple(
        _hypothesis(
            f"H{n}", row[:200], "refuted", "grounded",
            root=n == 0, stated_in=0, decided_in=0, parent="H0" if n else None,
            history=(Turn(message=0, verdict="refuted", quote=row, source=f"person:{row[:30]}"),),
            evidence=(Evidence(step=0, stance="refutes", quote=row, deciding=True, source=RULE),),
        )
        for n, row in enumerate(rows)
    )  # fmt: skip
