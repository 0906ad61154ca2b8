"""Writes that do not run: not allowed, outside of scratch, or of which nobody can tell where they go."""

import pytest

from replay import consent
from sessions.errors import UsageProblem
from tests.replay.scratch.stage import SESSION, Recorded


def test_writes_are_refused_unless_they_are_allowed(record: Recorded) -> None:
    assert {step.decision for step in record(*SESSION[:3], writes=False).steps} == {"refuse"}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo x > /etc/motd.d/x", "/etc/motd.d/x lies outside the scratch folder"),
        ("mkdir -p /tmp/a /srv/b", "/srv/b lies outside the scratch folder"),
        ("cp /etc/hosts /usr/local/hosts", "/usr/local/hosts lies outside"),
        ("mv /etc/hosts /tmp/hosts", "/etc/hosts lies outside"),
        ("touch /tmp/x/../../etc/y", "only the file system there knows where .. leads"),
        ("touch /tmp/x*", "only a shell knows what this becomes"),
        ("touch /tmp/$NAME", "only a shell knows what this becomes"),
        ("echo x > ~/x", "only a shell knows"),
        ("ssh h 'echo x > f'", "starts from a folder that is not known"),
        ("ln -s /etc /tmp/etc", "makes a link"),
        ("cp -r /tmp/a /tmp/b", "copies a folder"),
        ("tar xf /tmp/a.tar -C /tmp/x", "stands in the archive"),
        ("git apply /tmp/a.diff", "stands in the patch or the repository"),
        ("patch -p1 < /tmp/a.diff", "the files that it changes stand in the patch"),
        ("sed -i 's/a/b/' /tmp/unknown", "/tmp/unknown: no earlier step of the session wrote it"),
        ("cat /tmp/unknown > /tmp/b", "/tmp/unknown: no earlier step of the session wrote it"),
        ("ls /tmp > /tmp/b", "only a part of it lies in scratch"),
        ("nvidia-smi > /tmp/b", "nvidia-smi: is neither"),
        ("ps aux > /tmp/b", "ps: is neither"),
        ("cat /proc/loadavg > /tmp/b", "looks otherwise in the cage"),
        ("cp ~root/.ssh/id_rsa /tmp/k", "only a shell knows"),
        ("cp /root/.ssh/id_rsa /tmp/k", "may hold a secret"),
        ("if true; then touch /tmp/a; fi", "runs inside if"),
        ("touch /tmp/a &", "runs inside background"),
        ("{ echo a; echo b; } > /tmp/a", "two parsers"),
        ("sh -c 'echo a; echo b' > /tmp/a", "stands around several calls"),
        ("grep -c x /etc/hosts 2>&1 > /tmp/a", "stands behind 2>&1"),
        ("LD_PRELOAD=/tmp/x.so touch /tmp/a", "sets LD_PRELOAD"),
        ("docker exec c touch /tmp/a", "inside a container"),
        ("ssh h 'echo a' > /tmp/a", "is written on the machine around it"),
        ("echo '<redacted:token:ab>' > /tmp/a", "held a secret"),
        ("/tmp/own/touch /tmp/a", "a program by its own path"),
        ("chmod 4755 /tmp/a", "is not on the list"),
        ("touch /tmp/a && rm -rf /tmp/a", "removes or ends something"),
        ("touch /tmp/a; systemctl restart vllm", "changes the machine"),
        ("sort /etc/hosts -o /tmp/a", "sort -o: writes a file"),
    ],
)
def test_every_other_write_is_refused_with_the_reason(record: Recorded, command: str, reason: str) -> None:
    (step,) = record(command).steps
    assert (step.decision, step.sent, step.scratch) == ("refuse", None, None), step
    assert reason in " ".join(step.reasons)


@pytest.mark.parametrize("command", ["rm -f /tmp/exp/a.yaml", "truncate -s 0 /tmp/exp/a.yaml", "systemctl stop vllm"])
def test_what_is_destructive_or_changes_the_machine_is_refused_whatever_is_allowed(
    record: Recorded, command: str
) -> None:
    plan = record(*SESSION[:2], command, code=True)
    assert plan.steps[-1].decision == "refuse"
    with pytest.raises(UsageProblem, match="cannot be consented to"):
        consent.grant(plan, {2}, "ops")
