"""What speaks against a sentence being a suspicion: plans, deeds, offers, designs, and talk about the tools."""

from sessions.hypotheses.rules.table.row import Row

AGAINST: tuple[Row, ...] = (
    Row(
        "plan",
        "plan",
        r"^(?:and |now,? |next,? |ok(?:ay)?,? |so |then |first,? |also,? |good[.,] |actually,? )*(?:let me"
        r"|let's|let us|i'll|i will"
        r"|i'm going to|i need to|we need to|i should|we should|i want to|i can|we can|i'd like to|time to)\b",
        -0.45,
        "says what is done next, not what is wrong",
        "Now let me read the parser.",
        "The parser lets me read it.",
    ),
    Row(
        "deed",
        "done",
        r"^(?:verif(?:y|ies)|ensures?|adds?|creates?|noted|done|added|fixed|updated|changed|created|removed"
        r"|replaced|renamed|pushed|committed"
        r"|implemented)\b|^(?:done[.:]? |now )?(?:i|we)(?:'ve| have|'m| am)? (?:just |also |now )?(?:added"
        r"|changed|updated|fixed|removed|implement\w+|wired"
        r"|renamed|replaced|refactored|wrote|created|committed|pushed|patch(?:ed|ing)|adding|editing|running"
        r"|formatting"
        r"|updating|noted|moved|rebuilt|restored|verified|tested)\b",
        -0.9,
        "reports what was done",
        "I added a lock around the write.",
        "A lock around the write was added by them.",
    ),
    Row(
        "offer",
        "offer",
        r"\b(?:want me to|would you (?:like|rather)|shall i|should i|let me know|do you want|happy to"
        r"|if you(?:'d)? (?:like|want)"
        r"|try running|you can (?:now|also|run|test|use)|you(?:'ll| will) need)\b",
        -1.2,
        "offers something to the user",
        "Do you want me to open a ticket?",
        "They want a ticket.",
    ),
    Row(
        "design",
        "design",
        r"\b(?:simplest|best|cleanest|right|proper|easiest|safer|safest|correct|better|narrowest|minimal) "
        r"(?:\w+ )?(?:fix|solution|approach|way|option|place|tool|choice|design)\b|\bthe fix (?:is|here|would"
        r"|should|could)\b"
        r"|\b(?:i'd|i would|we could|we should|i) (?:recommend|suggest|propose|add|use)\b|\brecommend(?:ation|ed)?\b"
        r"|\bworkaround\b|\bfollow-?up\b|\btrade-?offs?\b|\bto fix (?:this|it|the)\b|\binstead of\b"
        r"|\bnice to have\b|\b(?:should|will|would) (?:now )?(?:address|fix|resolve|solve|prevent|help)\b",
        -0.6,
        "talks about how to mend it",
        "The simplest fix is to take the lock earlier.",
        "The lock is taken too late.",
    ),
    Row(
        "all-well",
        "success",
        r"\b(?:tests?|checks?|build|lint(?:er)?|suite|everything|ci|vet)\b[^.]{0,25}\b(?:pass(?:es|ed|ing)?"
        r"|green|clean|succeed(?:s|ed)?)\b"
        r"|\b0 issues\b|^(?:great|perfect|excellent|all good|good)\b",
        -0.6,
        "reports that a run went well",
        "All tests pass now.",
        "One test fails now.",
    ),
    Row(
        "navigation",
        "friction",
        r"\b(?:file|function|code|definition|implementation|class|config|it|they)(?:'s| is| are"
        r"|'re)? (?:probably|likely|maybe|perhaps)"
        r" (?:in|under|located|defined|called|named|somewhere)\b",
        -1.0,
        "guesses where something is to be found",
        "The function is probably in the second module.",
        "The function probably returns too early.",
    ),
    Row(
        "tooling",
        "friction",
        r"\b(?:grep|ripgrep|glob|sed|the (?:build|install|download|shell|search|output|terminal|pipe|hook"
        r"|sandbox|edit|agents?|subagents?)"
        r"(?: command)?) (?:is|seems?|appears?|has|looks?|was|may|might|didn't|failed|found|returned|shows?)\b"
        r"|\b(?:task|command|build|process|agent)s? (?:is |are |has )?(?:still )?(?:running|finished|completed)\b",
        -0.6,
        "talks about the tools of the search",
        "The build seems to have finished.",
        "The cache seems to be stale.",
    ),
    Row(
        "request",
        "request",
        r"^(?:ok(?:ay)?,? |yes,? |and |so |hm,? |also,? )*(?:(?:can|could|would|should|shall) (?:we|you|i)"
        r"|please|implement|add|make|use|run|let's"
        r"|how (?:do|does|can|should)|what (?:is|are|kind|does|would)|where)\b",
        -0.7,
        "asks for something to be done or told",
        "Can you also log the size?",
        "You can see the size in the log.",
    ),
    Row(
        "retelling",
        "retelling",
        r"^(?:so )?(?:the )?user(?:'s)? (?:is|are|was|wants?|asks?|asked|says?|said|thinks?|right|asking"
        r"|mentioned|points?|now|has|question)\b",
        -0.6,
        "retells what the user said",
        "The user wants a test for this.",
        "The user table has no index.",
    ),
    Row(
        "confirms-expected",
        "success",
        r"\b(?:as expected|works? (?:now|correctly|fine|well|as)|is (?:working|correct|fine|right|intact|ok"
        r"|okay|safe|healthy|good)"
        r"|are (?:correct|fine|intact|healthy)|makes sense|no (?:issues?|problems?|errors?))\b",
        -0.5,
        "finds that something is in order",
        "The offset is correct.",
        "The offset is counted twice.",
    ),
    Row(
        "conditional-help",
        "plan",
        r"^(?:if (?:so|not|you|that|it still)|once|after|before|when)\b,? ",
        -0.25,
        "plans for a case",
        "If so, the next run will tell.",
        "The next run will tell if so.",
    ),
    Row(
        "reviewing",
        "design",
        r"\b(?:nit|nits|cosmetic|readab\w+|naming|wording|convention|style|out of scope|scope creep"
        r"|document(?:ed|ation)?|docs|comments?"
        r"|changelog|pr|pull request|follow the|coverage|reviewers?)\b",
        -0.3,
        "reviews or publishes work",
        "That is a nit about naming.",
        "That name is never freed.",
    ),
    Row(
        "explained",
        "explained",
        r"^(?:(?:ok(?:ay)?|ah|yes|and|so|well),? )*(?:that|this|it)(?:'d| would| also)? explains?\b",
        -0.4,
        "what is explained is the effect; the cause was said before",
        "Ok, that explains the empty rows.",
        "The lock explains the empty rows.",
    ),
)
