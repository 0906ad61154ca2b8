"""What speaks against a sentence being a suspicion: plans, deeds, offers, designs, and talk about the tools."""

from sessions.hypotheses.rules.table.row import Row

AGAINST: tuple[Row, ...] = (
    Row(
        "plan",
        "plan",
        r"^(?:and |now,? |next,? |ok(?:ay)?,? |so |then |first,? |also,? |good[.,] |actually,? )*(?:let me|let's|let"
        r" us|i'll|i will|i'm going to|i need to|we need to|i should|we should|i want to|(?:i|we) can(?!'t|not)(?!"
        r" (?:now |safely |also |therefore )?(?:rule|cross|scratch|exclude|strike|dismiss|tick|discard|eliminate))"
        r"|i'd like to|time to)\b(?!.{0,60}\b(?:(?:idea|theory|hypothesis|suspicion|assumption|hunch|notion) that|to"
        r" blame|at fault|rule out|suppose|assume|imagine|pretend)\b)",
        -0.45,
        "says what is done next, not what is wrong",
        "Now let me read the parser.",
        "The parser lets me read it.",
    ),
    Row(
        "deed",
        "done",
        r"^(?:verif(?:y|ies)|ensures?|adds?|creates?|noted|done|added|fixed|updated|changed|created|removed|replaced"
        r"|renamed|pushed|committed|implemented)\b|^(?:done[.:]? |now )?(?:i|we)(?:'ve| have|'m| am)? (?:just |also "
        r"|now )?(?:added|changed|updated|fixed|removed|implement\w+|wired|renamed|replaced|refactored|wrote|created"
        r"|committed|pushed|patch(?:ed|ing)|adding|editing|running|formatting|updating|noted|moved|rebuilt|restored"
        r"|verified|tested)\b",
        -0.9,
        "reports what was done",
        "I added a lock around the write.",
        "A lock around the write was added by them.",
    ),
    Row(
        "offer",
        "offer",
        r"\b(?:want me to|would you (?:like|rather)|shall i|should i|let me know|do you want|happy to|if you(?:'d)?"
        r" (?:like|want)|try running|you can (?:now|also|run|test|use)|you(?:'ll| will) need)\b",
        -1.2,
        "offers something to the user",
        "Do you want me to open a ticket?",
        "They want a ticket.",
    ),
    Row(
        "design",
        "design",
        r"\b(?:simplest|best|cleanest|right|proper|easiest|safer|safest|correct|better|narrowest|minimal) (?:\w+"
        r" )?(?:fix|solution|approach|way|option|place|tool|choice|design)\b|\bthe fix (?:is|here|would|should"
        r"|could)\b|\b(?:i'd|i would|we could|we should|i) (?:recommend|suggest|propose|add|use)\b"
        r"|\brecommend(?:ation|ed)?\b|\bworkaround\b|\bfollow-?up\b|\btrade-?offs?\b|\bto fix (?:this|it|the)\b"
        r"|\bnice to have\b|\b(?:should|will|would) (?:now )?(?:address|fix|resolve|solve|prevent|help)\b",
        -0.6,
        "talks about how to mend it",
        "The simplest fix is to take the lock earlier.",
        "The lock is taken too late.",
    ),
    Row(
        "all-well",
        "success",
        r"\b(?:tests?|checks?|build|lint(?:er)?|suite|everything|ci|vet)\b[^.]{0,25}\b(?:pass(?:es|ed|ing)?|green"
        r"|clean|succeed(?:s|ed)?)\b(?! (?:even|only|because|despite|although|without|when|with the old)\b)|\b0"
        r" issues\b|^(?:great|perfect|excellent|all good|good)\b",
        -0.6,
        "reports that a run went well",
        "All tests pass now.",
        "One test fails now.",
    ),
    Row(
        "navigation",
        "friction",
        r"\b(?:file|function|code|definition|implementation|class|config|it|they)(?:'s| is| are|'re)? (?:probably"
        r"|likely|maybe|perhaps) (?:in|under|located|defined|called|named|somewhere)\b",
        -1.0,
        "guesses where something is to be found",
        "The function is probably in the second module.",
        "The function probably returns too early.",
    ),
    Row(
        "tooling",
        "friction",
        r"\b(?:grep|ripgrep|glob|sed|the (?:build|install|download|shell|search|output|terminal|pipe|hook|sandbox"
        r"|edit|agents?|subagents?)(?: command)?) (?:is|seems?|appears?|has|looks?|was|may|might|didn't|failed|found"
        r"|returned|shows?)\b|\b(?:task|command|build|process|agent)s? (?:is |are |has )?(?:still )?(?:running"
        r"|finished|completed)\b",
        -0.6,
        "talks about the tools of the search",
        "The build seems to have finished.",
        "The cache seems to be stale.",
    ),
    Row(
        "request",
        "request",
        r"^(?:ok(?:ay)?,? |yes,? |and |so |hm,? |also,? )*(?:(?:can|could|would|should|shall) (?:we|you|i)|please"
        r"|implement|add|make|use|run|let's (?!suppose|assume|say|imagine|pretend)|how (?:do|does|can|should)|what"
        r" (?:is|are|kind|does|would)|where)\b",
        -0.7,
        "asks for something to be done or told",
        "Can you also log the size?",
        "You can see the size in the log.",
    ),
    Row(
        "task",
        "request",
        r"^(?:\*\*[^*]{2,80}\*\*\W*(?:in `[^`]*`\W*)?|[^.:]{3,60}: )?(?:add|use|make|remove|rename|replace|move"
        r"|extract|update|fix|create|write|run|ensure|keep|drop|change|delete|implement|refactor|introduce|consider"
        r"|wrap|split|merge|document|expose|give|send|investigate|re-?run|switch|revert|bump|install|teach|try"
        r"|compare|verify|confirm|look|read|search|test|inspect|re-?check)\b (?!of\b|is\b|was\b)",
        -0.8,
        "a task, not what is wrong",
        "**Writer**: add a lock around the write.",
        "The writer adds no lock around the write.",
    ),
    Row(
        "wish",
        "request",
        r"\b(?:it |that )?(?:would|'d) be (?:great|nice|good|cool|better|ideal|helpful)\b|\bi(?:'d| would) (?:love"
        r"|like|prefer)\b(?! to (?:rule out|check|exclude|know|see|test))|\bwe (?:don't|do not|might|may|could|should"
        r"|can) (?:just |also |then )?(?:need|want|skip|leave|keep|add|use|do)\b|^(?:yes,? |ok(?:ay)?,? |and |so "
        r"|no,? )*let'?s\b(?! (?:suppose|assume|say|imagine|pretend))|^just (?:do|use|add|make|keep)\b|\binstead,?"
        r" (?:can|could|let's)\b",
        -0.6,
        "wishes something, or decides on it",
        "It would be great if it could also write the size.",
        "It is a great pity that the size is wrong.",
    ),
    Row(
        "retelling",
        "retelling",
        r"^(?:so )?(?:the )?user(?:'s)? (?:is|are|was|wants?|asks?|asked|says?|said|thinks?|right|asking|mentioned"
        r"|points?|now|has|question)\b",
        -0.6,
        "retells what the user said",
        "The user wants a test for this.",
        "The user table has no index.",
    ),
    Row(
        "confirms-expected",
        "success",
        r"\b(?:as expected|works? (?:now|correctly|fine|well|as)|is (?:working|correct|fine|right|intact|ok|okay|safe"
        r"|healthy|good)|are (?:correct|fine|intact|healthy)|makes sense|no (?:issues?|problems?|errors?))\b",
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
        r"\b(?:nit|nits|cosmetic|readab\w+|naming|wording|convention|(?:code|coding) style|style (?:guide|nit)s?|out"
        r" of scope|scope creep|document(?:ed|ation)?|docs|comments?|changelog|pr|pull request|follow the|coverage"
        r"|reviewers?)\b",
        -0.3,
        "reviews or publishes work",
        "That is a nit about naming.",
        "That name is never freed.",
    ),
    Row(
        "settled",
        "settled",
        r"\b(?:disprov\w+|refut\w+|exonerat\w+|rul(?:es|ed) (?:it |this |that |them )?out|speaks? against|no longer"
        r" (?:believe|suspect|think)|(?:theory|hypothesis|suspicion|guess|idea|hunch|diagnosis|bet) (?:[\w']+"
        r" ){0,9}?(?:is dead|was wrong|doesn't (?:hold|fit|survive)|does not (?:hold|fit)|did not hold|holds(?: up|"
        r" water)?(?=[.,:;!]|$)|confirmed|was right|is right|checks out|was correct|stands(?=[.,:;!]|$)|rejected"
        r"|refuted|disproved|is off|falls|failed))\b|\bi was (?:wrong|right)\b|\bthere goes (?:that|my|the|our)\b"
        r"|\b(?:not|isn't|wasn't|aren't|can't be|cannot be|couldn't be) (?:the |our |a )?(?:\w+ )?(?:cause|culprit"
        r"|problem|issue|reason|responsible|to blame|at fault|guilty|behind (?:it|this|that))\b",
        -1.2,
        "closes a suspicion instead of raising one",
        "This disproves my theory: the lock is held for a second only.",
        "My theory: the lock is held for an hour.",
    ),
    Row(
        "open-question",
        "request",
        r"^(?:so |and |but |hm+,? )*(?:what|where|which|who|how)(?:'s| (?:is|are|was|could|might|would|can|do|does"
        r"|did|else|other))\b(?! if\b)[^.]*\?$",
        -0.7,
        "asks for a cause and names none",
        "What could be behind the empty rows?",
        "Could the cache be behind the empty rows?",
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
