"""Which connections come about, and which are refused with what message."""

import subprocess
from pathlib import Path
from typing import Protocol

import pytest

from probes.host.ssh import connect
from probes.host.targets import Target, Targets
from sessions.errors import HostProblem
from sessions.models.command import Request

pytestmark = pytest.mark.sshd


class Server(Protocol):
    port: int
    user: str
    identity: Path
    known_hosts: Path

    def received(self) -> list[str]: ...


def request(*words: str) -> Request:
    return Request(stages=(words,))


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    return other


async def test_refused_key(target: Target, stranger: Path) -> None:
    with pytest.raises(HostProblem, match="refuses the login") as problem:
        async with connect(target.model_copy(update={"identity": stranger})):
            pass
    assert problem.value.outcome == "auth-failed"


async def test_unknown_host_key(target: Target, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("")
    with pytest.raises(HostProblem, match="is not known") as problem:
        async with connect(target.model_copy(update={"known_hosts": tmp_path / "known"})):
            pass
    assert problem.value.outcome == "host-key-mismatch"
    assert "ssh-keyscan" in problem.value.hint


async def test_changed_host_key(sshd: Server, target: Target, tmp_path: Path) -> None:
    public = sshd.identity.with_suffix(".pub").read_text()
    (tmp_path / "known").write_text(f"[127.0.0.1]:{sshd.port} {public}")
    before = len(sshd.received())
    with pytest.raises(HostProblem, match="another host key") as problem:
        async with connect(target.model_copy(update={"known_hosts": tmp_path / "known"})):
            pass
    assert problem.value.outcome == "host-key-mismatch"
    assert len(sshd.received()) == before


async def test_closed_port(target: Target) -> None:
    with pytest.raises(HostProblem, match="cannot be reached") as problem:
        async with connect(target.model_copy(update={"port": 1})):
            pass
    assert problem.value.outcome == "unreachable"


async def test_missing_identity_file(target: Target, tmp_path: Path) -> None:
    with pytest.raises(HostProblem, match="private key") as problem:
        async with connect(target.model_copy(update={"identity": tmp_path / "absent"})):
            pass
    assert problem.value.outcome == "auth-failed"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".ssh").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def configure(home: Path, server: Server, *lines: str) -> None:
    own = [f"HostName 127.0.0.1\nPort {server.port}", f"User {server.user}", f"IdentityFile {server.identity}", *lines]
    (home / ".ssh" / "config").write_text("Host gpu\n" + "\n".join(own) + "\n")


async def test_an_alias_of_ssh_config_is_a_target(sshd: Server, home: Path) -> None:
    configure(home, sshd, f"UserKnownHostsFile {sshd.known_hosts}")
    async with connect(Targets().named("gpu")) as executor:
        assert (await executor.run(request("echo", "here"))).stdout == b"here\n"


async def test_the_users_known_hosts_are_the_default(sshd: Server, home: Path) -> None:
    configure(home, sshd)
    (home / ".ssh" / "known_hosts").write_bytes(sshd.known_hosts.read_bytes())
    async with connect(Targets().named("gpu")) as executor:
        assert (await executor.run(request("echo", "here"))).stdout == b"here\n"


async def test_a_target_may_do_without_ssh_config(target: Target, home: Path) -> None:
    (home / ".ssh" / "config").write_text("Host *\nPort 1\nUser nobody\n")
    async with connect(target) as executor:
        assert (await executor.run(request("echo", "here"))).stdout == b"here\n"


async def test_the_targets_file_wins_over_ssh_config(target: Target, home: Path) -> None:
    (home / ".ssh" / "config").write_text("Host *\nPort 1\nUser nobody\nForwardAgent yes\n")
    async with connect(target.model_copy(update={"ssh_config": True})) as executor:
        assert (await executor.run(request("echo", "here"))).stdout == b"here\n"


WEAK = ["UserKnownHostsFile none", "StrictHostKeyChecking no", "UserKnownHostsFile /dev/null"]


@pytest.mark.parametrize("line", WEAK)
async def test_no_setting_turns_the_check_of_host_keys_off(sshd: Server, home: Path, line: str) -> None:
    configure(home, sshd, line)
    before = len(sshd.received())
    with pytest.raises(HostProblem) as problem:
        async with connect(Targets().named("gpu")):
            pass
    assert problem.value.outcome == "host-key-mismatch"
    assert len(sshd.received()) == before
