"""Calls on other machines: every form in which agents were seen to reach them."""

import pytest

from sessions.models.command import Command
from sessions.shell.unwrap import unwrap
from sessions.shell.wrappers.ssh import split_destination


def only(text: str) -> Command:
    (command,) = unwrap(text, "/home/me")
    return command


@pytest.mark.parametrize(
    ("text", "argv", "host", "user"),
    [
        ("ssh gpu1 'cat f'", ["cat", "f"], "gpu1", None),
        ('ssh root@192.0.2.7 "cat f"', ["cat", "f"], "192.0.2.7", "root"),
        ("ssh gpu1 hostname", ["hostname"], "gpu1", None),
        ("ssh gpu1 cat 'a  b'", ["cat", "a", "b"], "gpu1", None),
        ("ssh gpu1 cat \"'a  b'\"", ["cat", "a  b"], "gpu1", None),
        ("ssh gpu1 'echo '\\''a b'\\'''", ["echo", "a b"], "gpu1", None),
        ("ssh gpu1 'echo '\"'\"'a b'\"'\"", ["echo", "a b"], "gpu1", None),
        ('ssh gpu1 "grep \\"a b\\" f"', ["grep", "a b", "f"], "gpu1", None),
        ("ssh gpu1 \"awk '{print \\$1}' f\"", ["awk", "{print $1}", "f"], "gpu1", None),
        ("ssh -l app gpu1 cat f", ["cat", "f"], "gpu1", "app"),
        ("ssh gpu1 -l app cat f", ["cat", "f"], "gpu1", "app"),
        ("ssh ssh://app@gpu1.example.org:2222 cat f", ["cat", "f"], "gpu1.example.org", "app"),
        ("ssh 'ssh://app@[2001:db8::1]:2222' cat f", ["cat", "f"], "2001:db8::1", "app"),
        ("ssh app@2001:db8::1 cat f", ["cat", "f"], "2001:db8::1", "app"),
        ("ssh -p 2222 -i ~/.ssh/k -o BatchMode=yes -oConnectTimeout=5 gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("ssh -F $HOME/.ssh/c gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("ssh -4Aqp2222 gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("ssh gpu1 -p 22 -- cat f", ["cat", "f"], "gpu1", None),
        ("ssh -- gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("/usr/bin/ssh gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("rtk ssh gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("timeout 20 ssh gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("sshpass -p hunter2 ssh root@gpu1 cat f", ["cat", "f"], "gpu1", "root"),
        ("SSHPASS=hunter2 sshpass -e ssh root@gpu1 cat f", ["cat", "f"], "gpu1", "root"),
        ("autossh -M 0 gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("H=gpu1; ssh root@$H cat f", ["cat", "f"], "gpu1", "root"),
        ("SSH='ssh -p 22 root@gpu1'\n$SSH 'cat f'", ["cat", "f"], "gpu1", "root"),
        ('SSH="ssh -F $HOME/.ssh/c gpu1"\n$SSH "cat f"', ["cat", "f"], "gpu1", None),
        ('F=/srv/f; ssh gpu1 "cat $F"', ["cat", "/srv/f"], "gpu1", None),
        ("ssh gpu1 \"bash -lc 'cat f'\"", ["cat", "f"], "gpu1", None),
        ("ssh gpu1 bash -lc \"'cat f'\"", ["cat", "f"], "gpu1", None),
        ("sudo ssh gpu1 cat f", ["cat", "f"], "gpu1", None),
        ("ssh gpu1 'python3 -c \"import torch; print(torch.__version__)\"'",
         ["python3", "-c", "import torch; print(torch.__version__)"], "gpu1", None),
    ],
)  # fmt: skip
def test_one_remote_call(text: str, argv: list[str], host: str, user: str | None) -> None:
    command = only(text)
    assert list(command.argv) == argv
    assert (command.host, command.user) == (host, user)
    assert command.literal
    assert command.unresolved is None
    assert command.cwd is None
    assert "hunter2" not in command.model_dump_json()


def test_quotes_around_separate_words_are_lost_on_the_way() -> None:
    echo, remove = unwrap("ssh gpu1 echo 'a  b' '; rm -rf x'")
    assert (echo.argv, echo.host) == (("echo", "a", "b"), "gpu1")
    assert (remove.argv, remove.host, remove.after) == (("rm", "-rf", "x"), "gpu1", ";")


def test_many_lines_and_operators_on_the_other_side() -> None:
    commands = unwrap("ssh gpu1 '\ncd /srv && ls\necho \"--- x ---\"\ncat f 2>/dev/null || echo none\n'")
    assert [(each.argv, each.pipeline, each.after) for each in commands] == [
        (("ls",), 0, ""),
        (("echo", "--- x ---"), 1, ";"),
        (("cat", "f"), 2, ";"),
        (("echo", "none"), 3, "||"),
    ]
    assert {each.host for each in commands} == {"gpu1"}
    assert {each.cwd for each in commands} == {"/srv"}
    assert commands[2].redirects == ("2>/dev/null",)


def test_where_a_redirection_stands_is_where_it_writes() -> None:
    inside = only("ssh gpu1 'cat f > g'")
    outside = only("ssh gpu1 'cat f' > g 2>/dev/null")
    assert (inside.redirects, inside.redirects_outside) == (("> g",), ())
    assert (outside.redirects, outside.redirects_outside) == ((), ("> g", "2>/dev/null"))
    assert only("ssh gpu1 cat f 2>&1").merge_stderr
    assert only("ssh gpu1 'cat f 2>&1'").merge_stderr


def test_local_stages_stay_here_and_go_on_counting() -> None:
    commands = unwrap("cat k | ssh gpu1 'tee g | wc -l' 2>&1 | tail -1 | tee log; ls")
    assert [(each.argv[0], each.host, each.pipeline, each.stage, each.merge_stderr) for each in commands] == [
        ("cat", None, 0, 0, False),
        ("tee", "gpu1", 0, 1, True),
        ("wc", "gpu1", 0, 2, True),
        ("tail", None, 0, 3, False),
        ("tee", None, 0, 4, False),
        ("ls", None, 1, 0, False),
    ]


def test_a_local_stage_behind_several_remote_pipelines_is_in_the_last() -> None:
    commands = unwrap("ssh gpu1 'a; b' | tail -1")
    assert [(each.argv[0], each.pipeline, each.stage) for each in commands] == [
        ("a", 0, 0),
        ("b", 1, 0),
        ("tail", 1, 1),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ssh gpu1 'bash -s' <<'EOF' 2>&1 | tail -20\ncd /srv\nls\nEOF",
        "ssh gpu1 bash -s <<'EOF' 2>&1 | tail -20\ncd /srv\nls\nEOF",
        "ssh gpu1 bash <<'EOF' 2>&1 | tail -20\ncd /srv\nls\nEOF",
        "ssh gpu1 <<'EOF' 2>&1 | tail -20\ncd /srv\nls\nEOF",
        "ssh gpu1 bash -s -- arg <<EOF 2>&1 | tail -20\ncd /srv\nls\nEOF",
        "ssh -T gpu1 <<-'EOF' 2>&1 | tail -20\n\tcd /srv\n\tls\n\tEOF",
    ],
)
def test_a_script_by_heredoc(text: str) -> None:
    ls, tail = unwrap(text)
    assert (ls.argv, ls.host, ls.cwd, ls.merge_stderr, ls.literal) == (("ls",), "gpu1", "/srv", True, True)
    assert (tail.argv, tail.host, tail.stage) == (("tail", "-20"), None, 1)


def test_a_heredoc_that_is_expanded_here_is_not_trusted() -> None:
    command = only("ssh gpu1 bash -s <<EOF\nls '$HOME'\nEOF")
    assert (command.argv, command.host, command.literal) == (("ls", "$HOME"), "gpu1", False)
    assert command.unresolved == "standard input needs a shell"


def test_standard_input_reaches_the_remote_program() -> None:
    assert only("ssh gpu1 'cat > f' <<'EOF'\nx\nEOF").stdin == "x\n"
    assert only("ssh gpu1 \"cat > f <<'EOF'\nx\nEOF\"").stdin == "x\n"


def test_what_the_local_shell_expands_is_never_exact_on_the_other_side() -> None:
    for text in ("ssh gpu1 \"grep '$X' f\"", "ssh gpu1 ls *.c", 'ssh gpu1 "echo $(date)"'):
        command = unwrap(text)[-1]
        assert command.host == "gpu1"
        assert not command.literal
        assert command.unresolved == "part of the text was expanded before ssh"


def test_what_the_remote_shell_expands_is_left_to_it() -> None:
    command = only('ssh gpu1 "echo \\$HOME *.c"')
    assert (command.argv, command.literal, command.unresolved) == (("echo", "$HOME", "*.c"), False, None)


def test_an_unknown_host_says_so_and_the_words_are_still_exact() -> None:
    command = only('ssh root@$IP "cat f"')
    assert (command.argv, command.literal, command.host) == (("cat", "f"), True, "$IP")
    assert command.unresolved == "host root@$IP needs a shell"


@pytest.mark.parametrize(
    ("text", "jumps", "host"),
    [
        ("ssh a ssh b ls", ("a",), "b"),
        ("ssh a \"ssh root@b 'ls'\"", ("a",), "b"),
        ("ssh -t a ssh b ssh c ls", ("a", "b"), "c"),
        ("ssh -J a,root@b:2222 c ls", ("a", "b"), "c"),
        ("ssh -J a b ssh c ls", ("a", "b"), "c"),
    ],
)
def test_the_way_to_the_innermost_host(text: str, jumps: tuple[str, ...], host: str) -> None:
    command = only(text)
    assert (command.argv, command.jumps, command.host) == (("ls",), jumps, host)


def test_a_terminal_is_noted() -> None:
    assert only("ssh -tt gpu1 ls").tty
    assert not only("ssh -T gpu1 ls").tty
    assert only("docker exec -it c ls").tty


@pytest.mark.parametrize(
    ("text", "host", "why"),
    [
        ("ssh gpu1", "gpu1", "a login shell, nothing given to it"),
        ("ssh -T git@git.example.org", "git.example.org", "a login shell, nothing given to it"),
        ("ssh -N -L 8000:localhost:8000 gpu1", "gpu1", "a tunnel: nothing runs there"),
        ("ssh -fND 1080 gpu1", "gpu1", "a tunnel: nothing runs there"),
        ("ssh -O exit gpu1", "gpu1", None),
        ("ssh -G gpu1", "gpu1", None),
        ("ssh -V", None, None),
        ("ssh", None, "ssh: no host"),
        ("ssh -Z gpu1 ls", None, "ssh: option -Z is not known"),
        ("ssh -p", None, "ssh: option -p lacks its value"),
        ("ssh $OPTS gpu1 ls", "$OPTS", "host $OPTS needs a shell"),
    ],
)
def test_an_ssh_that_runs_nothing_keeps_its_words(text: str, host: str | None, why: str | None) -> None:
    command = unwrap(text)[0]
    assert (command.host, command.unresolved) == (host, why)


@pytest.mark.parametrize(
    ("text", "host", "user"),
    [
        ("scp f gpu1:/srv/", "gpu1", None),
        ("scp -P 2222 -o BatchMode=yes -r root@192.0.2.7:'/srv/a b' .", "192.0.2.7", "root"),
        ("scp ./a:b gpu1:", "gpu1", None),
        ("rsync -av -e 'ssh -p 2222' src/ root@gpu1:/srv/", "gpu1", "root"),
        ("sftp root@gpu1", "gpu1", "root"),
        ("sshpass -p hunter2 scp f root@gpu1:/srv/", "gpu1", "root"),
        ("rsync -a a/ b/", None, None),
    ],
)
def test_copies_stay_as_they_are_with_their_host(text: str, host: str | None, user: str | None) -> None:
    command = only(text)
    assert command.argv[0] in {"scp", "rsync", "sftp"}
    assert (command.host, command.user, command.cwd) == (host, user, "/home/me")


def test_loops_over_hosts() -> None:
    commands = unwrap('for h in gpu1 root@gpu2; do ssh $h "hostname; cat /srv/$h"; done > log')
    assert [(each.argv, each.host, each.user) for each in commands] == [
        (("hostname",), "gpu1", None),
        (("cat", "/srv/gpu1"), "gpu1", None),
        (("hostname",), "gpu2", "root"),
        (("cat", "/srv/root@gpu2"), "gpu2", "root"),
    ]
    assert {each.redirects_outside for each in commands} == {("> log",)}


def test_ssh_within_substitutions() -> None:
    assert unwrap("V=$(ssh gpu1 'uname -r'); echo \"$V\"")[0].host == "gpu1"
    left, right, diff = unwrap("diff <(ssh a cat f) <(ssh b cat f)")
    assert (left.host, right.host, diff.host) == ("a", "b", None)


@pytest.mark.parametrize(
    ("text", "host", "user"),
    [
        ("h", "h", None),
        ("u@h", "h", "u"),
        ("dom\\u@h", "h", "dom\\u"),
        ("u@x@h", "h", "u@x"),
        ("ssh://u%40x@h:22/", "h", "u@x"),
        ("ssh://[::1]:22", "::1", None),
    ],
)
def test_destinations(text: str, host: str, user: str | None) -> None:
    assert split_destination(text) == (host, user)


def test_a_text_for_a_remote_list_goes_to_the_first_call_that_reads() -> None:
    made, written, behind = unwrap("ssh h 'mkdir -p d && cat > d/f; cat > g' <<'E'\none\nE")
    assert (made.argv[0], written.stdin, behind.stdin) == ("mkdir", "one\n", None)
    _, alone = unwrap("mkdir d <<'E'; cat > d/f\none\nE")
    assert alone.stdin is None
