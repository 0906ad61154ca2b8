"""Words of doubt: what marks a sentence as a guess."""

from sessions.hypotheses.rules.table.row import Row

GUESSES: tuple[Row, ...] = (
    Row(
        "maybe",
        "hedge",
        r"\b(?:maybe|perhaps|possibly|presumably|probably|likely|plausibl[ey]|conceivabl[ey]|potentially|supposedly"
        r"|apparently|arguably|seemingly|i think|i believe|i assume|i imagine|i reckon|i suppose|i presume|i figure|i"
        r" gather|i have a feeling|i fear|chances? (?:are|that|of)|odds are|a possibility|it's possible|it is"
        r" possible|for all (?:i|we) know|as far as i can (?:tell|see)|by the looks? of (?:it|this|that|things)|in"
        r" all likelihood|i (?:can|could) imagine|not impossible|within the realm|(?:also|quite|well|equally|just"
        r"|entirely|very) (?:possible|conceivable|plausible|thinkable)|if i(?:'m| am) (?:right|not (?:mistaken|wrong)"
        r"|reading (?:this|it|that) (?:right|correctly))|correct me if|(?:i|we) (?:may|might|could) be (?:wrong"
        r"|mistaken|off|imagining)|unless i(?:'m| am) (?:mistaken|misreading|wrong|missing)|if i read (?:this|it"
        r"|that) (?:right|correctly)|it stands to reason|i'm afraid|i am afraid|i worry)\b",
        0.7,
        "an adverb of doubt marks a guess; three in four are suspected causes",
        "Maybe the cache is read before it is written.",
        "The cache is read before it is written.",
    ),
    Row(
        "sure-enough",
        "hedge",
        r"\bi(?:'m| am) (?:fairly|pretty|quite|rather|almost|reasonably|nearly|increasingly|more and more|somewhat"
        r"|not entirely) (?:\w+ )?(?:sure|certain|confident|convinced|suspicious|positive)\b|\bi(?:'m| am)"
        r" (?:starting|beginning|coming around) to (?:think|believe|suspect|wonder|feel|doubt)\b|\bi(?:'m| am)"
        r" (?:getting )?(?:suspicious|wary|worried|concerned|afraid) (?:of|about|that)\b|\b(?:makes?|making|got|has"
        r"|leaves?) me (?:think(?:ing)?|wonder(?:ing)?|suspect(?:ing)?|suspicious|believe)\b|\b(?:can't|cannot|can"
        r" not|wouldn't|won't|would not) (?:yet |quite )?(?:rule out|exclude|shake|help but)\b|\bnot (?:yet )?ruling"
        r" out\b|\bwhat (?:worries|bothers|bugs|puzzles|concerns) me (?:is|here|most|about)\b",
        1.0,
        "how sure the writer is of something means that it is not known",
        "I'm fairly sure the index is older than the data.",
        "The index is older than the data, for sure.",
    ),
    Row(
        "suspect",
        "hedge",
        r"\b(?:i|we)(?:'d| would|'m| am|'re| are)? (?:now |also |still |strongly |really |half |rather |kind of"
        r" )?(?:suspect(?:ing)?|guess(?:ing)?|doubt|bet|wager|wonder(?:ing)?|speculate|hypothesi[sz]e|theori[sz]e"
        r"|surmise|conjecture)\b|\b(?:my|our) (?:\w+ )?(?:guess|suspicion|hunch|bet|theory|hypothesis|conjecture"
        r"|instinct|gut|intuition|inkling|nose)\b|\bhad to (?:bet|guess|wager)\b|\bat a guess\b|\bmoney(?:'s| is|"
        r" would be)? on\b|\b(?:under|is|are) suspicio(?:n|us)\b|\bhypothes[ie]s\b|^\W*suspicious\b|\ba (?:gut"
        r" feeling|hunch|feeling that|suspicion|theory|inkling)\b|^\W*(?:theory|guess|suspicion|hunch|idea|conjecture"
        r"|hypothesis|assumption|suspect)\b\W*:|\b(?:i'm|i am|we're) (?:leaning|inclined|tempted|betting|guessing"
        r"|eyeing|looking hard at|gravitating)\b|\b(?:high|top|first|next|up|at the top) (?:on|of) (?:my|the|our)"
        r" (?:suspect |short)?list\b|\btest(?:ing)? the (?:idea|theory|assumption|suspicion|hunch|notion) that\b"
        r"|\b(?:wouldn't|would not|won't) (?:be (?:surprised|surprising|shocked|the first)|surprise|shock|put it"
        r" past)\b|\bi(?:'d| would) (?:not be surprised|say|bet|blame|point at|hazard|put (?:my )?money on)\b"
        r"|\bsomething tells me\b|\b(?:i|we) smell\b|\b(?:working|leading|going|current|running) (?:theory|assumption"
        r"|explanation|suspect)\b|\bhave (?:a|an|my) (?:\w+ )?(?:feeling|suspicion|hunch|inkling|eye on)\b|\bi have"
        r" my doubts\b|\bi(?:'d| would)?(?: \w+ly)? blame\b|\bi have .{2,60} in mind\b|\bi keep (?:coming|going"
        r"|circling) back to\b|\bi'd not rule out\b|\b(?:next|first|last) (?:thing|item|one|suspect) on (?:my|the"
        r"|our) (?:\w+ )?list\b|\b(?:long shot|shot in the dark|wild guess|educated guess|stab in the dark)\b"
        r"|\bnumber one suspect\b|\bsuspect (?:number|no\.?|#) ?\w+\b|\bmy (?:read|take|reading) (?:of|is|on)\b",
        1.2,
        "the writer says outright that it is a suspicion",
        "I suspect the second writer never flushes.",
        "The second writer flushes every minute.",
    ),
    Row(
        "seems",
        "hedge",
        r"\b(?:seems?|appears?) (?:to|like|that|as)\b|\blooks? to be\b|\bindicat(?:es?|ing|ive of)\b|\bimpl(?:y"
        r"|ies)\b|\b(?:signs?|clues?) (?:of|for)\b",
        0.45,
        "an impression drawn from what was just seen",
        "The lock seems to be held by the parent.",
        "The lock is held by the parent.",
    ),
    Row(
        "hints",
        "hedge",
        r"\bsuggest(?:s|ed|ing)\b|\b(?:looks?|sounds?|feels?) (?:\w+ )?(?:like|as if|as though)\b|\bhints? (?:at|to"
        r"|towards?)\b|\b(?:points?|pointing|pointed) (?:\w+ )?(?:to|at|towards?)\b|\b(?:evidence|everything|clues?"
        r"|arrows?|fingers|signs) (?:points?|pointing|so far)\b|\bspeaks for\b|\bgives the impression\b",
        0.6,
        "what was seen hints at something",
        "That suggests the lock is held by the parent.",
        "The lock is held by the parent.",
    ),
    Row(
        "smells",
        "hedge",
        r"\b(?:smells?|reeks?|stinks?|smacks?) (?:\w+ )?(?:like|of)\b|\bsmells? (?:\w+ )?(?:off|fishy|funny|bad"
        r"|wrong)\b|\b(?:looks?|seems?|feels?|sounds?|is|are) (?:\w+ly |a bit |a little |kind of |rather |quite |very"
        r" |pretty |somewhat |too |just )*(?:off|fishy|suspect|dubious|odd|strange|weird|iffy|sketchy|dodgy|shady"
        r"|funny|wonky|suspicious|wrong|weird|questionable|bogus|peculiar|curious|unlikely to be right|suspiciously"
        r" \w+)\b(?! (?:by|to(?! me)|of|if|when|on|the|for|limits|balance)\b)|\b(?:hallmarks?|earmarks?|fingerprints?"
        r"|signature|smell|whiff|tell-?tale signs?|classic (?:\w+ )?(?:case|sign|symptom|example)|textbook (?:case"
        r"|example)?) of\b|\bwritten all over\b|\bscreams\b|\btypical (?:of|for)\b|\b(?:symptomatic|reminiscent"
        r"|characteristic) of\b|\breminds me of\b|\bstrikes me as\b|\b(?:caught|catches|caught) my eye\b|\b(?:jumps"
        r"|jumped|stands|stood|sticks|stuck) out\b|\brais(?:es|ed) (?:a|an|my|some) (?:\w+ )?(?:flag|eyebrows?"
        r"|suspicion|question)\b|\b(?:a|big|huge) red flag\b|\bi don't (?:like|trust) (?:how|that|the|this|what)\b"
        r"|\b(?:all )?(?:signs|fingers|arrows) point\b",
        1.0,
        "an impression of something gone wrong",
        "The retry loop looks fishy.",
        "The retry loop looks at the clock.",
    ),
    Row(
        "labelled",
        "hedge",
        r"^\W*(?:(?:one|another|an?|my|our|next|first|second|third|new|possible|potential|likely|probable|plausible"
        r"|other|wild|best|current|simplest|last|also|worth|here(?:'s| is)|there(?:'s| is)|the|random|quick|only"
        r"|remaining|obvious|crazy|fresh|gut) ){0,3}(?:ideas?|thoughts?|explanation|scenario|possibility|story|guess"
        r"|hunch|feeling|long shot|shot in the dark|suspects?|candidate|red flag|theory|reading|interpretation|angle"
        r"|lead|suspicion|possible|to be (?:checked|tested|verified|ruled out)|hypothesis|conjecture|thing to"
        r" (?:consider|check|rule out|test))(?: (?:here|then|now|so far|to consider|to check|to rule out"
        r"|[#\w]+))?\W*(?::|\u2014|\u2013| - )",
        1.1,
        "a label says that what follows is a suspicion",
        "Another thought: the index is older than the data.",
        "The thought of an index: no.",
    ),
    Row(
        "or-else",
        "hedge",
        r"^(?:or|unless) (?!you\b|we\b|i\b|else\b|rather\b|do\b|should\b|just\b|even\b|simply\b|use\b|run\b|try\b"
        r"|better\b|not\b|would\b|at least\b)",
        0.6,
        "one more way in which it could be",
        "Or the index is older than the data.",
        "Older or newer, the index is read.",
    ),
    Row(
        "modal",
        "hedge",
        r"\b(?:could|might|may)\b (?!we\b|you\b|i\b)",
        0.45,
        "a possibility; weak alone, as offers and plans use the same words",
        "The reader may see half of the file.",
        "Could you restart the reader?",
    ),
    Row(
        "could-be",
        "hedge",
        r"\b(?:we|you) (?:could|might|may)(?: \w+ly| well| just| also)* be (?:looking at|dealing with|seeing|hitting"
        r"|facing|running into|up against|bitten by|losing|leaking|missing)\b|\b(?:this|that|it|which|these|those"
        r"|what we see|the \w+|the \w+ \w+) (?:could|might|may)(?: \w+ly| well| just| also| all)* (?:be|have been"
        r"|come|stem|result|originate|boil|have (?:something|to do|its))\b(?! (?:good|nice|useful|worth|better"
        r"|helpful|easier|simpler|used|able|done|added|extended|removed))",
        0.8,
        "says what something that was seen could be",
        "It could well be the second writer.",
        "It could run the second writer.",
    ),
    Row(
        "modal-cause",
        "cause",
        r"\b(?:could|might|may|would|must)\b(?: \w+){0,2} (?:caus(?:e|ing)|explain|break|fail|lead to|trigger|corrupt"
        r"|prevent|affect|block|confuse|overwrite|produce|return|read|see|differ|account for|be behind|be why|be what"
        r"|be responsible|result in|leave|make|trip|starve|drop|lose|leak|race|stall|throttle|skip|swallow|truncate"
        r"|clobber|shadow|mask|hide|expire|exceed|exhaust|hit)\b|\b(?:something|anything|a lot|everything) to do"
        r" with\b|\b(?:could|might|may|must)\b(?: \w+){0,2} (?:be|have been|get|not) (?:\w+ly )?(?:damaged"
        r"|corrupt(?:ed)?|wrong|broken|stale|missing|lost|swapped|truncated|outdated|incomplete|misconfigured|blocked"
        r"|skipped|ignored|dropped|unset|too \w+|starved|throttled|shadowed|exhausted|leaking|racing|racy|expired|off"
        r"|out of \w+|mapped|applied|set|loaded|called|there)\b",
        0.35,
        "a possibility that names an effect",
        "A late signal could cause the second close.",
        "A late signal could be sent by hand.",
    ),
    Row(
        "must-be",
        "hedge",
        r"\b(?:must|has to|have to|needs? to|has got to|'s got to|(?:can|could) only) (?:be (?:in|the|due|caused"
        r"|because|coming|something|from|a|an|that|some|down to|stale|wrong|happening)|come from|have been|mean|stem"
        r" from)\b|^(?:so |and |then |ok(?:ay)?,? |hm+,? )*(?:that|this|which|what|all that)(?:'s)? (?:only |just "
        r"|then |basically )?(?:leaves|left|remains|remaining)\b|\bby (?:elimination|exclusion)\b",
        0.9,
        "a conclusion by elimination",
        "The rest must come from the resolver.",
        "The rest must wait for the resolver.",
    ),
)
