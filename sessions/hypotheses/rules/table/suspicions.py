"""What makes a sentence a suspicion."""

from sessions.hypotheses.rules.table.flaws import FLAWS
from sessions.hypotheses.rules.table.guesses import GUESSES
from sessions.hypotheses.rules.table.questions import QUESTIONS
from sessions.hypotheses.rules.table.row import Row

SUSPICIONS: tuple[Row, ...] = (
    *GUESSES,
    *QUESTIONS,
    *FLAWS,
    Row(
        "issue-is",
        "cause",
        r"\b(?:issue|problem|bug|cause|culprit|reason|trouble|catch|bottleneck|regression|delay|break|failure)\b(?:"
        r" (?:here|now|then|itself|for \w+))? (?:is|was|isn't|may|might|could|must|seems|appears|lies|sits|comes"
        r"|stems)\b",
        0.75,
        "names what the trouble is",
        "The problem is that both threads share the handle.",
        "Both threads share the handle of the problem report.",
    ),
    Row(
        "is-cause",
        "cause",
        r"\b(?:is|are|was|were|be|'s) (?:likely |probably |definitely |exactly |what'?s? |where )*(?:the |a |to"
        r" )?(?:\w+ )?(?:cause|culprit|problem|issue|bug|blame|bottleneck|reason|offender|trouble)\b",
        0.7,
        "says of something that it is the trouble",
        "The retry loop is the culprit.",
        "The culprit has not been found.",
    ),
    Row(
        "candidate",
        "cause",
        r"\b(?:culprits?|root cause|suspects?|candidates?|at fault|responsible for|to blame|clue|(?:likely|possible"
        r"|potential|probable|plausible) (?:\w+ )?(?:causes?|reasons?|explanations?|breaks?))\b",
        0.5,
        "talks about causes",
        "The pool is the best candidate.",
        "The pool has eight workers.",
    ),
    Row(
        "next-candidate",
        "cause",
        r"\b(?:next|first|second|third|other|last|remaining|prime|main|best|likeliest|strongest|only|obvious|another"
        r"|top|usual|new) (?:\w+ )?(?:suspect|candidate|culprit|possibility|suspicion|theory|explanation|idea)\b"
        r"|^(?:or )?alternatively\b|\b(?:potential|possible) (?:problem|issue|bug|flaw|culprit|trap|cause)\b",
        1.0,
        "one of a row of suspects is taken up",
        "The second candidate is the parser.",
        "The second parser is faster.",
    ),
    Row(
        "rule-out",
        "cause",
        r"\b(?:to|can|could|let me|let's|we'll|i'll) (?:first )?(?:rule (?:it |this |that )?out|exclude|eliminate)\b"
        r"|\bworth (?:ruling out|checking|testing|excluding|a look)\b|\bto blame\b",
        0.65,
        "what is to be ruled out is suspected",
        "The cheapest thing to rule out is the clock.",
        "The rules of the clock are cheap.",
    ),
    Row(
        "pointer",
        "cause",
        r"\bi(?:'d| would) (?:first |also |rather )?(?:look|start|poke|dig|begin|check|have a look) (?:hard |closely"
        r" )?(?:at|with|in|into|around)\b|\b(?:deserves?|merits?|warrants?|bears?|needs?) (?:a|another|some|closer|a"
        r" closer) (?:\w+ )?(?:look|scrutiny|suspicion|check)\b|\bkeep(?:ing)? an eye on\b|\b(?:have|has) (?:you"
        r"|anyone|anybody) (?:checked|looked at|considered|thought of)\b|\b(?:come|comes|came) to mind\b|\bfirst"
        r" (?:thing|place) (?:i'd|i would|to) (?:look|check|suspect)\b",
        0.8,
        "points at where the cause is to be looked for",
        "I'd look at the clock first.",
        "I looked at the clock.",
    ),
    Row(
        "explains",
        "cause",
        r"\b(?:would|could|might|may|which|that|this|also|'d) (?:\w+ )?explains?\b|\bexplains? (?:why|how|the|this"
        r"|that|everything|it)\b|\b(?:consistent|in line|in keeping|compatible|fits|tallies|squares) (?:well |nicely"
        r" )?with\b|\b(?:fits|matches) (?:the|this|that|our) (?:\w+ )?(?:pattern|picture|symptoms?|timing|description"
        r"|facts|timeline)\b|\b(?:lines up|coincides|correlates) with\b|\b(?:simplest|likeliest|best|only|obvious"
        r"|natural|most \w+|easiest) (?:\w+ )?explanation\b|\b(?:symptoms?|pattern|picture|timing) fits?\b",
        0.7,
        "something is offered as an explanation",
        "That would explain the empty rows.",
        "Explain to me what a row is.",
    ),
    Row(
        "would-follow",
        "cause",
        r"\b(?:would|could|might|may|'d|should) (?:\w+ly |well |also |easily |certainly )?(?:account for|do (?:it"
        r"|that|this)\b|make sense|fit\b|square with|tally with|add up|match what|give us|give exactly|be enough"
        r"|suffice|look (?:exactly |just )?like (?:this|that|what)|produce (?:exactly|just|precisely)|be all it takes"
        r"|be the end of it|be explained by|follow(?: from|\b)|be (?:no|a small) (?:surprise|wonder|coincidence)|be"
        r" why|be the reason|be exactly (?:what|this|that))|\b(?:is|are) (?:then )?(?:no|hardly a) (?:surprise|wonder"
        r"|coincidence)\b|\b(?:that|this|it|which) alone (?:gives|would|explains|is enough|could|accounts|suffices)\b"
        r"|\bwe(?:'d| would) (?:then )?(?:see|get|expect|have|observe) (?:exactly|precisely|just)\b|\b(?:exactly|just"
        r"|precisely) (?:this|that|what we see|what we get|the (?:\w+ )?(?:symptom|pattern|picture)s?)\b",
        0.9,
        "the symptom would follow from it",
        "If the index were older, that alone gives the empty rows.",
        "The index gives the rows.",
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
        r"\b(?:because|due to|caused by|as a result of|owing to|thanks to|stems from|comes? from|came from|coming"
        r" from|tripped (?:up )?by|boils down to|traces? back to|so that)\b",
        0.4,
        "gives a reason",
        "The test passed because the fixture was reverted.",
        "The test passed after the fixture ran.",
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
        r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|broken|corrupt(?:ed|s)?|damaged|stale|missing|mis(?:match(?:es|ed)?|read"
        r"|routed|configured|aligned|mapped)|truncated|garbled|scrambled|swapped|unmapped|unset|uninitiali[sz]ed|lost"
        r"|dropped|skipp(?:ed|s)|ignor(?:ed|es|ing)|leak(?:s|ing)?|race|deadlock|unsupported|malformed|outdated"
        r"|duplicated?|block(?:s|ing)|hang(?:s|ing)?|slow|too (?:late|early|slow|small|large|long|strict|aggressive"
        r"|brittle)|brittle|different|regress\w*|fails?|overflow\w*|conflict\w*)\b",
        0.3,
        "names a defect; symptoms do so too",
        "The header is read in the wrong order.",
        "The header is read in order.",
    ),
    Row(
        "lack",
        "defect",
        r"\b(?:does(?:n't| not)|do(?:n't| not)|did(?:n't| not)|is(?:n't| not)|are(?:n't| not)|was(?:n't| not)"
        r"|were(?:n't| not)|instead of|rather than|never|no longer|without|cannot|can't|nothing|not(?! only)|only"
        r"|nowhere|none)\b",
        0.25,
        "something that should be there or happen is not, or does not",
        "The writer never closes the file.",
        "The writer closes the file.",
    ),
    Row(
        "code-reading",
        "code",
        r"`[^`]{2,80}`(?:'s)?(?: call| function| method| option| step)?,? (?:\w+ly )?(?:only|always|never|just|still"
        r"|now|also|does|doesn't|did|calls?|uses?|ignores?|returns?|skips?|reads?|expects?|matches|hands|passes|sets"
        r"|runs|blocks|defaults|waits|needs?|requires?|is|isn't|was|fires|assumes|treats|checks?|takes?|detects?"
        r"|changes?|creates?)\b",
        0.3,
        "says what a named piece of code does",
        "`flush()` only writes the first page.",
        "The first page is written by `flush()`.",
    ),
    Row(
        "found",
        "finding",
        r"\b(?:found|here'?s|there'?s|that'?s|this is|here is|there is|that is|i see|identified|spotted) (?:it|the|a"
        r"|an|your|our)?\s?(?:real |actual |root |concrete |likely |main )?(?:(?:\w+ ){0,2}(?:issue|bug|problem"
        r"|finding)|cause|culprit|weakness|gap|mistake|reason|error)\b|\broot cause\b|\bfound it\b",
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
        r"\b(?:is|are|was|were|'s) (?:\w+ly |still |just |already )?(?:wrong|broken|missing|stale|outdated|buggy"
        r"|flaky|unset|too (?:late|early|slow|small|large|short|long|strict|literal))\b",
        0.3,
        "says of something that it is wrong",
        "The parser is wrong on such lines.",
        "The wrong parser is taken.",
    ),
    Row(
        "noticed",
        "turn",
        r"^(?:(?:hm+|huh|oh|ah|aha|wait|look|ok(?:ay)?|so|now|well)\b[,.!:]? )*(?:(?:that's|this is|that is|how|very"
        r"|rather|here's) )?(?:curious|odd|strange|weird|suspicious|funny|fishy|notable|remarkable|telling|noteworthy"
        r"|striking|puzzling|surprising|something (?:odd|interesting|curious|strange|suspicious)|one thing)(?:ly)?\b"
        r"|^(?:and |so |ok(?:ay)?,? |hm+,? )*(?:i (?:just |also )?(?:notice|noticed|spotted|spot)|noticed|worth"
        r" noting|note that|note:|as i read|red flag|what (?:catches|caught|strikes|struck)|(?:from|according to"
        r"|judging by|going by|per) (?:the|its|this|what|our) (?:code|source|sources|config\w*|diff|trace|logs?|i"
        r"|implementation|manifest|unit))\b",
        0.5,
        "what is remarked on is remarkable",
        "Curious: the offset is counted twice.",
        "The curious offset is counted twice.",
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
        r"|theories|guesses|bottlenecks|offenders|hunches|scenarios|bets|ideas|leads|angles|likely places|usual"
        r" suspects|failure modes|(?:\w+ )?(?:issues|problems|bugs|factors|gaps)|things (?:that )?(?:made|make|could"
        r"|can|may|might|would)|(?:i|we) see (?:\w+ ){1,3}(?:options|ways|paths)|ways (?:in which |that |for |how |of"
        r" )?\w+|(?:could|might|may|would|can) (?:\w+ )?(?:cause|produce|explain|be behind|account for|go wrong|lead"
        r" to|be responsible|do (?:it|this|that)|give|be (?:any|one) of|have gone wrong|happen|come from)|(?:i'd|we'd"
        r"|i would|we would) (?:look at|suspect|rule out|consider|blame)|to (?:rule out|eliminate|suspect|blame)"
        r"|(?:in|by) (?:\w+ )?(?:order of )?(?:likelihood|probability|plausibility|suspicion)|(?:most|least)"
        r" (?:likely|plausible|probable)(?: one)? first|where (?:it|this|that|things) (?:can|could|may|might)|either"
        r" of|one of (?:these|the following)|on my (?:short)?list|short ?list)\b[^.!?]{0,60}:\**$|^\W*(?:(?:possible"
        r"|likely|potential|my|current|remaining|open|main|top|working|other|the|prime|root) )*(?:suspects|hypotheses"
        r"|theories|candidates|culprits|causes|suspicions|explanations)(?: so far)?\W*$",
        0.0,
        "opens a list whose items are suspicions",
        "Possible causes, most likely first:",
        "The causes are listed in the report.",
    ),
)
