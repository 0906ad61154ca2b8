import pytest

from sessions.formats.rollout.outputs import Outcome, read_mark, read_outcome


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (None, Outcome("")),
        ([], Outcome("")),
        ("plain text", Outcome("plain text")),
        ('{"resources":[]}', Outcome('{"resources":[]}')),
        ({"content": "done", "success": True}, Outcome("done")),
        ({"output": [{"type": "input_text", "text": "a"}]}, Outcome("a")),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image"}], Outcome("a\n[image]")),
        (
            "Wall time: 1.0 seconds\nProcess running with session ID 5\nOutput:\nup",
            Outcome("up", "running", process="5"),
        ),
        ("Exit code: -9\nWall time: 1 seconds\nOutput:\nx", Outcome("x", "error", -9, 1.0)),
        ("Script terminated\nWall time 2.0 seconds\nOutput:\nx", Outcome("x", "interrupted", None, 2.0)),
        (
            'Script failed\nWall time 1.0 seconds\nOutput:\nScript error:\nRejected("no")',
            Outcome('Script error:\nRejected("no")', "rejected", None, 1.0),
        ),
        (
            'Script completed\nOutput:\n[{"exit_code":0,"output":"a"},{"exit_code":1,"output":"b"}]',
            Outcome("a\nb"),
        ),
        ("The file says: Process exited with code 1", Outcome("The file says: Process exited with code 1")),
        ("Script kiddies running with cell ID 4", Outcome("Script kiddies running with cell ID 4")),
    ],
)
def test_every_form_of_a_result(raw: object, outcome: Outcome) -> None:
    assert read_outcome(raw) == outcome


def test_an_exit_code_in_the_output_is_not_taken_for_the_commands() -> None:
    body = "Exit code: 1\nWall time: 1 seconds\nOutput:\nquoted"
    text = f"Chunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\n{body}"
    assert read_outcome(text) == Outcome(body, "ok", 0, 0.5)


def test_an_exit_code_that_a_program_printed_behind_its_own_words_is_the_commands() -> None:
    printed = read_outcome("Script completed\nWall time 1.0 seconds\nOutput:\nexit=7 was yesterday\nType error\nexit=1")
    marked = read_mark(printed, "exit=")
    assert (marked.exit_code, marked.status) == (1, "error")
    assert read_mark(printed, None).exit_code is None
    assert read_mark(Outcome("exit=0.5"), "exit=").exit_code is None
