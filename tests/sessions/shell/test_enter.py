"""Calls in containers, of every program that enters one."""

import pytest

from sessions.models.command import Command
from sessions.shell.unwrap import unwrap


def only(text: str) -> Command:
    (command,) = unwrap(text, "/home/me")
    return command


@pytest.mark.parametrize(
    ("text", "container", "context"),
    [
        ("docker exec web ls", "docker:web", {}),
        (
            "docker exec -it -u app -w /srv -e A=b web ls",
            "docker:web",
            {"user": "app", "cwd": "/srv", "env": {"A": "b"}},
        ),
        ("docker exec --user app --workdir=/srv --env A=b web ls", "docker:web", {"user": "app", "cwd": "/srv"}),
        ("docker -H unix:///x.sock container exec web ls", "docker:web", {}),
        ("docker exec web sh -c 'cd /srv && ls'", "docker:web", {"cwd": "/srv"}),
        ("docker exec -i web bash <<'EOF'\nls\nEOF", "docker:web", {}),
        ("sudo docker exec web ls", "docker:web", {"sudo": True}),
        ("podman exec web ls", "podman:web", {}),
        ("nerdctl exec web ls", "nerdctl:web", {}),
        ("docker compose -f c.yml -p x exec -T web ls", "compose:web", {}),
        ("docker-compose exec web ls", "compose:web", {}),
        ("kubectl exec -n ns -it pod -c app -- ls", "kubectl:ns/pod:app", {"tty": True}),
        ("kubectl --context x exec deploy/web -- ls", "kubectl:/deploy/web", {}),
        ("kubectl exec pod --namespace=ns -- sh -c ls", "kubectl:ns/pod", {}),
        ("incus exec c -- ls", "incus:c", {}),
        ("incus exec c --cwd /srv --env A=b -- su - app -c ls", "incus:c", {"user": "app", "cwd": "/srv"}),
        ("lxc exec c ls", "lxc:c", {}),
        ("ssh gpu1 'sudo /opt/bin/docker exec web ls'", "docker:web", {"host": "gpu1", "sudo": True}),
        ("ssh gpu1 \"docker exec web sh -c 'ls'\" 2>&1", "docker:web", {"host": "gpu1", "merge_stderr": True}),
        ("ssh gpu1 'incus exec c -- docker exec web ls'", "incus:c>docker:web", {"host": "gpu1"}),
    ],
)
def test_containers(text: str, container: str, context: dict[str, object]) -> None:
    command = only(text)
    assert (command.argv, command.container, command.unresolved) == (("ls",), container, None)
    assert command.model_dump(include=set(context)) == context
    assert command.literal


@pytest.mark.parametrize(
    "text",
    ["docker ps -a", "docker run --rm img ls", "docker compose logs web", "kubectl -n x get pods", "incus list",
     "docker logs --tail 5 web"],
)  # fmt: skip
def test_other_container_commands_run_here(text: str) -> None:
    command = only(text)
    assert (" ".join(command.argv), command.container, command.unresolved) == (text, None, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("docker exec", "docker exec: no container"),
        ("docker exec web", "nothing is run in the container"),
        ("docker exec --frob web ls", "docker exec: option --frob is not known"),
        ("docker exec $C ls", "container $C needs a shell"),
        ("kubectl exec pod ls", "kubectl exec: no -- in front of the program"),
        ("incus exec", "incus exec: no container"),
    ],
)
def test_containers_that_cannot_be_entered_say_why(text: str, why: str) -> None:
    assert only(text).unresolved == why
