"""What makes a sentence a suspicion."""

from sessions.hypotheses.rules.table.guesses import GUESSES
from sessions.hypotheses.rules.table.row import Row

SUSPICIONS: tuple[Row, ...] = (
    *GUESSES,
    Row(
        "issue-is",
        "cause",
        r"\b(?:issue|problem|bug|cause|culprit|reason|trouble|catch|bottleneck|regression|delay|break|failure)\b"
        r"(?: (?:here|now|then|itself|for \w+))? (?:is|was|isn't|may|might|could|must|seems|appears|lies|sits"
        r"|comes|stems)\b",
        0.75,
        "names what the trouble is",
        "The problem is that both threads share the handle.",
        "Both threads share the handle of the problem report.",
    ),
    Row(
        "is-cause",
        "cause",
        r"\b(?:is|are|was|were|be|'s) (?:likely |probably |definitely |exactly |what'?s? |where )*(?:the |a |to )?"
        r"(?:\w+ )?(?:cause|culprit|problem|issue|bug|blame|bottleneck|reason|offender|trouble)\b",
        0.7,
        "says of something that it is the trouble",
        "The retry loop is the culprit.",
        "The culprit has not been found.",
    ),
    Row(
        "candidate",
        "cause",
        r"\b(?:culprits?|root cause|suspects?|candidates?|at fault|responsible for|to blame|clue"
        r"|(?:likely|possible|potential|probable|plausible) (?:\w+ )?(?:causes?|reasons?|explanations?|breaks?))\b",
        0.5,
        "talks about causes",
        "The pool is the best candidate.",
        "The pool has eight workers.",
    ),
    Row(
        "next-candidate",
        "cause",
        r"\b(?:next|first|second|third|other|last|remaining|prime|main|best|likeliest|strongest|only|obvious"
        r"|another|top|usual|new) "
        r"(?:\w+ )?(?:suspect|candidate|culprit|possibility|suspicion|theory|explanation|idea)\b"
        r"|^(?:or )?alternatively\b|\b(?:potential|possible) (?:problem|issue|bug|flaw|culprit|trap|cause)\b",
        0.8,
        "one of a row of suspects is taken up",
        "The second candidate is the parser.",
        "The second parser is faster.",
    ),
    Row(
        "rule-out",
        "cause",
        r"\b(?:to|can|could|let me|let's|we'll|i'll) (?:first )?(?:rule (?:it |this |that )?out|exclude|eliminate)\b"
        r"|\bworth (?:ruling out|checking|testing|excluding|a look)\b|\bto blame\b|\bi(?:'d| would) (?:look"
        r"|start) (?:at|with)\b",
        0.45,
        "what is to be ruled out is suspected",
        "The cheapest thing to rule out is the clock.",
        "The rules of the clock are cheap.",
    ),
    Row(
        "explains",
        "cause",
        r"\b(?:would|could|might|may|which|that|this|also|'d) explains?\b"
        r"|\bexplains? (?:why|how|the|this|that|everything|it)\b|\b(?:would|could"
        r"|might) (?:well )?(?:account for|do it|produce"
        r"|make sense if|fit|match what|give us|be enough)\b|\b(?:that|this|it|which) alone (?:gives|would"
        r"|explains|is enough)\b"
        r"|\b(?:consistent|in line) with\b|\bwe(?:'d| would) (?:then )?see exactly\b",
        0.7,
        "something is offered as an explanation",
        "That would explain the empty rows.",
        "Explain to me what a row is.",
    ),
    Row(
        "that-is-why",
        "cause",
        r"\b(?:that|this|which)(?:'s| is|'d be| would be) (?:exactly |precisely )?(?:why|because|where|how come)\b",
        0.5,
        "joins what was seen to what made it so",
        "That's why the second run is empty.",
        "That is the second run.",
    ),
    Row(
        "because",
        "cause",
        r"\b(?:because|due to|caused by|as a result of|owing to|thanks to|stems from|comes? from|came from"
        r"|coming from|tripped (?:up )?by|boils down to|traces? back to|so that)\b",
        0.4,
        "gives a reason",
        "The test passed because the fixture was reverted.",
        "The test passed after the fixture ran.",
    ),
    Row(
        "what-if",
        "question",
        r"\bwhat if\b|\bare we sure\b|\bdidn't we have\b|\bcould (?:the|our|my|a)\b[^.]{3,80}\?|\bhow about\b"
        r"|\bcould (?:it|this|that) be\b|\bcan it be\b|\bis it possible\b"
        r"|\bmight (?:it|this) be\b",
        1.1,
        "a suspicion in the form of a question",
        "What if the index is older than the data?",
        "What does the index hold?",
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
        "whether",
        "question",
        r"\b(?:check|checking|see|verify|verifying|confirm|test|testing|find out|figure out|determine|sure|know"
        r"|wonder"
        r"|question|prove)\b[^.]{0,60}?\b(?:whether|if)\b",
        0.5,
        "what is to be checked is suspected",
        "I want to see whether the hook runs at all.",
        "If the hook runs, we are done.",
    ),
    Row(
        "check-why",
        "question",
        r"\b(?:check|checking|see|look(?:ing)? (?:at|into)|understand|find out|trace|tracing)\b[^.]{0,30}?"
        r"\b(?:why|what (?:creates|makes|causes|writes|sets))\b",
        0.3,
        "asks for a cause and may name where to look",
        "Let me check why the hook runs twice.",
        "Let me check the hook.",
    ),
    Row(
        "bet-if",
        "cause",
        r"\bif\b[^.]{5,120}\b(?:would|i'd|we'd|it'd|that'd|then|could|is|gets?|are)\b",
        0.25,
        "spells out what a suspected defect would lead to",
        "If the blocks were swapped, the sums would differ.",
        "The blocks were swapped.",
    ),
    Row(
        "would-expect",
        "cause",
        r"\b(?:i'd|we'd|i would|we would|would|exactly what|just what) (?:expect|look like|give|produce|get|see)\b",
        0.3,
        "the symptom would follow from it",
        "With swapped blocks I'd expect noise like this.",
        "I did expect this noise.",
    ),
    Row(
        "defect",
        "defect",
        r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|broken|corrupt(?:ed|s)?|damaged|stale|missing|mis(?:match(?:es"
        r"|ed)?|read|routed"
        r"|configured|aligned|mapped)|truncated|garbled|scrambled|swapped|unmapped|unset|uninitiali[sz]ed|lost"
        r"|dropped"
        r"|skipp(?:ed|s)|ignor(?:ed|es|ing)|leak(?:s|ing)?|race|deadlock|unsupported|malformed|outdated|duplicated?"
        r"|block(?:s|ing)|hang(?:s|ing)?|slow|too (?:late|early|slow|small|large|long|strict|aggressive"
        r"|brittle)|brittle"
        r"|different|regress\w*|fails?|overflow\w*|conflict\w*)\b",
        0.3,
        "names a defect; symptoms do so too",
        "The header is read in the wrong order.",
        "The header is read in order.",
    ),
    Row(
        "lack",
        "defect",
        r"\b(?:does(?:n't| not)|do(?:n't| not)|did(?:n't| not)|is(?:n't| not)|are(?:n't| not)|was(?:n't| not)"
        r"|were(?:n't| not)|instead of|rather than"
        r"|never|no longer|without|cannot|can't|nothing|not(?! only)|only|nowhere|none)\b",
        0.25,
        "something that should be there or happen is not, or does not",
        "The writer never closes the file.",
        "The writer closes the file.",
    ),
    Row(
        "code-reading",
        "code",
        r"`[^`]{2,80}`(?:'s)?(?: call| function| method| option| step)?,? (?:\w+ly )?(?:only|always|never|just"
        r"|still|now|also"
        r"|does|doesn't|did|calls?|uses?|ignores?|returns?|skips?|reads?|expects?|matches|hands|passes|sets"
        r"|runs|blocks"
        r"|defaults|waits|needs?|requires?|is|isn't|was|fires|assumes|treats|checks?|takes?|detects?|changes?"
        r"|creates?)\b",
        0.3,
        "says what a named piece of code does",
        "`flush()` only writes the first page.",
        "The first page is written by `flush()`.",
    ),
    Row(
        "found",
        "finding",
        r"\b(?:found|here'?s|there'?s|that'?s|this is|here is|there is|that is|i see|identified|spotted) "
        r"(?:it|the|a|an|your|our)?\s?(?:real |actual |root |concrete |likely |main )?"
        r"(?:(?:\w+ ){0,2}(?:issue|bug|problem|finding)|cause|culprit|weakness|gap|mistake|reason|error)\b"
        r"|\broot cause\b|\bfound it\b",
        0.45,
        "announces a finding; often of an earlier suspicion",
        "Found the bug: the offset is counted twice.",
        "The offset is counted from the start.",
    ),
    Row(
        "severity",
        "finding",
        r"^\W*(?:critical|high|medium|low|major|minor|blocker|p[0-3]|sev-?\d)(?: \w+)?\W*(?:\*\*|[:\u2014\u2013])",
        0.5,
        "a finding with its weight, as reviews list them",
        "**Medium**: two writers may take the same slot.",
        "Two writers of medium size take the same slot.",
    ),
    Row(
        "is-wrong",
        "cause",
        r"\b(?:is|are|was|were|'s) (?:\w+ly |still |just |already )?(?:wrong|broken|missing|stale|outdated"
        r"|buggy|flaky|unset"
        r"|too (?:late|early|slow|small|large|short|long|strict|literal))\b",
        0.3,
        "says of something that it is wrong",
        "The parser is wrong on such lines.",
        "The wrong parser is taken.",
    ),
    Row(
        "surprise",
        "turn",
        r"^(?:ah|aha|oh|hm+|wait|hold on|interesting|hah|ahh|strange|odd|weird|huh)\b",
        0.25,
        "a turn of thought is followed by a new idea",
        "Ah, the offset is counted twice.",
        "The offset is counted twice.",
    ),
    Row(
        "leads",
        "lead",
        r"\b(?:candidates?|suspects?|suspicions|culprits?|causes|reasons|explanations|possibilities|hypotheses"
        r"|bottlenecks"
        r"|(?:\w+ )?(?:issues|problems|bugs|factors|gaps)|things (?:that )?(?:made|make|could|can|may)"
        r"|(?:could|might|may|would) (?:cause|produce|explain|be behind|account for))\b"
        r"[^.!?]{0,60}:\**$",
        0.0,
        "opens a list whose items are suspicions",
        "Possible causes, most likely first:",
        "The causes are listed in the report.",
    ),
)
