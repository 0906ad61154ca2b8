"""What a person gets from each command, on the bundled session."""

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

NECROPSY = Path(sys.executable).with_name("necropsy")

Run = Callable[..., subprocess.CompletedProcess[str]]


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def by_id(run: Run) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in read_json(run("show", "latest", "--json"))}


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"necropsy {version('necropsy')}\n"


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    assert run("dissect").returncode == 2


def test_the_app_without_a_terminal_names_what_to_use_instead(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert "necropsy list" in done.stderr


def test_demo_prints_the_tree_and_says_where_the_report_is(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("demo", "--print", "--output", page)
    assert done.stdout.count("✗") == 5
    assert done.stdout.count("⊘") == 2
    assert done.stdout.count("✓") == 1
    assert str(page) in done.stderr
    assert page.read_text().startswith("<!doctype html>")


def test_list_json_has_what_programs_need(bundled: Run) -> None:
    (session,) = read_json(bundled("list", "--json"))
    assert session["format"] == "opencode"
    assert session["hypotheses"] == 8
    assert session["dead_ends"] == 7
    assert session["causes"] == 1
    assert session["reconstructed"] is True
    assert session["started"].endswith("Z")


def test_times_are_shown_in_the_readers_zone(bundled: Run) -> None:
    (session,) = read_json(bundled("list", "--json"))
    hour = int(session["started"][11:13])
    shown = bundled("list", env={"TZ": "Asia/Tokyo"}).stdout
    match = re.search(r"\d{4}-\d\d-\d\d (\d\d):\d\d", shown)
    assert match is not None
    assert int(match[1]) == (hour + 9) % 24


def test_show_says_what_dead_ends_cost(bundled: Run) -> None:
    said = bundled("show", "latest").stdout
    pattern = r"Dead ends took 22 of 36 steps and 2m09s, ([\d,]+) tokens; the whole session 267,890 tokens\."
    found = re.search(pattern, " ".join(said.split()))
    assert found is not None
    assert 0 < int(found[1].replace(",", "")) < 267_890


def test_tokens_cost_what_a_person_says_where_the_log_has_no_price(bundled: Run) -> None:
    shown = " ".join(bundled("show", "latest", "--price", "10,20,1,1").stdout.split())
    session = read_json(bundled("list", "--json"))[0]["tokens"]
    whole = session["input"] * 10 + (session["output"] + session["reasoning"]) * 20 + session["cache_read"]
    assert f"the whole session 267,890 tokens, ${whole / 1e6:.2f}." in shown
    assert re.search(r"2m09s, [\d,]+ tokens, \$0\.\d\d; the whole", shown)
    assert re.search(
        r"Dead ends \(22 steps, .*tokens, \$0\.\d\d\)", bundled("report", "latest", "--price", "10,20,1,1").stdout
    )


@pytest.mark.parametrize("price", ["1,2", "a,b,c,d", "1,2,3,-4", "1,2,3,inf", "1,2,3,nan"])
def test_what_gives_no_prices_is_refused(bundled: Run, price: str) -> None:
    done = bundled("show", "latest", "--price", price)
    assert done.returncode == 2
    assert "gives no prices" in done.stderr


def test_show_names_step_and_quote_of_each_decision(bundled: Run) -> None:
    shown = bundled("show", "latest").stdout
    quotes = re.findall(r"step (\d+): “(.+?)”?$", shown, flags=re.MULTILINE)
    assert len(quotes) >= 6
    for step, quote in quotes:
        (whole,) = read_json(bundled("steps", "latest", "--only", step, "--json"))
        assert quote.split("…")[0] in whole["output"] + whole["command"]


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_is_honoured_on_a_terminal(bundled: Run, store: Path, no_color: str, *, coloured: bool) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"} | ({"NO_COLOR": no_color} if no_color else {})
    environment = {name: value for name, value in environment.items() if no_color or name != "NO_COLOR"}
    subprocess.run([NECROPSY, "--store", store, "list"], stdout=child, env=environment, check=True)
    os.close(child)
    assert (re.search(rb"\x1b\[[0-9;]*3[0-9]", os.read(parent, 100_000)) is not None) is coloured
    os.close(parent)


@pytest.mark.parametrize("columns", ["²", "0", "99999999999"])
def test_a_width_that_is_no_number_is_passed_over_on_a_terminal(bundled: Run, store: Path, columns: str) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": columns, "LINES": "²"}
    for command in (["list"], ["show", "latest"]):
        subprocess.run([NECROPSY, "--store", store, *command], stdout=child, env=environment, check=True)
    os.close(child)
    assert b"GLM-5 GGUF" in os.read(parent, 100_000)
    os.close(parent)


def test_steps_of_a_hypothesis_are_its_evidence(bundled: Run) -> None:
    node = next(node for node in by_id(bundled).values() if node["verdict"] == "confirmed")
    steps = read_json(bundled("steps", "latest", "--hypothesis", node["id"], "--json"))
    assert {step["ordinal"] for step in steps} == {evidence["step"] for evidence in node["evidence"]}


def test_search_finds_messages_commands_and_outputs(bundled: Run) -> None:
    hits = read_json(bundled("search", "0.00012", "--json"))
    assert {"output"} <= {hit["kind"] for hit in hits}
    assert all("0.00012" in hit["snippet"] for hit in hits)
    assert "command" in {hit["kind"] for hit in read_json(bundled("search", "triton_mla.py", "--json"))}


def test_search_that_finds_nothing_says_no(bundled: Run) -> None:
    done = bundled("search", "zweihundertfach")
    assert done.returncode == 1
    assert done.stdout == ""


def test_report_goes_to_a_file_whole(bundled: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    assert bundled("report", "latest", "--output", path).returncode == 0
    assert path.read_text() == bundled("report", "latest").stdout


def test_a_report_that_cannot_be_written_leaves_nothing(bundled: Run, tmp_path: Path) -> None:
    done = bundled("report", "latest", "--output", tmp_path / "nowhere" / "report.md")
    assert done.returncode == 4
    assert "nowhere" in done.stderr


def test_edits_survive_another_ingest(bundled: Run, store: Path, tmp_path: Path) -> None:
    done = bundled(
        "edit", "latest", "H5", "--verdict", "confirmed", "--statement", "it was the backend", "--author", "ada"
    )
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(store) as database:
        database.execute("UPDATE sessions SET analysis = 'older rules'")
    database.close()
    assert bundled("demo", "--print", "--output", tmp_path / "page.html").returncode == 0
    node = by_id(bundled)["H5"]
    assert (node["statement"], node["verdict"]) == ("it was the backend", "confirmed")
    assert node["source"] == "person:ada"


def test_edit_adds_merges_and_removes(bundled: Run) -> None:
    before = by_id(bundled)
    assert bundled("edit", "latest", "--add", "the driver is too old", "--parent", "H1").returncode == 0
    (added,) = [node for name, node in by_id(bundled).items() if name not in before]
    assert (added["statement"], added["parent"]) == ("the driver is too old", "H1")
    assert bundled("edit", "latest", added["id"], "--merge", "H2").returncode == 0
    assert set(by_id(bundled)) == set(before)
    assert bundled("edit", "latest", "H3", "--remove").returncode == 0
    assert set(by_id(bundled)) == set(before) - {"H3"}


def test_evidence_must_stand_in_the_log(bundled: Run) -> None:
    done = bundled("edit", "latest", "H1", "--evidence", "0:refutes:no output says this")
    assert done.returncode == 2
    assert "does not say" in done.stderr


def test_a_predicate_must_hold_of_the_recording_and_is_kept(bundled: Run) -> None:
    tree = json.loads(bundled("show", "latest", "--json").stdout)
    node = next(each for each in tree if any(piece["quote"] for piece in each["evidence"]))
    piece = next(each for each in node["evidence"] if each["quote"])
    step = piece["step"]
    refused = bundled("edit", "latest", node["id"], "--predicate", f"{step}:contains nothing of the sort")
    assert (refused.returncode, "does not hold" in refused.stderr) == (2, True)
    assert bundled("edit", "latest", node["id"], "--predicate", f"{step}:small").returncode == 2
    assert bundled("edit", "latest", node["id"], "--predicate", "9999:lacks x").returncode == 2
    assert bundled("edit", "latest", node["id"], "--predicate", f"{step}:lacks nothing of the sort").returncode == 0
    kept = next(each for each in json.loads(bundled("show", "latest", "--json").stdout) if each["id"] == node["id"])
    assert [each["predicate"] for each in kept["evidence"] if each["step"] == step] == ["lacks nothing of the sort"]


def test_an_unknown_hypothesis(bundled: Run) -> None:
    done = bundled("edit", "latest", "H99", "--verdict", "open")
    assert done.returncode == 3
    assert "H99" in done.stderr


def test_forget_removes_everything_that_hangs_on_a_session(bundled: Run, store: Path) -> None:
    assert bundled("forget", "latest").returncode == 2
    assert bundled("forget", "latest", "--yes").returncode == 0
    assert read_json(bundled("list", "--json")) == []
    with sqlite3.connect(store) as database:
        tables = [
            name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%session TEXT%'")
        ]
        assert tables
        assert {database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables} == {0}  # noqa: S608
        assert database.execute("SELECT count(*) FROM blobs").fetchone()[0] == 0
    database.close()


def test_ingest_finds_the_agents_own_folders_and_asks(
    run: Run, tmp_path: Path, claude_line: Callable[..., str]
) -> None:
    folder = tmp_path / "home" / ".claude" / "projects" / "-srv-app"
    folder.mkdir(parents=True)
    (folder / "log.jsonl").write_text(claude_line(1, "why is it slow?") + "\n")
    asked = run("ingest")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    assert run("ingest", "--yes").returncode == 0
    assert [session["agent"] for session in read_json(run("list", "--json"))] == ["claude-code"]
    assert run("ingest").returncode == 0


def test_ingest_without_any_logs_says_so(run: Run) -> None:
    done = run("ingest")
    assert done.returncode == 3
    assert "necropsy ingest PATH" in done.stderr


def test_ingest_from_standard_input(run: Run, claude_line: Callable[..., str]) -> None:
    (taken,) = read_json(run("ingest", "-", "--json", input=claude_line(1, "why is it slow?") + "\n"))
    assert (taken["status"], taken["messages"]) == ("new", 1)


def test_policy_answers_line_by_line(run: Run) -> None:
    commands = ["nvidia-smi -L", "rm -rf /data", "sed -n 1,5p /srv/a.py"]
    lines = "".join(json.dumps({"command": command}) + "\n" for command in commands)
    done = run("policy", "--json", input=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["command"] for answer in answers] == commands
    assert [answer["decision"] for answer in answers] == ["run", "refuse", "run"]
    assert [answer["sent"] is None for answer in answers] == [False, True, False]
    assert all(set(answer) == {"command", "effect", "decision", "reasons", "sent"} for answer in answers)


def test_compare_tells_a_changed_version_from_a_changed_time(run: Run, tmp_path: Path) -> None:
    recorded, later, newer = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    recorded.write_text("2026-11-29 10:00:00 vllm 0.22.1 ready\n")
    later.write_text("2026-11-30 11:30:05 vllm 0.22.1 ready\n")
    newer.write_text("2026-11-29 10:00:00 vllm 0.23.0 ready\n")
    same = run("compare", recorded, later, "--json")
    assert (same.returncode, read_json(same)["comparison"]) == (0, "equivalent")
    changed = run("compare", recorded, newer, "--json")
    assert (changed.returncode, read_json(changed)["comparison"]) == (1, "changed")
    assert [(token["recorded"], token["new"]) for token in read_json(changed)["tokens"]] == [("0.22.1", "0.23.0")]


def test_what_sub_agents_spent_is_told_apart(run: Run) -> None:
    logs = Path(__file__).parents[2] / "data" / "claude-code" / "agents"
    assert run("ingest", logs / "5a1e0011-0000-4000-8000-000000000001.jsonl", "--yes").returncode == 0
    assert "3 sub-agents took 412 tokens more, counted for no hypothesis." in run("show", "latest").stdout
    assert "$4.12" in run("show", "latest", "--price", "10000,10000,10000,10000").stdout


def test_a_persons_word_is_not_called_the_agents(bundled: Run) -> None:
    assert bundled("edit", "latest", "--add", "the driver is too old", "--verdict", "refuted").returncode == 0
    assert "refuted · dead end · said by a person who cites no output" in bundled("show", "latest").stdout
    assert "said by a person who cites no output" in bundled("report", "latest").stdout
