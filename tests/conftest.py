"""What every test may ask for."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")  # a run of CI can be repeated; everywhere else new examples are sought


def _shared(folder: str) -> Path:
    root = Path(os.environ.get("NECROPSY_SHARED", Path(__file__).parents[2] / "shared"))
    path = root / folder
    if not path.is_dir():
        pytest.skip(f"needs the annotated corpus of real logs: {folder} is not on this machine (NECROPSY_SHARED)")
    return path


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real public logs."""
    return _shared("corpus")


@pytest.fixture(scope="session")
def gold() -> Path:
    """The folder of annotations of some of those logs."""
    return _shared("gold")


@dataclass(frozen=True)
class Sshd:
    """A real OpenSSH server on a loopback port, with a key and a home of its own; it notes every command it gets."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    address: str = "127.0.0.1"

    def await_listening(self) -> None:
        """Wait, some seconds at most, until connections are taken."""
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection((self.address, self.port), 1):
                return
            time.sleep(0.05)

    @property
    def user(self) -> str:
        return getpass.getuser()

    @property
    def identity(self) -> Path:
        return self.folder / "client"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def received(self) -> list[str]:
        """Return every command line that arrived, oldest first."""
        log = self.folder / "received"
        return log.read_text().split("\0")[:-1] if log.exists() else []

    def drop_connections(self) -> None:
        """End the server's side of every open connection, as a crash would."""
        for child in _children(self.process.pid):
            inner = _children(child)
            for process in (child, *inner):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _children(process: int) -> list[int]:
    """Return the processes that a process has started; none if it is gone."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []


def _key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def sshd_program() -> str | None:
    """Return where OpenSSH's server is installed; None if it is not."""
    return shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")


def start_sshd(
    folder: Path, program: str, *, address: str = "127.0.0.1", noting: bool = True, around: Sequence[str] = ()
) -> Sshd:
    """Start a server that listens; `noting` has it note every command, at the cost of one more shell for each.

    `around` are words to put before the server's, such as those that enter a network namespace.
    """
    host_key, client, port = _key(folder / "host"), _key(folder / "client"), _free_port()
    (folder / "home").mkdir()
    record = folder / "record"
    record.write_text(
        f'printf "%s\\0" "$SSH_ORIGINAL_COMMAND" >>{folder}/received\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n'
    )
    settings = [
        f"Port {port}", f"ListenAddress {address}", f"HostKey {host_key}", f"PidFile {folder}/pid",
        f"AuthorizedKeysFile {client}.pub", "StrictModes no", "PermitRootLogin yes", "UsePAM no",
        "PasswordAuthentication no", f"SetEnv HOME={folder}/home", "MaxStartups 100", "LogLevel ERROR",
        *([f"ForceCommand exec /bin/sh {record}"] if noting else ()),
    ]  # fmt: skip
    (folder / "sshd_config").write_text("\n".join(settings) + "\n")
    public = (folder / "host.pub").read_text().strip()
    (folder / "known_hosts").write_text(f"[{address}]:{port} {public}\n")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*around, program, "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    server = Sshd(folder, port, process, address)
    server.await_listening()
    return server


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A real sshd on 127.0.0.1."""
    program = sshd_program()
    if program is None:
        pytest.skip("needs OpenSSH's sshd: apt-get install openssh-server")
    server = start_sshd(tmp_path_factory.mktemp("sshd"), program)
    yield server
    server.process.terminate()
    server.process.wait()
