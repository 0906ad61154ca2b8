"""A file is rebuilt as a real shell left it, or named as not known; never with other content."""

import subprocess
from pathlib import Path

import pytest

from replay.scratch.closure import Files, Rebuilt
from tests.replay.scratch.test_closure import shell

FIRST = "cat > t.py <<'E'\na = 1\nb = 2\nE"
_COMMIT = "git init -q; git add t.py; git -c user.name=a -c user.email=b commit -qm x; echo z > t.py; git"
UNTOLD = rf"""
echo 'a\tb' > t.py
sh -c "echo 'a\tb' > t.py"
printf '\x41\n' > t.py
printf '\101' > t.py
printf 'a\rb' > t.py
2> t.py ls missing
ls missing 2>> t.py
ls >& t.py
truncate -s 3 t.py
dd if=/dev/null of=t.py 2>/dev/null
echo new > n.py; install -m 755 n.py t.py
echo new > n.py; ln -sf n.py t.py
mkdir d; echo new > d/t.py; cp -t . d/t.py
mkdir d; echo new > d/t.py; cp -r d/. .
mkdir d; echo new > d/t.py; cp d/* .
mkdir d; echo new > d/t.py; cp d/t.py "$PWD"
mkdir d; echo new > d/t.py; cd d && cp t.py ..
mkdir d; echo new > d/t.py; tar cf x.tar -C d t.py; tar xf x.tar
rm -f *.py
find . -name 't.py' -delete
find . -name t.py -exec sed -i s/1/9/ {{}} +
find . -name t.py | xargs sed -i s/1/9/
sed -i s/1/9/ *.py
sed -Ei s/1/9/ t.py
sed 's/1/9/w t.py' n.py
perl -pi -e s/1/9/ t.py
sort -r t.py -o t.py
gzip t.py
{_COMMIT} checkout -q t.py
{_COMMIT} checkout -q -- .
{_COMMIT} reset -q --hard
{_COMMIT} -c user.name=a -c user.email=b stash -q
python3 -c "open('t.py', 'w').write('x')"
python3 -c "import os; os.rename('t.py', 'u.py')"
python3 -c "import glob; [open(p, 'a').write('x') for p in glob.glob('*.py')]"
echo "open('t.py', 'w')" > m.py; python3 m.py
echo "import sys; open(sys.argv[1], 'w')" > m.py; python3 m.py t.py
echo 'rm t.py' > m.sh; bash m.sh
echo 'rm t.py' > m.sh; chmod +x m.sh; ./m.sh
trap 'echo x > t.py' EXIT
for f in *.py; do echo x > $f; done
{{ echo x; echo y; }} > t.py
false && echo x > t.py; true
true || echo x > t.py
[ -f missing ] && echo x > t.py; true
[ -f t.py ] || echo x > t.py
exit 0; echo x > t.py
set -C; echo x > t.py; true
""".strip().splitlines()
TOLD = r"""
echo -n x > t.py
echo -nE x > t.py
echo -E x > t.py
echo 'x y' > t.py
printf 'a\nb\t\\' > t.py
echo x | tee u.py; echo y > t.py
tee -a t.py <<< x
tee --append t.py <<< x
tee -ai t.py <<< x
> t.py
echo x > t.py > u.py
: > t.py
true > t.py
echo x >> t.py
mkdir -p d && echo x > t.py
cd . && echo x > t.py && test -f t.py
test -f t.py && echo x > t.py
cat t.py; grep -n a t.py | head -1; sed -n 1p t.py; ls -l t.py; wc -l < t.py
echo "print('t.py')" > m.py; python3 m.py
git init -q; git add t.py; git status --short; git log 2>/dev/null; git diff
python3 -c 'import t'
cp t.py u.py; echo x > u.py
""".strip().splitlines()


def after(text: str, folder: Path) -> tuple[str | None, str | None]:
    """Return what is rebuilt of ``t.py`` behind a second step, and what a real bash left there."""
    steps = [shell(FIRST, cwd=str(folder))]
    subprocess.run(["bash", "-c", FIRST], cwd=folder, check=True)
    done = subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    steps.append(shell(text, done.stdout, code=done.returncode, cwd=str(folder)))
    place = folder / "t.py"
    files = Files([step.model_copy(update={"ordinal": number}) for number, step in enumerate(steps)])
    told = [file for where, file in files.before(2).items() if where.path == str(place)]
    rebuilt = next((file.content for file in told if isinstance(file, Rebuilt)), None)
    return rebuilt, place.read_text(errors="replace") if place.exists() else None


@pytest.mark.parametrize("text", UNTOLD)
def test_what_its_words_do_not_tell_is_not_rebuilt(text: str, tmp_path: Path) -> None:
    rebuilt, _ = after(text, tmp_path)
    assert rebuilt is None


@pytest.mark.parametrize("text", TOLD)
def test_what_its_words_tell_is_rebuilt_as_a_shell_left_it(text: str, tmp_path: Path) -> None:
    rebuilt, real = after(text, tmp_path)
    assert rebuilt is not None
    assert rebuilt == real


def test_a_script_that_writes_leaves_what_the_same_step_wrote_for_it() -> None:
    step = shell("echo 1 > c.txt; echo \"open('out', 'w').write(open('c.txt').read())\" > m.py; python3 m.py c.txt")
    step = step.model_copy(update={"ordinal": 0})
    found = Files([step]).closure(step)
    assert {file.place.path: file.content for file in found.files}["/w/c.txt"] == "1\n"
