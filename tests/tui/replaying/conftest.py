"""Targets for the app: a real sshd on loopback."""

from pathlib import Path

import pytest

from tests.tui.replaying.stage import Server


@pytest.fixture
def target(sshd: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The sshd as the target ``bench`` of a targets file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "necropsy" / "targets.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "".join(
            f'[targets.{name}]\nhost = "127.0.0.1"\nport = {sshd.port}\nuser = "{sshd.user}"\nssh_config = false\n'
            f'identity = "{sshd.identity}"\nknown_hosts = "{sshd.known_hosts}"\n'
            for name in ("bench", "bench2", "bench3")
        )
    )
    return sshd
