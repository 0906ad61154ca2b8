"""Words that tell nothing of what a sentence is about."""

STOP = frozenset(
    {
        "a", "about", "above", "actually", "after", "again", "all", "almost", "alone", "already", "also",
        "although", "always", "am", "an", "and", "another", "any", "anything", "are", "around", "as", "ask",
        "at", "away", "back", "be", "because", "been", "before", "being", "below", "best", "better",
        "between", "both", "but", "by", "call", "came", "can", "cannot", "check", "clear", "come", "could",
        "did", "different", "do", "does", "doing", "done", "down", "each", "either", "else", "end", "enough",
        "even", "ever", "every", "everything", "exactly", "expect", "far", "few", "fine", "first", "fix",
        "follow", "for", "found", "from", "full", "get", "give", "go", "going", "good", "got", "had", "has",
        "have", "having", "he", "help", "here", "his", "how", "however", "i", "if", "in", "instead", "into",
        "is", "issue", "it", "its", "itself", "just", "keep", "kind", "know", "last", "least", "left", "let",
        "like", "likely", "line", "list", "little", "look", "lot", "made", "main", "make", "many", "may",
        "maybe", "me", "mean", "might", "more", "most", "much", "must", "my", "name", "near", "need", "never",
        "new", "next", "no", "not", "nothing", "now", "of", "off", "ok", "old", "on", "once", "one", "only",
        "open", "or", "other", "our", "out", "over", "own", "part", "perhaps", "place", "point", "possible",
        "probably", "problem", "put", "quite", "rather", "read", "real", "really", "reason", "right", "run",
        "same", "say", "second", "see", "seem", "set", "she", "should", "show", "side", "simply", "since",
        "so", "some", "something", "start", "still", "such", "sure", "take", "tell", "test", "than", "that",
        "the", "their", "them", "then", "there", "these", "they", "thing", "think", "third", "this", "those",
        "though", "through", "time", "to", "together", "too", "try", "turn", "two", "under", "until", "up",
        "upon", "us", "use", "user", "very", "want", "was", "way", "we", "well", "went", "were", "what",
        "when", "where", "whether", "which", "while", "who", "whole", "why", "will", "with", "within",
        "without", "work", "would", "yes", "yet", "you", "your", "s", "t", "d", "ll", "re", "ve", "m", "don",
        "doesn", "didn", "isn", "wasn", "aren", "won", "couldn", "wouldn", "hasn", "haven", "hmm", "okay",
        "lets", "wait", "actual", "cause", "culprit", "suspect", "candidate", "bug", "wrong", "error", "fail",
        "failure", "correct", "value", "result", "return", "change", "find", "happen",
    }
)  # fmt: skip
