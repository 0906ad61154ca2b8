"""Words of doubt: what marks a sentence as a guess."""

from sessions.hypotheses.rules.table.row import Row

GUESSES: tuple[Row, ...] = (
    Row(
        "maybe",
        "hedge",
        r"\b(?:maybe|perhaps|possibly|presumably|probably|likely|plausibl[ey]|conceivabl[ey]|i think|i believe"
        r"|i assume"
        r"|i imagine|i reckon|i have a feeling|i fear|a chance (?:that|of)|a possibility|it's possible"
        r"|it is possible)\b",
        0.7,
        "an adverb of doubt marks a guess; three in four are suspected causes",
        "Maybe the cache is read before it is written.",
        "The cache is read before it is written.",
    ),
    Row(
        "suspect",
        "hedge",
        r"\b(?:i|we)(?:'d| would)? (?:now |also |still |strongly |really )?(?:suspect|guess|doubt|bet|wonder)\b"
        r"|\bmy (?:\w+ )?(?:guess|suspicion|hunch|bet|theory|hypothesis)\b|\bhad to bet\b|\bmoney is on\b"
        r"|\b(?:under|is|are) suspicio(?:n|us)\b|\bhypothes[ie]s\b|^\W*suspicious\b"
        r"|\b(?:a|my) (?:gut feeling|hunch|feeling that|suspicion|theory)\b|^\W*(?:theory|guess|suspicion|hunch"
        r"|idea)\b\W*:"
        r"|\b(?:i'm|i am|we're) (?:leaning|inclined|tempted|betting|guessing)\b|\b(?:high|top|first"
        r"|next) on (?:my|the|our) list\b"
        r"|\btest(?:ing)? the (?:idea|theory|assumption|suspicion) that\b|\bwouldn't (?:be surprised|surprise)\b"
        r"|\bi(?:'d| would) (?:say|bet|blame|point at|put (?:my )?money on)\b",
        1.2,
        "the writer says outright that it is a suspicion",
        "I suspect the second writer never flushes.",
        "The second writer flushes every minute.",
    ),
    Row(
        "seems",
        "hedge",
        r"\b(?:seems?|appears?) (?:to|like|that|as)\b|\blooks? (?:like|as if|as though)\b|\bsuggest(?:s|ing)\b"
        r"|\bsounds like\b|\bfeels like\b|\breeks of\b|\bhints? at\b|\bindicat(?:es?|ing|ive of)\b"
        r"|\bpoint(?:s|ing) (?:to|at|towards?)\b|\bsmells like\b|\bimpl(?:y|ies)\b",
        0.45,
        "an impression drawn from what was just seen",
        "That suggests the lock is held by the parent.",
        "The lock is held by the parent.",
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
        "modal-cause",
        "cause",
        r"\b(?:could|might|may|would|must)\b(?: \w+){0,2} (?:caus(?:e|ing)|explain|break|fail|lead to|trigger|corrupt"
        r"|prevent|affect|block|confuse|overwrite|produce|return|read|see|differ|account for|be behind|be why|be what"
        r"|be responsible|result in|leave|make|trip)\b|\b(?:something|anything) to do with\b"
        r"|\b(?:could|might|may|must)\b(?: \w+){0,2} (?:be|have been|get|not) (?:\w+ly )?(?:damaged"
        r"|corrupt(?:ed)?|wrong|broken|stale"
        r"|missing|lost|swapped|truncated|outdated|incomplete|misconfigured|blocked|skipped|ignored|dropped"
        r"|unset|too \w+"
        r"|mapped|applied|set|loaded|called|there)\b",
        0.35,
        "a possibility that names an effect",
        "A late signal could cause the second close.",
        "A late signal could be sent by hand.",
    ),
    Row(
        "must-be",
        "hedge",
        r"\b(?:must|has to|have to|needs? to) (?:be (?:in|the|due|caused|because|coming|something|from|a|an)"
        r"|come from"
        r"|have been)\b",
        0.7,
        "a conclusion by elimination",
        "The rest must come from the resolver.",
        "The rest must wait for the resolver.",
    ),
)
