"""What an output shows by itself."""

from sessions.hypotheses.rules.table.row import Row

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"

OUTPUTS: tuple[Row, ...] = (
    Row(
        "close",
        "agrees",
        r"\b(?:all_?close|array_?equal|torch\.equal|equal|match(?:es|ed|ing)?|same|identical|agree(?:s|ment)?"
        r"|consistent|round[ -]?trip)\b"
        r"[^\n]{0,40}?[:=]\s*(?:true|yes|ok|1\b|100(?:\.0+)? ?%)",
        1.0,
        "a comparison that answers yes",
        "allclose(atol=1e-3): True",
        "allclose(atol=1e-3): False",
    ),
    Row(
        "identical",
        "agrees",
        r"(?<!not )(?<!non-)(?<!un)\b(?:identical|bit[- ]?exact|bitwise equal|all (?:\w+ )?(?:match|equal|agree"
        r"|mapped|ok)|files? match|no (?:differences?|mismatch(?:es)?|diff)"
        r"|(?<![\d.])0 (?:differences|mismatch(?:es)?|differ|errors|failed|bad|outliers)"
        r"|within (?:the )?(?:tolerances?|bounds|limits|fp\d+|float\d+|rounding)|as expected|in agreement"
        r"|assert_close\W+(?:ok|pass\w*)|(?:both|all|outputs?|results?|logits|backends?)(?: \w+){0,3} (?:agrees?"
        r"|match(?:es)?))\b"
        r"|\b(?:no measurable difference|agrees? with|matches (?:the )?(?:reference|expected|baseline|cpu"
        r"|fp32))\b(?!\s*[:=]\s*(?:false|no\b|0))",
        1.0,
        "says that two things are the same",
        "layout: identical, 64 heads",
        "layout: not identical",
    ),
    Row(
        "none-differ",
        "agrees",
        r"\b(?:mismatch\w*|differences?|differing|outliers|errors)(?: \w+)?\s*[:=]\s*0\b(?!\.)"
        r"|\b(?:agreement|match(?:ing|ed)?|identical)\b[^\n\d]{0,12}(?:99\.\d+|100(?:\.0+)?) ?%"
        r"|(?:->|=>|→)\s*(?:match|same|equal|identical)(?:es)?\s*$",
        1.0,
        "counts no difference",
        "mismatched elements: 0 / 4096",
        "mismatched elements: 7 / 4096",
    ),
    Row(
        "all-of-all",
        "agrees",
        r"(?<![\d.,])(?P<all>[1-9]\d*)(?: of | out of |\s?/\s?)(?P=all)\b\W+(?:\w+\W+){0,3}"
        r"(?:match|ok|pass|resolve|mapped|equal|agree|identical|correct|valid|good|found|loaded)",
        1.0,
        "as many as there are",
        "54 of 54 names resolve",
        "54 of 55 names resolve",
    ),
    Row(
        "small-difference",
        "agrees",
        rf"\b(?:max(?:imum)?|mean|avg|rel(?:ative)?|abs(?:olute)?|largest|worst|rms|l2|rell2)[ _."
        rf"|-]*(?:abs(?:olute)?|rel(?:ative)?)?[ _.|-]*"
        rf"(?:diff(?:erence)?|err(?:or)?|deviation|delta)\b[^\n\d(){{}};&"
        rf"|\"'-]{{0,48}}(?P<small>(?>{_NUMBER}))(?!\s*%|\w)",
        1.0,
        "a measured difference; it agrees where the figure is small",
        "max diff 0.0004",
        "three different files",
    ),
    Row(
        "passes",
        "passes",
        r"\b(?:[1-9]\d*|test|tests|checks?|cases|suites?) passed\b|^\s*passed\b|\bpass(?:ed)?(?=\s*(?:$"
        r"|[:!,)]))|^\s*---\s*pass\b"
        r"|^\s*pass(?:ed)? +\S*[_./:]\S*|^ok\s+\S+|(?:^|[\s:=)>])ok\s*[.!]?$|\bresult:? ok\b|^\s*pass \w+ \w+ \w+"
        r"|[✓✔]\s+(?:\d+\b|.*\b(?:should|tests?|spec|ms)\b)",
        1.0,
        "a run that passed",
        "PASS: 12 cases",
        "Passing the file on",
    ),
    Row(
        "fails",
        "fails",
        r"\b(?:fail(?:ed|ure)?|traceback \(most recent|panic:|assertionerror|segmentation fault|core dumped"
        r"|[1-9]\d* failed)\b|^e  +|\bexit (?:code|status) [1-9]"
        r"|✗|✘|\bfatal:",
        1.0,
        "a run that failed",
        "FAILED tests/test_x.py",
        "no failures",
    ),
    Row(
        "differs",
        "differs",
        r"\b(?:all_?close|array_?equal|torch\.equal|equal|match(?:es)?|same"
        r"|identical)\b[^\n]{0,40}?[:=]\s*(?:false|no\b|0\b)"
        r"|(?<!\bno )(?<!\b0 )\bmismatch(?:es|ed)?\b(?![^\n\d]{0,20}[:=]\s*0\b)"
        r"|\b(?:differs?|not identical|not equal|does not match|do not match)\b"
        r"|(?<![a-z])nan\b(?!\s*[:=]\s*0)(?! count 0)",
        1.0,
        "a comparison that answers no",
        "allclose: False",
        "allclose: True",
    ),
    Row(
        "lacks",
        "lacks",
        r"\b(?:unmapped|missing|not (?:found|mapped|set|present|loaded|in|initiali[sz]ed|called)|no (?:such"
        r"|match|mapping|entry|entries|override|overrides|rows)|none|null|empty|absent|undefined"
        r"|skipp(?:ed|ing)|ignored|dropped|unrecogni[sz]ed|unknown|uninitiali[sz]ed|unresolved|orphan(?:s|ed)?)\b",
        1.0,
        "names something that is not there",
        "  left.index   76  unmapped",
        "  left.index   76  loaded",
    ),
)
