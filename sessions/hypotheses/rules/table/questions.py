"""Suspicions in the form of a question, of a supposition, or of somebody else's opinion."""

from sessions.hypotheses.rules.table.row import Row

_NO_SUBJECT = (
    "what|why|how|where|which|who|whose|when|can|could|would|should|shall|do|does|did|is|are|was|were|have|has|will"
    "|any|want|you|we|i|let|please|anything|something|may|might|must|am|ready|sure|right|thoughts|good|really|need"
    "|makes|that|that's|this|it|it's|these|they|there|there's|not|just|yes|no|also|like|even|because|if|as|he|she"
    "|please|isn't|aren't|doesn't|didn't|don't|won't|wasn't|shouldn't|couldn't|wouldn't|can't|hasn't"
)
_PEOPLE = (
    "someone|somebody|colleagues?|coworkers?|team|teammates?|ops|sre|support|admins?|boss|lead|folks|people|others?|he"
    "|she|they|everyone|everybody|vendor|customers?|guys|devs?|developers?|engineers?|reviewers?|forum|guru"
)

QUESTIONS: tuple[Row, ...] = (
    Row(
        "what-if",
        "question",
        r"\bwhat if\b|\bare we sure\b|\bdidn't we have\b|\bcould (?:the|our|my|a)\b[^.]{3,80}\?|\bhow about\b"
        r"|\b(?:could|can|might|may) (?:it|this|that|these|there) (?:\w+ )?be\b|\bis it (?:possible|conceivable"
        r"|plausible|thinkable|at all possible|just|maybe|perhaps|the)\b|\b(?:any|is there a|what's the) chance"
        r" (?:that|of|it|the)\b|\bhow (?:sure|certain|confident) are (?:we|you)\b|\b(?:who|what) (?:says|guarantees"
        r"|ensures)\b[^.]{3,120}\?|\b(?:couldn't|might|may|wouldn't) (?:the|our|my|a|an|it|this|that"
        r"|one)\b[^.]{3,120}\?|\bisn't (?:it|this|that|the|there|our|one)\b[^.]{3,120}\?|^(?:and |so |or |but )?(?:is"
        r"|are|was|were) [^.?]{2,60}\b(?:involved|to blame|at fault|responsible|behind (?:it|this|that|all)|guilty|a"
        r" factor|related|connected|the (?:cause|culprit|reason))\b[^.?]{0,40}\?|\b(?:is there|any|a) (?:link"
        r"|connection|relation) (?:to|with|between)\b",
        1.1,
        "a suspicion in the form of a question",
        "What if the index is older than the data?",
        "What does the index hold?",
    ),
    Row(
        "suppose",
        "question",
        r"^(?:(?:so|now|but|and|ok(?:ay)?|hm+|well|right|then)\b[,.:]? )*(?:suppose|supposing|let's (?:suppose|assume"
        r"|say|imagine|pretend)|imagine|say|assume|assuming) (?:for a \w+ )?(?:that )?(?:the|a|an|our|its|two|`|some"
        r"|one|another|each|every|it|this|nothing|nobody|\w+s\b)",
        0.9,
        "a supposition to be followed up",
        "Suppose the index is older than the data.",
        "I suppose that this is the index.",
    ),
    Row(
        "statement-asked",
        "question",
        rf"^(?:(?:so|or|and|but|then|hm+|ok(?:ay)?|wait|oh|ah)\b[,.:]? )*(?!(?:{_NO_SUBJECT})\b)(?=[`\w]\S* \S+"
        rf" \S)(?![^?]{{0,200}}[:,;\u2014-] ?(?:and |so |but )?(?:what|why|how|where|which|who|when|can|could you"
        rf"|should|shall)\b)"
        rf"[^?]{{12,300}}(?<!right)(?<!correct)(?<! ok)(?<!okay)(?<! no)(?<! yes)(?<!sense)\?(?:\s|$)",
        0.9,
        "a statement with a question mark is one that is not yet believed",
        "So the second writer never flushes?",
        "Does the second writer flush?",
    ),
    Row(
        "user-asks",
        "question",
        r"^(?:and |so |but )?(?:is|are|did|does|do|was|has|could) (?:the|it|this|that|our|my|we|there)\b.*\?$",
        0.35,
        "a yes-or-no question may name a cause",
        "Did the upgrade change the default?",
        "Which upgrade changed the default?",
    ),
    Row(
        "somebody-thinks",
        "question",
        rf"\b(?:{_PEOPLE})\b[^.?!]{{0,40}}\b(?:thinks?|thought|believes?|suspects?|suspected|reckons?|says?|said"
        rf"|claims?"
        rf"|swears?|insists?|blames?|wonders?|mentioned|suggests?|suggested|figures?|guesses?|bets?)\b"
        rf"|\b(?:i heard|i read|i was told|rumou?r has it|word is|i remember|i recall) (?:that )?\w",
        0.9,
        "hands on what somebody else suspects",
        "A colleague thinks the index is older than the data.",
        "A colleague wrote the index.",
    ),
    Row(
        "whether",
        "question",
        r"\b(?:check|checking|see|verify|verifying|confirm|test|testing|find out|figure out|determine|sure|know"
        r"|wonder|question|prove|rule out|ask|asking|establish|look at|look into|examine|clarify|learn"
        r"|unclear)\b[^.]{0,60}?\b(?:whether|if)\b",
        0.5,
        "what is to be checked is suspected",
        "I want to see whether the hook runs at all.",
        "If the hook runs, we are done.",
    ),
    Row(
        "check-why",
        "question",
        r"\b(?:check|checking|see|look(?:ing)? (?:at|into)|understand|find out|trace|tracing)\b[^.]{0,30}?\b(?:why"
        r"|what (?:creates|makes|causes|writes|sets))\b",
        0.3,
        "asks for a cause and may name where to look",
        "Let me check why the hook runs twice.",
        "Let me check the hook.",
    ),
)
