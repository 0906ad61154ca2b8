"""What a message says of a suspicion that is being tested."""

from sessions.hypotheses.rules.table.refutations import REFUTATIONS
from sessions.hypotheses.rules.table.row import Row

STANCES: tuple[Row, ...] = (
    *REFUTATIONS,
    Row(
        "found-it",
        "confirms",
        r"^(?:yes[,!.:] |ah,? |aha[,!.:] |ok(?:ay)?,? |so |and |great[,!.] |right[,!.] )*(?:there (?:it|we) (?:is|are"
        r"|go|have it)|we(?:'ve| have) found|there you (?:have it|go)|found it|found the|got (?:it|him|you)|that'?s"
        r" it|this is it|bingo|here it is|that was it|gotcha|eureka|jackpot|bulls?-?eye|case closed|mystery solved"
        r"|nailed(?: it| down)?|caught (?:it|in the act|red-handed|you)|busted|guilty|convicted|sure enough|lo and"
        r" behold|(?:and )?indeed|aha|we have (?:a winner|it|our (?:answer|culprit|cause|bug))|yes!|yep|that's the"
        r" one)\b|\b(?:smoking gun|red-handed|in the act|guilty as charged|case closed|mystery solved|penny (?:drops"
        r"|dropped))\b",
        1.0,
        "announces the finding",
        "There it is.",
        "It is there.",
    ),
    Row(
        "is-the-bug",
        "confirms",
        r"\b(?:that|this|here|there|it|which)(?:'s| is| was) (?:exactly |indeed |really |definitely )?(?:the|our|your"
        r"|a real|a genuine|why|what) ?(?:\w+ )?(?:bug|issue|problem|cause|culprit|reason|offender|villain)\b|\b(?:is"
        r"|was) (?:indeed|definitely|really|clearly|in fact|truly) (?:the )?(?:cause|culprit|bug|problem)\b|\b(?:is"
        r"|are|was) (?:the|our) (?:real |actual |true |root |only )*(?:cause|culprit|bug|offender|villain"
        r"|problem)\b(?! (?:of this (?:pr|commit)|space|is)\b)|\broot cause\b\W*(?:(?:is|was)(?! not\b)|confirmed"
        r"|found|identified|:)|\b(?:is|are|was) (?:adding|causing|responsible for|to blame|at fault|guilty|behind"
        r" (?:this|it|the|all))\b|\baccounts? for\b|\b(?:the|our) (?:real|actual|true) (?:problem|issue|bug|cause"
        r"|culprit|reason) (?:is|was)(?! not\b)",
        1.0,
        "says that this is the cause",
        "That's the bug.",
        "That is a long list.",
    ),
    Row(
        "confirmed",
        "confirms",
        r"\bconfirm(?:s|ed)\b(?! (?:(?:that )?(?:there (?:is|are) )?no\b|.{1,60}\b(?:fine|correct(?:ly)?|clean|safe"
        r"|works?|pass(?:es)?|ok|expected|not|isn't|doesn't|only|one (?:important )?detail)\b))|\bproves\b|\bproof\b"
        r"|\bproven\b|\bdemonstrat(?:es|ed)\b|\bverified\b",
        0.6,
        "a word of proof, which may be one of anything: counts for what the sentence names",
        "Confirmed: the second writer never flushes.",
        "I confirm by mail.",
    ),
    Row(
        "hence",
        "confirms",
        r"\bhence\b|\b(?:that|this)(?:'s| is) (?:exactly )?(?:why|where)\b|\bwhich is (?:exactly )?(?:why|where)\b"
        r"|^(?:so |yes[,:]? |and |ok(?:ay)?,? |indeed,? )*it(?:'s| is| was)(?: really| indeed| in fact)? (?:the|our)"
        r" (?!same\b|first\b|only\b|other\b|next\b)|\b(?:causes|caused|produces|explains) (?:the|this|all|our)\b",
        0.6,
        "joins the symptom to its cause: counts for what the sentence names",
        "The second writer never flushes, hence the gaps.",
        "The second writer flushes after the gaps.",
    ),
    Row(
        "settles-it",
        "confirms",
        r"^\W*(?:(?:\w+ ){0,2}confirmed|verified|proven|proof|diagnosis|(?:the )?(?:real|actual|true|root) (?:cause"
        r"|culprit|reason|problem))\b\W*[:,.!;\u2014\u2013-]|^(?:\w+[,!.:]? )*this proves it\b|\b(?:that|this|which)"
        r" (?:settles|clinches|seals|nails|proves|confirms|does prove) (?:it|that|this|the (?:deal|matter|case"
        r"|question))\b|\bi was right\b|\b(?:exactly |just |precisely )(?:as|what) (?:i|we)(?:'d| had)? (?:\w+"
        r" )?(?:suspected|feared|thought|guessed|expected|predicted)\b|\bas (?:i |we )?(?:suspected|feared|guessed)\b"
        r"|\b(?:theory|hypothesis|suspicion|hunch|guess) (?:\w+ ){0,4}?(?:holds|stands|confirmed|was right|is right"
        r"|checks out|is correct|fits)\b|\b(?:no|any|beyond|without a?) ?(?:\w+ )?doubt\b(?! that)|\b(?:unambiguous"
        r"|(?<!not )(?<!in)conclusive|definitive|irrefutable|undeniable)\b|\b(?:clear|certain|obvious|official|plain)"
        r" now\b|\bnow it'?s (?:clear|certain|obvious|official)\b|\bi'?m (?:now )?certain\b|\bour answer\b|\bafter"
        r" all\b|^(?!there|here|that|as|what|where|so|how)[^.,]{3,50} it is\b[.:!]|\bthat explains (?:it|everything"
        r"|why|all|the|a lot|both)\b|\bexplains (?:it all|everything)\b|\bit all (?:adds up|fits)\b|\bso (?:it is"
        r"|it's) (?!not\b|n't)[^.?]{3,60}\bindeed\b|\bindeed[:,]|\ball along\b|\b(?:is|was) the one\b|\bfalls? into"
        r" place\b|\b(?:all makes|makes (?:perfect )?sense) now\b|\bclear as day\b|\bevidence is (?:clear"
        r"|overwhelming|plain|solid|in)\b|\bno question[:,]|\b(?:with|without) .{2,60}, .{2,60}\b(?:is|are) (?:gone"
        r"|back to normal|fixed)\b|\bnow it all\b|\bthis is what (?:breaks|causes|makes|kills|triggers)\b|\b(?:go"
        r"|goes|went) away (?:when|with|without|once|after|if)\b|\b(?:vanish(?:es|ed)?|disappear(?:s|ed)?|(?:is|are)"
        r" gone) (?:when|with|without|once|after|if|as soon)\b|\b(?:only|just) (?:happens|fails|occurs|hangs|crashes"
        r"|breaks) (?:when|with|if)\b|\breproduces it\b",
        0.9,
        "says that it is proven, that it was right, or that it is that after all",
        "That settles it: the second writer never flushes.",
        "The dust settles on the second writer.",
    ),
    Row(
        "fixed",
        "confirms",
        r"\bnow (?:it |everything |this |that )?(?:works?|passes(?! [`'\"*\w])|succeeds)\b|\b(?:fix|patch|change|test"
        r"|guard|workaround) (?:now )?(?:works?|worked|passes|passed|is working|helped)\b|\b(?:works?|worked|passes"
        r"|passing|green|fixed|solved|resolved|gone) now\b|\b(?:it|that|this|problem|issue|error|bug) (?:is|was|has"
        r" been|got) (?:now |definitely |indeed |completely )?(?:fixed|solved|resolved|gone)\b|\bsettings are"
        r" working\b|\bdown from\b|\b(?:all|both) (?:tests? )?(?:are )?(?:pass(?:es|ing|ed)?|green)\b|\ball passing\b",
        0.9,
        "the trouble is gone after a change",
        "Now it works.",
        "Now it runs the other test.",
    ),
    Row(
        "shows-defect",
        "confirms",
        r"\b(?:is|are|were|was) (?:indeed |all |really |simply |just |silently )?(?:unmapped|missing|not mapped"
        r"|skipped|dropped|empty|lost|ignored|never (?:set|called|loaded|filled|written)|uninitiali[sz]ed"
        r"|corrupt(?:ed)?|wrong|broken|stale|swapped|truncated|not (?:in|there|set|loaded|present|called|honou?red))\b",
        0.5,
        "states the defect as a fact",
        "Three columns are missing in the second file.",
        "Three columns were added to the second file.",
    ),
    Row(
        "doing",
        "doing",
        r"^(?:(?:now|next|so|then|and|ok(?:ay)?|good),? )*i(?:'m| am) (?:now |also |just |still )*\w+ing\b|^i"
        r" (?:updated|changed|added|removed|replaced|moved|switched|tightened|patched|made|wired|kept)\b|^if\b(?!"
        r" .{2,60} (?:were|was) .{2,120}\b(?:but|yet)\b)|^(?:update|add|change|fix|remove|replace|rename|refactor"
        r"|implement)(?: (?:the|a|an|all|this|that|it|every)\b|:)",
        0.0,
        "says what is or was done, or what would follow: no conclusion",
        "I'm fixing the parser to handle both correctly.",
        "The parser handles both correctly.",
    ),
    Row(
        "park",
        "parks",
        r"\b(?:inconclusive|park(?:ing|ed)?|shelv(?:e|ing|ed)|defer(?:ring|red)? (?:it|this|that)|postpon(?:e|ing|ed)"
        r"|set(?:ting)? .{1,40} (?:aside|to (?:one|the) side)|put(?:ting)? .{1,40} (?:aside|on hold|on ice|on the"
        r" back burner|to (?:one|the) side)|leav(?:e|es|ing) (?:it|this|that|me)|leav(?:e|ing) .{1,40} (?:for now|for"
        r" later|there|open|be|at that|alone|unresolved)|(?:stays?|remains?) open|let .{1,40} rest|tells? (?:me |us"
        r" )?nothing|one way or the other|not conclusive|no telling|enough (?:of|time (?:spent )?on)|(?:isn't|not)"
        r" worth (?:more|any)|too (?:expensive|costly|long|much work|tedious) to (?:test|check|verify|settle)|not"
        r" going (?:further|down|any)|nowhere with|goes nowhere|abandon(?:ing)?|for (?:now|later|the moment|another"
        r" day|the time being)|come back to|not settled|unsettled|undecided|on hold|back burner|(?:give|giving|gave)"
        r" up on|(?:stop|quit|not) (?:pursu|chas|dig)\w+|(?:drop|abandon|skip|forget|ditch|let go of|table) (?:it"
        r"|this|that|about|my|our)|(?:^|i'm |i am |we're |ok(?:ay)?,? |hard to test, )(?:\w+ly )?(?:dropping"
        r"|abandoning|skipping|shelving|ditching|tabling|deferring) \S+(?! deliberately)|never mind|neither here nor"
        r" there|rabbit hole|not enough (?:data|evidence|information|to go on)|nothing conclusive|remains?"
        r" (?:possible|open|unclear|unresolved|to be seen)|jury(?:'s| is) (?:still )?out|unresolved|undetermined|out"
        r" of (?:my )?reach|time-?box|revisit|not worth (?:the|more|my|our))\b",
        1.0,
        "puts it aside undecided",
        "That is inconclusive; another day, then.",
        "The car stands at another gate.",
    ),
    Row(
        "turn-away",
        "parks",
        r"\b(?:moving on|on to the next|do(?:es)?(?:n't| not) (?:tell|say|show|prove|reveal|settle|help) (?:us |me"
        r" )?(?:much|anything|either|which|whether|a lot)|doesn't tell|does not tell|does not say|doesn't say"
        r"|(?:can't|cannot|can not|couldn't|unable to|no way to|not able to|hard to|impossible to|hopeless to)"
        r" (?:really |easily |reliably |currently )?(?:tell|verify|test|check|say|settle|look at|inspect|see into"
        r"|measure|get at|reproduce|judge|decide|know)|another angle|other angle|different (?:approach|angle"
        r"|direction|tack)|instead of (?:reading|going|digging|chasing)|(?:leads?|gets?|going|went) (?:us |me"
        r" )?nowhere|step back|switch(?:ing)? (?:to|over to) (?:another|something|a different)|from (?:the other"
        r"|another|a different) (?:side|end|angle)|no (?:access|permission|root|credentials|tooling|time|data|way"
        r"|means) (?:to|for|on|here)|lack the (?:permissions?|access|tools|rights|means)|don't have (?:what|access"
        r"|the (?:tools|rights|permissions?|means|data))|move on|something (?:else|more likely) first|(?:need"
        r"|require)s? (?:access|root|a (?:production|core|packet|kernel|heap))|(?:cheaper|cheap|likelier|better|more"
        r" promising|easier|other) (?:things|leads|candidates|suspects|avenues|something)|something (?:cheaper"
        r"|likelier|more promising|easier|else first)|isn't (?:runnable|testable|possible here))\b",
        1.0,
        "turns to something else, as it tells nothing",
        "The trace doesn't tell; another angle then.",
        "The trace tells of an angle.",
    ),
    Row(
        "reopens",
        "reopens",
        r"\b(?:dismissed|ruled .{1,50}? out|discarded|wrote (?:it|that|this) off|cleared|dropped|gave up on|let go of"
        r"|crossed (?:it|that|this) off|exonerated) .{0,60}\b(?:too (?:early|soon|quickly|hastily|fast|easily)"
        r"|wrong(?:ly)?|prematurely|by mistake|in error|on (?:the|a) (?:wrong|bad|flawed))\b|^(?:wait[,.:]? |so "
        r"|hm+,? |ok(?:ay)?,? )*(?:back to(?! square| the drawing)|once more|revisiting|reopening|returning to|let me"
        r" (?:redo|reconsider|revisit|reopen|recheck|re-check|go back to)|on second thoughts?|second look at)\b"
        r"|\b(?:earlier|first|previous|last) (?:check|test|experiment|run|measurement|verdict"
        r"|conclusion)\b.{0,40}\b(?:flawed|wrong|invalid|meaningless|bogus|misleading|didn't|did not|missed|too \w+"
        r"|unsound|premature)\b|\btoo (?:hasty|quick to|rash)\b|\b(?:i|we) (?:spoke|judged|concluded) too (?:soon"
        r"|early)\b|\bnot so fast\b",
        0.0,
        "takes a verdict back: what the sentence says of it holds no longer",
        "I dismissed the clock too early.",
        "I set the clock early.",
    ),
)
