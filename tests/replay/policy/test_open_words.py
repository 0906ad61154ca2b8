"""Words that are more than literal: home folders, patterns, variables, loops, texts, and the folders between them."""

import pytest

from replay.policy.judge import judge
from sessions.models.replay import EFFECTS

READ = [
    ("ssh -o BatchMode=yes -p 22 -i ~/.ssh/k h -- 'ls'", "'ls'"),
    ("ls *.py", "'ls' '--' *'.py'"),
    ("ls -t ~/logs/*.log | head -1", "'ls' '-t' '--' \"$HOME\"'/logs/'*'.log' | 'head' '-n' '1'"),
    ("ls ~/x", "'ls' '--' \"$HOME\"'/x'"),
    ("ls $HOME", "'ls' '--' \"$HOME\""),
    ('cat "${HOME}/a b"', "'cat' '--' \"$HOME\"'/a b'"),
    ("ssh h 'cat ~/x/y?.py'", "'cat' '--' \"$HOME\"'/x/y'?'.py'"),
    ("cd ~/src && ls", "'cd' '--' \"$HOME\"'/src' && 'ls'"),
    ("find ~/src/*.d -name x", "'find' \"$HOME\"'/src/'*'.d' '-name' 'x'"),
    ("grep -rn x --include=*.go src", "'grep' '-r' '-n' '--include' '*.go' '--' 'x' 'src'"),
    ("for h in a b; do cat $h; done", "'cat' '--' 'a'; 'cat' '--' 'b'"),
    ("for f in a 'b c'; do wc -l \"$f\" && id; done", "'wc' '-l' '--' 'a' && 'id'; 'wc' '-l' '--' 'b c' && 'id'"),
    ('for n in 1; do ssh h "cat /x/$n"; done', "'cat' '--' '/x/1'"),
    ('F=/srv/a; cat $F/b && ls "$F"', "'cat' '--' '/srv/a/b' && 'ls' '--' '/srv/a'"),
    ("ls && F=a && cat $F", "'ls' && 'cat' '--' 'a'"),
    ("cat <<'E' | wc -l\na $b\nE", "'printf' '%s' 'a $b\n' | 'cat' | 'wc' '-l'"),
    ("grep -c x <<< 'x y'", "'printf' '%s' 'x y\n' | 'grep' '-c' '--' 'x'"),
    ("/bin/bash -c 'ls; id'", "'ls'; 'id'"),
    ("echo '---' && ssh h 'ls; id'", "'printf' '%s\\n' '---' && 'ls'; 'id'"),
    ("ls && bash -c 'id && cat x'", "'ls' && 'id' && 'cat' '--' 'x'"),
]

MORE = [
    ("uniq *.log", "unknown"),
    ("uniq ~/a ~/b", "writes"),
    ("ls *", "unknown"),
    ("find *.d -name x", "unknown"),
    ("ls a*/b", "unknown"),
    ("ls a[bc]", "unknown"),
    ("ls ~other/x", "unknown"),
    ("cat '~'/x*", "unknown"),
    ("cat 'a*'*", "unknown"),
    ("echo ~", "unknown"),
    ("grep ~/x f", "unknown"),
    ("head -n 5 -- */x", "unknown"),
    ("base64 *.b", "unknown"),
    ("sort -k *.py f", "unknown"),
    ("ssh h ls ~/x", "unknown"),
    ("docker exec c ls ~/x", "unknown"),
    ("bash -c ~/x", "unknown"),
    ("timeout ~/x ls", "unknown"),
    ("cat /etc/sh*", "read-secret"),
    ("cat /srv/*", "read-secret"),
    ("cat /srv/*.json", "read-secret"),
    ("cat /dev/*.log", "unknown"),
    ("grep -r x ~", "read-secret"),
    ("grep -r x /ho*", "unknown"),
    ("cat ~/.ssh/id_rsa", "read-secret"),
    ("for f in /etc/shadow; do cat $f; done", "read-secret"),
    ("for f in $(ls); do cat $f; done", "unknown"),
    ("for f in *.py; do cat $f; done", "unknown"),
    ("for f in; do ls; done", "unknown"),
    ("for f in a; do rm $f; done", "destructive"),
    ("for f in a b; do cat $f; done | head", "unknown"),
    ("cat x | for f in a; do cat; done", "unknown"),
    ("for f in a; do cat $f; done > out", "writes"),
    ("for i in " + "a " * 70 + "; do ls; done", "unknown"),
    ("F='a b'; cat $F/*", "unknown"),
    ("F=a; F=$(id); cat $F", "unknown"),
    ("ls || F=a; cat $F", "unknown"),
    ("ls && F=a; cat $F", "unknown"),
    ("F=a || cat x", "unknown"),
    ("F=a", "unknown"),
    ("PATH=/tmp; ls", "unknown"),
    ("F=a | cat $F", "unknown"),
    ("A+=b; cat $A", "unknown"),
    ("cat <<E\n$x\nE", "unknown"),
    ("cat <<'E' > out\nx\nE", "writes"),
    ("ls | cat <<'E'\nx\nE", "unknown"),
    ("python3 - <<'E'\nimport torch\nE", "code"),
    ("ssh h cat <<'E'\nx\nE", "unknown"),
    ("bash -c 'ls; id' <<'E'\nx\nE", "unknown"),
    ('cat <<< "$(id)"', "unknown"),
    ("cd /proc/1; cd nope; cat environ", "read-secret"),
    ("cd /etc; cd nope; cat shadow", "read-secret"),
    ("cd /proc/1 || cd /srv; cat environ", "read-secret"),
    ("cd /proc && bash -c 'cd 1 || cd /srv'; cat environ", "read-secret"),
    ("cd /; cd srv; cat dev/zero", "unknown"),
    ("; ".join(f"cd d{number}" for number in range(9)) + "; ls", "unknown"),
    ("for f in /proc/1 /srv; do cd $f; done; cat environ", "read-secret"),
    ("cat link/../../proc/kmsg", "unknown"),
    ("cat dev/zero", "unknown"),
    ("cat ~/dev/zero", "unknown"),
    ("cat /run/initctl", "unknown"),
    ("cat /sys/power/wakeup_count", "unknown"),
    ("cat /sys/bus/pci/devices/0000:00:00.0/vpd", "unknown"),
    ("ls && bash -c 'id; cat x'", "unknown"),
    ("ls || bash -c 'id && cat x'", "unknown"),
    ("/tmp/bin/docker ps", "unknown"),
    ("/opt/../tmp/bin/docker ps", "unknown"),
    ("/opt/x/bin/docker ps", "read-intrusive"),
    ("/opt/x/bin/docker rm c", "destructive"),
    ("/opt/x/bin/docker exec c ls", "read-intrusive"),
    ("/opt/x/bin/docker top ~", "unknown"),
    ("incus exec c -- rm x", "destructive"),
    ("incus exec c rm", "unknown"),
    ("incus exec c --env A=b -- ls", "unknown"),
    ("incus delete c", "destructive"),
]


@pytest.mark.parametrize(("command", "sent"), READ)
def test_what_its_command_line_tells_is_filled_in(command: str, sent: str) -> None:
    judged = judge(command)
    assert (judged.effect, judged.reasons, judged.sent) == ("read", (), sent)
    again = judge(sent)
    assert (again.effect, again.sent, again.pipes) == ("read", sent, judged.pipes)


@pytest.mark.parametrize(("command", "least"), MORE)
def test_what_only_a_shell_could_tell_is_never_run(command: str, least: str) -> None:
    judged = judge(command)
    assert judged.decision != "run"
    assert EFFECTS.index(judged.effect) >= EFFECTS.index(least)
    assert judged.reasons


def test_words_that_stay_open_are_named_by_their_numbers() -> None:
    stage = judge("ls -l ~/x '~/y' z*.py").pipes[0].stages[0]
    assert (stage.words, stage.open) == (("ls", "-l", "--", "~/x", "~/y", "z*.py"), (3, 5))


def test_a_literal_assignment_inside_an_inner_shell_is_not_known_outside() -> None:
    assert judge("bash -c 'F=a; cat $F'; ls").sent == "'cat' '--' 'a'; 'ls'"
    assert judge("F=a; bash -c 'cat $F'").decision == "refuse"
