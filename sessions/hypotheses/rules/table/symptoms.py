"""What makes a sentence the symptom."""

from sessions.hypotheses.rules.table.row import Row

SYMPTOMS: tuple[Row, ...] = (
    Row(
        "goes-wrong",
        "symptom",
        r"\b(?:error|errors|fail(?:s|ed|ing|ure)?|crash\w*|hang(?:s|ing)?|panic\w*|broken|wrong|garbage"
        r"|incoheren\w+|nonsense|gibberish|slow\w*|stuck|freez\w+|corrupt\w*|leak\w*"
        r"|doesn't work|does not work|not working|can't|cannot|won't|unexpected\w*|exception|traceback|timeout"
        r"|timed out|regress\w*|bug|issue|problem|takes (?:too|so) long|oom|killed)\b",
        0.6,
        "says what goes wrong",
        "The upload fails after a minute.",
        "The upload takes a minute.",
    ),
    Row(
        "but",
        "symptom",
        r"\b(?:but|although|yet|even though|despite|however|instead)\b",
        0.4,
        "sets what happens against what should",
        "It starts, but nothing is served.",
        "It starts and is served.",
    ),
    Row(
        "asks-why",
        "symptom",
        r"\b(?:why (?:is|are|does|do|did|was)|figure out|find out|investigat\w+|debug|what'?s (?:wrong|going on))\b",
        0.2,
        "asks for a cause",
        "Why does it stop?",
        "It stops.",
    ),
    Row(
        "bare-request",
        "symptom",
        r"^(?:please|can you|could you|take a look|have a look|don't|do not|i'?d like)\b",
        -0.5,
        "asks, and does not tell",
        "Please find the cause.",
        "It pleases nobody.",
    ),
)
