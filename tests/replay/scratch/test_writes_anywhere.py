"""Generated writes: one that may run in scratch leaves nothing anywhere else, even where no cage holds it."""

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from probes.host.script import quote
from replay.rewrite import PathRules
from replay.scratch.closure import Files
from replay.scratch.writing import Written, prepare_writes
from sessions.models.session import Step
from sessions.shell.unwrap import unwrap

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")

PLACES = """/tmp/known /tmp/new /tmp/d/x /tmp/d/ /tmp//d/y /tmp/./z '/tmp/a b' /var/tmp/v /srv/x /srv /etc/motd
/opt/w/known /opt/w/new new ./new d/new sub/../new ../srv/x /tmp/../srv/x /tmp/* ~/x -n -o/srv/x /tmp . / ''
/dev/null /root/x /tmp/known /tmp/known /tmp/new"""
WORDS = re.findall(r"'[^']*'|\S+", PLACES)
CALLS = """touch {}
touch {} {}
mkdir -p {}
mkdir {} {}
mkdir -m 700 {}
cp {} {}
cp -v {} {} {}
cp -T {} {}
cp -t {} {}
cp --target-directory={} {}
mv {} {}
mv -f {} {} {}
echo one | tee {}
echo one | tee -a {} {}
tee {} < {}
sed -i s/one/two/ {}
sed -i.bak 1d {} {}
sed -i -e 's/o/e/w /srv/w' {}
sed -n '1w /srv/w' {} > {}
chmod +x {}
chmod u+w {} {}
echo one > {}
echo one >> {}
> {}
cat {} > {}
cat <<'E' > {}
grep -c one {} > {} 2>&1
head -n 1 {} &> {}
sort {} -o {}
sort -o{} {}
install {} {}
ln -s /srv {}
patch {} < {}
tar cf {} {}
find /opt/w -fprint {}
uniq {} {}
dd if={} of={}
touch -r {} {}
cd {} && touch {}
cd /tmp/d && cp ../known {}
mkdir -p /tmp/e && echo x > /tmp/e/{}"""
BEFORE = ("mkdir -p /tmp/d /tmp/e", "echo one > /tmp/known", "echo one > /opt/w/known")


def commands(number: int) -> Iterator[str]:
    chosen = random.Random(20261130)  # noqa: S311 - the same commands each time
    for _ in range(number):
        calls = [chosen.choice(CALLS.splitlines()) for _ in range(chosen.choice((1, 1, 2)))]
        filled = [call.format(*(chosen.choice(WORDS) for _ in range(3))) for call in calls]
        yield f"{filled[0]}\none\nE" if "<<" in filled[0] else chosen.choice((" && ", "; ", " || ")).join(filled)


def prepared(text: str) -> Written | str:
    steps = [
        Step(ordinal=n, kind="shell", tool="bash", command=each, commands=unwrap(each, "/opt/w"), cwd="/opt/w")
        for n, each in enumerate((*BEFORE, text))
    ]
    return prepare_writes(steps[-1], Files(steps), PathRules())


def left_outside(found: Written) -> str:
    """Run what would be sent, with all of a machine's usual places writable, and return what it left in them."""
    folder = found.scratch.folder
    places = ("/srv", "/opt", "/tmp", "/root", "/var/tmp")
    made = f"mkdir -p /opt/w {folder}/tmp/d {folder}/tmp/e {folder}/var/tmp {folder}/opt/w/d; touch /tmp/since"
    known = f"echo one >{folder}/tmp/known; cp {folder}/tmp/known {folder}/opt/w/known"
    run = f"cd {quote(found.cwd or '/opt/w')} && {{ {found.sent}\n}} >/dev/null 2>&1 </dev/null"
    look = f"find {' '.join(places)} -newer /tmp/since -not -path '/var/tmp/necropsy-*' -not -name since -type f"
    words = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += [word for place in places for word in ("--tmpfs", place)]
    script = f"{made}; {known}; sleep 0.01; ( {run} ); {look}"
    return subprocess.run([*words, "sh", "-c", script], capture_output=True, text=True, check=False).stdout


def test_what_may_run_writes_nowhere_but_in_scratch() -> None:
    accepted = [(text, found) for text in commands(600) if isinstance(found := prepared(text), Written)]
    assert len(accepted) > 60
    for text, found in accepted:
        assert all(place.startswith(found.scratch.folder + "/") for _, place in found.scratch.written), text
        assert left_outside(found) == "", (text, found.sent)


def test_the_look_finds_what_is_written_outside() -> None:
    found = prepared("touch /tmp/new")
    assert isinstance(found, Written)
    (pipe,) = found.pipes
    elsewhere = pipe.model_copy(update={"stages": (pipe.stages[0].model_copy(update={"words": ("touch", "/srv/x")}),)})
    assert left_outside(replace(found, pipes=(elsewhere,))) == "/srv/x\n"
