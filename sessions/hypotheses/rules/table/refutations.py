"""What says of a suspicion that it was none."""

from sessions.hypotheses.rules.table.row import Row

REFUTATIONS: tuple[Row, ...] = (
    Row(
        "in-order",
        "refutes",
        r"\b(?:is|are|was|were|looks?|seems?|be|comes? (?:back|out|up)|came (?:back|out|up)) (?:all |also |indeed "
        r"|clearly |therefore |perfectly |completely |actually |just |as well |entirely |totally |absolutely |well "
        r"|quite |pretty )*(?:fine|correct|right(?! about\b)|intact|ok(?:ay)?|healthy|sane|sound|innocent|unaffected"
        r"|unrelated|safe|harmless|benign|in order|not affected|clean|good|up to date|in sync|in the clear|off the"
        r" hook|blameless|behaving|well-behaved|unremarkable|uneventful|boring|irrelevant|a non-issue|moot|above"
        r" suspicion|acquitted|exonerated|absolved|cleared|within (?:limits|bounds|spec|budget|range|tolerance)"
        r"|negligible|idle|bored|nowhere near|far from|identical|the same|valid|reasonable|plausible|normal|working"
        r"|consistent(?! with\b))\b(?![^.]{0,20}, but\b)(?! (?:now|tool|place|way|thing|time|to|approach|fix))",
        1.0,
        "what is in order is not the cause",
        "The parser is fine.",
        "The parser is the right place.",
    ),
    Row(
        "does-its-job",
        "refutes",
        r"\b(?:does|do|did) (?:its|their|the) (?:job|work)\b|\bworks? (?:fine|correctly|as (?:intended|expected"
        r"|designed|documented|advertised)|properly|perfectly)\b|\bbehaves(?=[.,:;!]|$)|\bdoing (?:exactly |just"
        r" )?(?:what it (?:should|is supposed to)|its job|the right thing)\b|\bbehav(?:es|ed|ing) (?:itself|fine|well"
        r"|correctly|properly|normally|as \w+)\b|\bdoes (?:exactly |just )?(?:what it should|the right thing|as it"
        r" should)\b|\bchecks? out\b|\bholds? up\b|\bmatch(?:es|ed)? (?:exactly|perfectly|what|the (?:reference"
        r"|expected|spec|layout|model|docs?|cpu|config))\b|\bagrees?\b|\bis what .{1,60}\b(?:expects?|wants?|looks?"
        r" like)\b|\b(?:as|like) it should\b|\bas (?:intended|designed|documented|advertised)\b|\bas \S+ expects?\b"
        r"|\bhandles? (?:it |this |that |.{1,40})?(?:fine|correctly|well|properly)\b|\bis (?:fast|instant"
        r"|instantaneous)\b|\b(?:correct|expected|normal|healthy) behaviou?r\b|\bclean bill\b|\bsurvives?\b"
        r"|\b(?:right )?on spec\b|\bto spec\b",
        1.0,
        "what works is not the cause",
        "The kernel does its job here.",
        "The job of the kernel is unclear.",
    ),
    Row(
        "not-it",
        "refutes",
        r"\bneither\b(?! here nor there).{1,80}\bnor\b|^if (?:it|this|that|the .{1,60}|\S+ .{0,50}) (?:were|was)"
        r" .{2,80}?\b(?:would|'d|should)\b.{2,80}\b(?:but|yet|and it doesn't|and they don't)\b|\b(?:it|this|that|so"
        r" this|so it)(?:'s| is| was) not\b(?! (?:clear|enough|possible|obvious|sure|yet))|\b(?:isn't|is not|wasn't"
        r"|was not|aren't|are not) (?:the|our|a|an|to|caus\w+|it|at fault|involved|relevant|behind|what|why|where"
        r"|responsible|guilty|related|it)\b|\bcan(?:not|'t) (?:really )?(?:be (?:the|it|that|due|because|what|behind)"
        r"|explain|account for)\b|\bcouldn't (?:be|have been|have)\b|\bnot (?:a|the) (?:[^,:;]{1,40} )?(?:issue"
        r"|problem|cause|bug|mismatch|fault|culprit|reason|explanation|one)\b|\bnot (?:caused|due|because|related"
        r"|responsible|guilty|to blame|at fault|involved|our (?:bug|culprit|problem|man))\b|\bunrelated to\b|\b(?:has"
        r"|have|had) nothing to do with\b|\bdid(?:n't| not) do it\b|\bso not (?!yet\b|sure\b|only\b|all\b|too\b"
        r"|much\b|bad\b|easy\b|a\b)|^(?:so |then |ok(?:ay)?,? )*not (?!yet\b|sure\b|only\b|clear\b|too\b|bad\b|all\b"
        r"|quite\b|enough\b|a (?:lot|big)\b)\S+ ?[^.]{0,60}, then\b|^not (?:the|our|it|this|that|an?) (?:\S+"
        r" ?){1,6}[.!]?$|[.:;] not (?:the|an?|our|this|that|it|from|because|due|my) (?:\S+ ?){1,6}\.$|[.:;] not"
        r" \S+\.$|\bdoes(?:n't| not) (?:explain|account for|hold (?:up|water)|fit|apply here|support)\b",
        1.0,
        "says that it is not this",
        "So it's not the clock.",
        "It is not clear yet.",
    ),
    Row(
        "ruled-out",
        "refutes",
        r"\b(?:(?:rules|ruled|ruling|cross|crosses|crossed|crossing|ticks?|strikes?|struck|scratch|scratches|writes?"
        r"|wrote) (?:it |this |that |them |both |the .{1,40} |\S+ )?(?:out|off)|(?:cross|scratch|strike|tick) .{1,60}"
        r" off|(?:discard|discarding|discarded|scrap|scrapping) (?:it|that|this)|there goes (?:that|my|the|our|this)"
        r"|(?:drop|dropping|retract|withdraw|scrap|bin) (?:that|this|my|the) (?:theory|idea|hypothesis|suspicion"
        r"|guess)|i (?:take that back|retract)|(?:can|could|we|i) (?:now |safely )?rule .{1,60} out|i can (?:now"
        r" )?exclude|(?:excludes|excluded|eliminates|eliminated|falsifies|falsified))\b|\b(?:exonerat|refut|disprov"
        r"|acquit|absolv|debunk)\w*\b|^(?:so |ok(?:ay)?,? |then )*(?:scratch|strike|discard|dismiss)\b",
        1.0,
        "a word of elimination",
        "That rules out the clock.",
        "That rule has run out of date.",
    ),
    Row(
        "dead-end",
        "refutes",
        r"\b(?:clears? (?:the|it|this|that)|alibi|lets? .{1,40} off the hook|dead end|red herring|blind alley|goose"
        r" chase|(?:false|wrong|cold) (?:alarm|lead|trail|track|tree|scent|suspect|guess|hunch|turn)|so much for|off"
        r" the (?:table|list)|(?:one|a) (?:suspect|theory|idea|candidate) (?:fewer|less|down)|down (?:one|a)"
        r" (?:suspect|theory)|out (?:of|goes) the window|(?:kills|sinks|buries|shoots down|rejects|dismisses|speaks?"
        r" against|argues? against|contradicts|torpedoes|puts paid to) (?:the|that|this|my|our|it))\b",
        1.0,
        "a figure of speech for a trail that leads nowhere",
        "The clock was a red herring.",
        "The clock was red.",
    ),
    Row(
        "is-out",
        "refutes",
        r"\b(?:is|are|were|was) (?:all )?(?:out(?=[.,:;!]|$)|(?:off the (?:table|list|hook)|out of the (?:picture"
        r"|running|question|way)|dead|busted|toast)\b)|\b(?:theory|idea|hypothesis|suspicion|hunch|guess)(?:"
        r" \w+){0,5}? (?:is|was|has been|just|looks)? ?(?:dead|wrong|gone|busted|disproved|falls apart|fell apart"
        r"|collapses|dies|died|sunk|rejected|dismissed|doesn't (?:hold|fit|survive)|did not (?:hold|survive)|didn't"
        r" (?:hold|survive))\b",
        1.0,
        "says of a suspicion that it is out",
        "The clock is out of the running.",
        "The clock is out of sight of the theory.",
    ),
    Row(
        "no-sign",
        "refutes",
        r"\bno (?:sign|trace|evidence|hint|indication|symptom|shred|smoking gun)s? (?:of|that|for|here|there|in)\b"
        r"|\bnothing (?:is |was |looks |seems )?(?:wrong|unusual|suspicious|odd|out of the ordinary|amiss|there|to"
        r" see|of the sort|of the kind|like that|abnormal|alarming|remarkable|broken|off)\b|\bno (?:dice|luck|joy"
        r"|cigar|such luck)\b|^(?:ok(?:ay)?,? |hm+,? |well,? |so |and )*(?:nope|nah|negative)\b|\bwithout (?:any"
        r" )?(?:a )?(?:problem|issue|trouble|hitch|fault)s?\b|\b(?:look|search|lie|lies|be|keep looking|hunt)"
        r" elsewhere\b|\bsomething else\b(?! (?:is|to))|\b(?:another|a different|some other) (?:explanation|cause"
        r"|reason|culprit|suspect)\b|\b(?:square one|drawing board)\b|\bcontrary to (?:what|my|our)\b|\bi (?:stand"
        r" corrected|guessed wrong)\b|^[^:.]{3,50}: (?:clean|fine|healthy|negative|nothing|normal|innocent|in"
        r" order)(?=[.,;!]|$)|^(?:so |ok(?:ay)?,? |hm+,? )*(?:all (?:good|fine|clean|quiet|normal) (?:here|there)"
        r"|healthy|clean|harmless)\b\W*[:,\u2014-]|\b(?:i was|was i) (?:wrong|mistaken|off)\b|\bbarking up\b",
        1.0,
        "nothing was found where it was looked for",
        "No sign of a second writer.",
        "The sign says two writers.",
    ),
    Row(
        "no-change",
        "refutes",
        r"^(?:hm+,? |no[,.] |but |and |nope[,.] )*(?:still|same (?:thing|result|error|output|failure|problem|issue"
        r"|story|as before|again)|same[.!]|no (?:change|difference|effect|luck|improvement))\b|\b(?:that|this|it"
        r"|which|change|fix|setting|patch)\b[^.]{0,30}\b(?:didn't|doesn't|did not|does not) (?:help|change"
        r" (?:anything|the|it)|matter|make (?:a|any) difference|fix|work|solve)\b|\b(?:makes?|made) no difference\b"
        r"|\bnot (?:the )?reason\b|\b(?:with|without|disabl\w+|even) .{1,60}\b(?:just|exactly|still|all) the same\b"
        r"|\bwith or without\b|\b(?:fails?|failed|happens?|happened|crash\w*|hangs?|reproduces?|persists?|occurs?"
        r"|slow) (?:just|exactly|all)? ?(?:the same|as (?:often|before|badly|much)|regardless|either way|anyway|even"
        r" (?:with|without|when|if|after))\b|\b(?:persists|remains|survives|reproduces)(?: even)? (?:with|without"
        r"|after|when)\b|\b(?:no|zero|not the slightest) (?:effect|impact|influence) (?:on|whatsoever|at all)\b"
        r"|\bmove the needle\b|\bchang(?:es|ed) nothing\b|\bpersist(?:s|ed)? (?:without|with|even|when|regardless)\b"
        r"|\b(?:is|are|was|were) still (?:there|present|happening)\b|\b(?:same|identical) (?:behaviou?r|result"
        r"|picture|outcome|symptoms?) (?:without|with|either way)\b",
        1.0,
        "the change made no difference",
        "Still slow.",
        "It is slower than before.",
    ),
    Row(
        "own-mistake",
        "refutes",
        r"\b(?:my|our) (?:own )?(?:query|mistake|script|probe|typo|misreading|measurement"
        r"|command)\b[^.]{0,40}\b(?:wrong|backwards?|and not|not the|at fault)\b|\bmy (?:own )?(?:mistake|fault|error"
        r"|bad)\b|\b(?:came|comes?|due|because|down) (?:from|to|of) (?:my|our|how i|the way i) \w+|\b(?:i|we)(?:'d|"
        r" had|'ve| have)? (?:been )?(?:ask(?:ed|ing)|query\w*|queried|us(?:ed|ing)|read(?:ing)?|call(?:ed|ing)"
        r"|look(?:ed|ing)|got|had|misread|mixed)\b[^.]{0,40}\b(?:backwards?|wrong (?:way|direction|side|end|order|key"
        r"|file|log)|the other way|upside down|in reverse|up)\b|\bwrong (?:direction|way (?:round|around))\b"
        r"|\bartefact of\b|\bartifact of\b",
        1.2,
        "the finding came from how it was asked",
        "That came from my query, not from the table.",
        "My query returned three rows.",
    ),
    Row(
        "contradicts",
        "refutes",
        r"\b(?:but|yet|however|wait|hm+)\b[^.]{0,60}\b(?:does|is|are|was|were|did) (?:in fact|actually|already)"
        r" (?:\w+ )?(?:respect|handle|work|exist|set|there|called|loaded|read|present|used|supported)\b|\byou'?re"
        r" right\b|\bi was wrong\b|(?<!what )\bactually (?:does|works)\b|\bturns out (?:that )?(?:it|this"
        r"|the)\b[^.]{0,40}\bnot\b",
        0.7,
        "takes a claim back",
        "But the flag is actually read.",
        "The flag is read here.",
    ),
    Row(
        "fast-enough",
        "refutes",
        r"\b(?:delay|problem|issue|trouble|bug|difference) (?:must|has to) (?:be|come|lie)\b|\bso it must be\b"
        r"|\b(?:must|has to) (?:be (?:something|somewhere)|come from (?:something|somewhere)|lie) (?:else|elsewhere)\b",
        0.6,
        "what must be elsewhere is not here",
        "The delay must be in the resolver.",
        "The resolver adds a delay.",
    ),
)
