"""Flat statements of what is wrong: no word of doubt, but a flaw that is said of a thing."""

from sessions.hypotheses.rules.table.row import Row

_FAILING = (
    "leaks|drops|loses|swallows|truncates|clobbers|overwrites|overrides|shadows|masks|hides|ignores|skips|bypasses"
    "|misses|forgets|omits|lacks|fails to|breaks|corrupts|mangles|garbles|scrambles|duplicates|double[- ]\\w+s|starves"
    "|stalls|hangs|deadlocks|races|spins|thrashes|throttles|exhausts|saturates|overflows|underflows|wraps around"
    "|drifts|lags|expires|gives up|bails(?: out)?|chokes|trips|collides|clashes|conflicts|contends|fights|competes"
    "|steals|hogs|holds (?:back|up|onto|on to)|outgrows|outlives|exceeds|evicts|poisons|pollutes|contaminates|bleeds"
    "|strips|chops|cuts (?:off|short)|clips|discards|throws away|eats|misreads|misinterprets|mistakes|confuses"
    "|mixes up|falls back|fall back|runs? (?:dry|out)|spills|disagrees?|diverges?|contradicts|differs?|points? (?:at"
    "|to) (?:the|an?) (?:old|wrong|stale|dead|other|previous)|remounts?|reuses?|times out|time out|swaps|reverses"
    "|flips|blocks|delays|slows|returns (?:null|none|nil|nothing|early|too early|before|0|zero|an empty|false)|rejects"
    "|refuses|denies|closes? the \\w+ (?:too )?(?:early|before)|never \\w+s?|no longer \\w+|collide|clash|conflict"
    "|race|fight|compete|contend|double-\\w+|bottlenecks|piles? up|backs? up|fills? up|grows? (?:without|unbounded"
    "|forever)|rounds|retries|kills"
)
_ADVERBS = (
    r"(?:\w+ly |still |just |already |being |been |all |far |much |quite |rather |not |never |always |now |one "
    r"|a (?:bit|little) |half |too |so |left |getting |set |marked |two |\w+ (?:bytes?|minutes?|seconds?|hours?|days?"
    r"|rows?) )*"
)
_FLAWED = (
    "racy|racing|starv(?:ed|ing)|shadowed|throttl(?:ed|ing)|exhausted|clobbered|stale|leak(?:ed|ing|y)|mis\\w+(?:ed|t)"
    "|truncated|dead|dangling|orphaned|corrupt(?:ed)?|mangled|garbled|scrambled|poisoned|polluted|contaminated"
    "|saturated|over(?:loaded|sized|run|committed|subscribed|flowing|written|ridden|lapping|full)|undersized"
    "|fragmented|bloated|swapped|reversed|inverted|flipped|transposed|mixed up|backwards|unset|undefined|un\\w+ed"
    "|un(?:safe|stable|reachable|readable|responsive|available|known to)|missing|absent|empty|null|lost|gone|dropped"
    "|skipped|ignored|swallowed|discarded|evicted|expired|outdated|obsolete|out of (?:date|sync|order|range|bounds"
    "|memory|space|step|file|phase|tune|disk)|too (?:small|large|big|low|high|short|long|late|early|soon|slow|fast"
    "|strict|lax|eager|aggressive|greedy|wide|narrow|old|new|few|many|little|much|deep|shallow|loose|tight|coarse"
    "|brittle|literal|generous|optimistic|hot)|off by|wrong|incorrect|invalid|broken|buggy|flaky|faulty|defective"
    "|bogus|inconsistent|incomplete|half-\\w+|duplicated?|doubled|hard-?coded|stuck|frozen|hung|blocked|wedged"
    "|deadlocked|disabled|turned off|switched off|read-only|full|killed|rate-limited|capped|clamped|clipped|maxed out"
    "|pegged|pinned|lagging|behind|skewed|drifting|remounted|restarted|recycled|rejected|refused|denied|held (?:up"
    "|back)|cut (?:off|short)|\\w+ed twice|\\w+ed (?:too (?:early|late|soon)|in the wrong|out of order|by the wrong"
    "|forever|on every|at the wrong|more than once|only (?:at|once|in|when|for|after|if))|invalidated|interrupted"
    "|preempted|rounded|reset|resized|narrowed|lowered|halved|raced|slow|cold|failing|hanging|spinning|blocking"
    "|waiting (?:for|on)|incompatible|unaware|oblivious|at odds"
)

FLAWS: tuple[Row, ...] = (
    Row(
        "fails-so",
        "flaw",
        rf"[\w`)\]'\"] (?:\w+ly |still |just |also |always |then |sometimes |often )?(?:{_FAILING})\b",
        0.4,
        "a verb of failing, said of a thing",
        "The second writer swallows the signal.",
        "The second writer sends the signal.",
    ),
    Row(
        "is-flawed",
        "flaw",
        r"\b(?:is|are|was|were|has been|have been|gets?|got|becomes?|remains?|stays?|goes|went|comes? (?:back|out)"
        r"|ends? up"
        rf"|keeps?|'s|'re) {_ADVERBS}(?:{_FLAWED})\b",
        0.4,
        "a flaw, said of a thing",
        "The second writer is starved of tokens.",
        "The second writer is given tokens.",
    ),
    Row(
        "nobody-does",
        "flaw",
        r"\b(?:nobody|no one|nothing|none of (?:the|them|it)|no (?:\w+ )?(?:code|caller|one|thread|process|job|test"
        r"|hook|place|line|branch|path|handler|\w+er|\w+or)) (?:else )?(?:ever |actually |in \S+ )?(?:\w+s|is|was|has"
        r"|does|can)\b|\bnever (?:gets?|got|been|once|again|actually|even|fully|makes?|reach(?:es|ed)?|happens?|fires?"
        r"|\w+s|\w+ed)\b",
        0.5,
        "what should be done is done by nobody",
        "Nobody ever closes the second writer.",
        "Somebody closes the second writer.",
    ),
    Row(
        "wins-over",
        "flaw",
        r"\b(?:wins? (?:over|against|out)|takes? (?:precedence|priority)|(?:beats|trumps|overrules|outranks|supersedes"
        r"|precedes)|(?:comes?|runs?|fires?|starts?|arrives?|happens?|executes?|is \w+ed|are \w+ed|gets \w+ed|returns?"
        r"|closes?|reads?|writes?) (?:\w+ ){0,4}(?:before|ahead of|after|too late|too early|twice|more than once|late)"
        r"|(?:shares?|sharing|uses?|binds? to|writes? to|lands? (?:on|in)) the (?:very )?same|in the (?:wrong|other"
        r"|opposite|reverse) (?:order|direction|place|time ?zone|unit|branch|loop)|from before the|one (?:too (?:many"
        r"|few)|short|byte|ahead|behind)|off[- ]by[- ]\w+|fencepost|(?:by|with|at|to|from|under|for|of|in|on|against"
        r"|behind) (?:the|an?) (?:wrong|stale|old(?:er)?|outdated|expired|obsolete|leftover|dead|previous|default"
        r"|dummy)|for (?:each|every) (?:\w+ )?(?:call|request|row|key\w*|render|batch|query|item|file|message|frame"
        r"|iteration)|on every|at each|over and over)\b",
        0.3,
        "an order, a sharing or a repetition that should not be",
        "The old setting wins over the new one.",
        "The new setting is printed.",
    ),
    Row(
        "although",
        "contrast",
        r"\S \S+ \S+ \S+.{0,200}?\b(?:while|whereas|although|even though|though|yet|but|and (?:not|never|no)"
        r"|instead of|rather than|without|despite|regardless of|no matter|as if|unless|only (?:inside|in|when|if|for"
        r"|at|after|on|once|until)|except|even (?:if|when|after))\b",
        0.25,
        "sets two things against each other that should agree",
        "The writer holds the lock while the reader waits for it.",
        "The writer holds the lock.",
    ),
    Row(
        "names-read",
        "code",
        r"^(?:(?:interesting|suspicious|note that|reading [^,:]{1,40}|ok(?:ay)?|wait|so|hm+|and|also|the thing is|look"
        r"|turns out|i see that|i notice(?:d)? that)[,:.]? )*(?:the|our|its|each|every|this|that|a"
        r"|an)? ?(?:[\w'./-]+ ){0,4}?(?:`[^`]{2,80}` ?(?:[\w'./-]+ ){0,3}?)?(?:\w+ly |only |still |just )?(?!(?:is|as"
        r"|was|this|its|us|yes|does|has|tests|lets|thus|plus|less|always)\b)[a-z]+[a-z]s (?:[\w'./,-]+ ){0,7}?[`\d]",
        0.3,
        "says what a thing does to a named one",
        "The nightly job writes to `spool`.",
        "Write the nightly job to `spool`.",
    ),
)
