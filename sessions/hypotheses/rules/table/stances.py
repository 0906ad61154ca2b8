"""What a message says of a suspicion that is being tested."""

from sessions.hypotheses.rules.table.row import Row

STANCES: tuple[Row, ...] = (
    Row(
        "in-order",
        "refutes",
        r"\b(?:is|are|was|were|looks?|seems?|be) (?:all |also |indeed |clearly |therefore |perfectly "
        r"|completely |actually |just |as well )*"
        r"(?:fine|correct|right|intact|ok(?:ay)?|healthy|sane|sound|innocent|unaffected|unrelated|safe|harmless|benign"
        r"|in order|not affected"
        r"|identical|the same|valid|reasonable|plausible|normal|working"
        r"|consistent)\b(?![^.]{0,20}, but\b)(?! (?:now|tool|place|way|thing|time|to|approach|fix))",
        1.0,
        "what is in order is not the cause",
        "The parser is fine.",
        "The parser is the right place.",
    ),
    Row(
        "does-its-job",
        "refutes",
        r"\b(?:does|do|did) (?:its|their|the) (?:job|work)\b|\bworks? (?:fine|correctly|as (?:intended|expected"
        r"|designed)|properly|perfectly)\b"
        r"|\bchecks? out\b|\bholds? up\b|\bmatch(?:es|ed)? (?:exactly|perfectly|what|the (?:reference|expected"
        r"|spec|layout|model|docs?|cpu|config))\b|\bagrees?\b|\bis what .{1,60}\b(?:expects?|wants?"
        r"|looks? like)\b"
        r"|\bas \S+ expects?\b|\bhandles? (?:it |this |that |.{1,40})?(?:fine|correctly|well|properly)\b"
        r"|\bis (?:fast|instant|instantaneous)\b",
        1.0,
        "what works is not the cause",
        "The kernel does its job here.",
        "The job of the kernel is unclear.",
    ),
    Row(
        "not-it",
        "refutes",
        r"\bneither\b.{1,80}\bnor\b|\b(?:it|this|that|so this|so it)(?:'s| is| was) not\b(?! (?:clear|enough"
        r"|possible|obvious|sure|yet))"
        r"|\b(?:isn't|is not|wasn't|was not|aren't|are not) (?:the|our|a|an|to|caus\w+|it|at fault|involved"
        r"|relevant)\b"
        r"|\bcan(?:not|'t) be (?:the|it|that|due|because)\b|\bnot (?:a|the) (?:[^,:;]{1,40} )?(?:issue|problem|cause"
        r"|bug|mismatch|fault|culprit)\b"
        r"|\bnot (?:caused|due|because|related)\b|\bunrelated to\b|\bhas nothing to do with\b",
        1.0,
        "says that it is not this",
        "So it's not the clock.",
        "It is not clear yet.",
    ),
    Row(
        "ruled-out",
        "refutes",
        r"\b(?:rul(?:es|ed|ing)|cross(?:es|ed)|ticks?) (?:it |this |that |them |both |the .{1,40} )?(?:out"
        r"|off)\b|\bexclud(?:es|ed)\b"
        r"|\beliminat(?:es|ed)\b|\bexonerat\w+\b|\brefut\w+\b|\bdisprov\w+\b|\bclears? (?:the|it|this|that)\b"
        r"|\bdead end\b|\bred herring\b"
        r"|\b(?:is|are|were|was) (?:all )?out\b(?! of)|\bso much for\b|\bfalse alarm\b",
        1.0,
        "a word of elimination",
        "That rules out the clock.",
        "That rule has run out of date.",
    ),
    Row(
        "no-change",
        "refutes",
        r"^(?:hm+,? |no[,.] |but |and |nope[,.] )*(?:still|same (?:thing|result|error|output|failure|problem"
        r"|issue|story|as before|again)|same[.!]|no (?:change|difference|effect|luck|improvement))\b"
        r"|\b(?:that|this|it|which|change|fix|setting|patch)\b[^.]{0,30}\b(?:didn't|doesn't|did not"
        r"|does not) (?:help|change (?:anything|the|it)|matter|make (?:a|any) difference|fix|work|solve)\b"
        r"|\bmakes? no difference\b|\bnot (?:the )?reason\b",
        1.0,
        "the change made no difference",
        "Still slow.",
        "It is slower than before.",
    ),
    Row(
        "own-mistake",
        "refutes",
        r"\b(?:my|our) (?:own )?(?:query|mistake|script|probe|typo|misreading|measurement|command)\b"
        r"[^.]{0,40}\b(?:wrong|backwards?|and not|not the|at fault)\b|\bmy (?:own )?(?:mistake|fault|error|bad)\b"
        r"|\b(?:came|comes?|due|because|down) (?:from|to|of) (?:my|our|how i|the way i) \w+"
        r"|\b(?:i|we)(?:'d| had|'ve| have)? (?:been )?(?:ask(?:ed|ing)|query\w*|queried|us(?:ed|ing)"
        r"|read(?:ing)?|call(?:ed|ing)|look(?:ed|ing)|got|had|misread|mixed)"
        r"\b[^.]{0,40}\b(?:backwards?|wrong (?:way|direction|side|end|order|key|file|log)|the other way"
        r"|upside down|in reverse|up)\b"
        r"|\bwrong (?:direction|way (?:round|around))\b|\bartefact of\b|\bartifact of\b",
        1.2,
        "the finding came from how it was asked",
        "That came from my query, not from the table.",
        "My query returned three rows.",
    ),
    Row(
        "contradicts",
        "refutes",
        r"\b(?:but|yet|however|wait|hm+)\b[^.]{0,60}\b(?:does|is|are|was|were|did) (?:in fact|actually|already) "
        r"(?:\w+ )?(?:respect|handle|work|exist|set|there|called|loaded|read|present|used|supported)\b"
        r"|\byou'?re right\b|\bi was wrong\b|(?<!what )\bactually (?:does|works)\b"
        r"|\bturns out (?:that )?(?:it|this|the)\b[^.]{0,40}\bnot\b",
        0.7,
        "takes a claim back",
        "But the flag is actually read.",
        "The flag is read here.",
    ),
    Row(
        "fast-enough",
        "refutes",
        r"\b(?:delay|problem|issue|trouble|bug|difference) (?:must|has to) (?:be|come|lie)\b|\bso it must be\b",
        0.6,
        "what must be elsewhere is not here",
        "The delay must be in the resolver.",
        "The resolver adds a delay.",
    ),
    Row(
        "found-it",
        "confirms",
        r"^(?:yes[,!.:] |ah,? |ok(?:ay)?,? |so |and |great[,!.] )*(?:there (?:it|we) (?:is|are|go)"
        r"|there you (?:have it|go)|found it|found the"
        r"|got it|that'?s it|this is it|bingo|here it is|that was it|gotcha)\b",
        1.0,
        "announces the finding",
        "There it is.",
        "It is there.",
    ),
    Row(
        "is-the-bug",
        "confirms",
        r"\b(?:that|this|here|there|it|which)(?:'s| is| was) (?:exactly |indeed |really |definitely )?(?:the"
        r"|our|your|a real|a genuine|why|what) "
        r"?(?:\w+ )?(?:bug|issue|problem|cause|culprit|reason)\b|\b(?:is|was) (?:indeed|definitely|really"
        r"|clearly) (?:the )?(?:cause|culprit|bug|problem)\b"
        r"|\broot cause (?:(?:is|was)(?! not\b)|confirmed|found|identified)\b|\b(?:is|are|was) (?:adding|causing"
        r"|responsible for)\b|\baccounts? for\b",
        1.0,
        "says that this is the cause",
        "That's the bug.",
        "That is a long list.",
    ),
    Row(
        "confirmed",
        "confirms",
        r"\bconfirm(?:s|ed)\b(?! (?:(?:that )?(?:there (?:is|are) )?no\b"
        r"|.{1,60}\b(?:fine|correct(?:ly)?|clean|safe|works?|pass(?:es)?|ok|expected|not|isn't|doesn't|only"
        r"|one (?:important )?detail)\b))|\bproves\b|\bproof\b",
        0.6,
        "a word of proof, which may be one of anything: counts for what the sentence names",
        "Confirmed: the second writer never flushes.",
        "I confirm by mail.",
    ),
    Row(
        "fixed",
        "confirms",
        r"\bnow (?:it |everything |this |that )?(?:works?|passes(?! [`'\"*\w])|succeeds)\b"
        r"|\b(?:fix|patch|change|test|guard|workaround) (?:now )?(?:works?|worked|passes|passed|is working|helped)\b"
        r"|\b(?:works?|worked|passes|passing|green|fixed|solved|resolved|gone) now\b|\b(?:it|that|this|problem"
        r"|issue|error|bug) (?:is|was|has been|got) (?:now |definitely |indeed |completely )?(?:fixed|solved"
        r"|resolved|gone)\b"
        r"|\bsettings are working\b|\bdown from\b|\b(?:all|both) (?:tests? )?(?:are )?(?:pass(?:es|ing|ed)?"
        r"|green)\b|\ball passing\b",
        0.9,
        "the trouble is gone after a change",
        "Now it works.",
        "Now it runs the other test.",
    ),
    Row(
        "shows-defect",
        "confirms",
        r"\b(?:is|are|were|was) (?:indeed |all |really |simply |just |silently )?(?:unmapped|missing|not mapped"
        r"|skipped|dropped|empty|lost|ignored|never (?:set|called|loaded|filled|written)"
        r"|uninitiali[sz]ed|corrupt(?:ed)?|wrong|broken|stale|swapped|truncated|not (?:in|there|set|loaded"
        r"|present|called|honou?red))\b",
        0.5,
        "states the defect as a fact",
        "Three columns are missing in the second file.",
        "Three columns were added to the second file.",
    ),
    Row(
        "doing",
        "doing",
        r"^(?:(?:now|next|so|then|and|ok(?:ay)?|good),? )*i(?:'m| am) (?:now |also |just |still )*\w+ing\b"
        r"|^i (?:updated|changed|added|removed|replaced|moved|switched|tightened|patched|made|wired|kept)\b|^if\b"
        r"|^(?:update|add|change|fix|remove|replace|rename|refactor|implement)"
        r"(?: (?:the|a|an|all|this|that|it|every)\b|:)",
        0.0,
        "says what is or was done, or what would follow: no conclusion",
        "I'm fixing the parser to handle both correctly.",
        "The parser handles both correctly.",
    ),
    Row(
        "park",
        "parks",
        r"\b(?:inconclusive|park(?:ing|ed)?|set (?:it|this|that) aside|leav(?:e|es|ing) (?:it|this|that|me)"
        r"|come back to|not settled|unsettled|undecided|for now|moving on"
        r"|doesn't tell|does not tell|does not say|doesn't say|can't tell|cannot tell|another angle|other angle"
        r"|different approach|instead of (?:reading|going|digging))\b",
        1.0,
        "puts it aside undecided",
        "That is inconclusive; another angle then.",
        "The car stands at another gate.",
    ),
)
