"""What the tests of accidents share: a server that may be ended."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.conftest import Sshd, sshd_program, start_sshd


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A real sshd on 127.0.0.1 for one module of tests only."""
    program = sshd_program()
    if program is None:
        pytest.skip("needs OpenSSH's sshd: apt-get install openssh-server")
    started = start_sshd(tmp_path_factory.mktemp("sshd"), program)
    yield started
    with suppress(ProcessLookupError):
        started.process.terminate()
    started.process.wait()
