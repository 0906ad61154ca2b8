import json
from dataclasses import replace

from sessions.reports.collect import ReportData
from sessions.reports.json import render, weightiest


def test_the_document_has_the_parts_of_the_contract(data: ReportData) -> None:
    document = json.loads(render(data))
    assert document["schema"] == 1
    assert list(document) == [
        "schema", "session", "messages", "steps", "hypotheses", "candidates", "note", "runs", "fleet", "probes",
    ]  # fmt: skip
    assert document["probes"] == []
    assert document["session"]["id"] == "ses_41f7"
    assert document["session"]["started"] == "2026-11-29T18:02:11.000Z"
    assert document["session"]["tokens"]["input"] == 120_000


def test_messages_and_steps_are_whole_and_in_order(data: ReportData) -> None:
    document = json.loads(render(data))
    assert [each["ordinal"] for each in document["messages"]] == list(range(7))
    assert document["messages"][6]["text"] == data.messages[6].text
    assert document["messages"][1]["role"] == "agent"
    assert document["messages"][1]["time"] == "2026-11-29T18:11:00.000Z"
    step = document["steps"][2]
    assert step["output"] == data.steps[2].output
    assert (step["message"], step["kind"], step["tool"], step["exit_code"], step["duration"]) == (
        3,
        "shell",
        "bash",
        0,
        4.5,
    )
    assert step["commands"] == []


def test_a_hypothesis_says_where_it_stands_and_on_what(data: ReportData) -> None:
    root, _, _, _, mapping, experts = json.loads(render(data))["hypotheses"]
    assert (root["root"], root["statement"]) == (True, "The model loads, then every answer is incoherent")
    assert experts["parent"] == mapping["id"] == "H4"
    assert (experts["verdict"], experts["support"], experts["source"]) == ("confirmed", "grounded", "rule:test")
    assert (experts["stated_in"], experts["decided_in"]) == (6, 6)
    (evidence,) = experts["evidence"]
    assert (evidence["step"], evidence["stance"], evidence["source"]) == (4, "supports", "rule:test")
    assert (evidence["quote"], evidence["deciding"]) == ("unmapped: blk.3.ffn_gate_exps", True)
    assert [(turn["message"], turn["verdict"]) for turn in mapping["history"]] == [(5, "confirmed"), (6, "refuted")]
    assert mapping["cost"] == {"steps": 2, "seconds": 120.0, "tokens": None, "used": None}


def test_candidates_have_the_same_shape(data: ReportData) -> None:
    document = json.loads(render(data))
    assert [each["statement"] for each in document["candidates"]] == ["The sampler's temperature is too high"]
    assert document["candidates"][0].keys() == document["hypotheses"][0].keys()


def test_a_run_keeps_its_three_axes_apart(data: ReportData) -> None:
    (run,) = json.loads(render(data))["runs"]
    held, refused = run["steps"]
    assert (held["outcome"], held["comparison"], held["standing"]) == ("completed", "equivalent", "holds")
    assert (refused["outcome"], refused["comparison"], refused["standing"]) == ("refused", None, "undetermined")
    assert [(each["hypothesis"], each["worth"]) for each in run["worths"]] == [("H3", "upheld"), ("H2", "undetermined")]
    assert run["fingerprint"] == {"kernel": "6.12"}


def test_of_several_standings_the_weightiest_counts() -> None:
    assert weightiest(["holds", "undetermined", "holds-with-drift"]) == "undetermined"
    assert weightiest(["undetermined", "contradicted"]) == "contradicted"
    assert weightiest(["not-applicable", "holds"]) == "holds"
    assert weightiest([]) is None


def test_times_of_other_zones_come_out_in_utc(data: ReportData) -> None:
    message = data.messages[0].model_copy(
        update={"time": "2026-11-29T20:00:00+02:00", "text": "2026-11-29T20:00:00+02:00"}
    )
    document = json.loads(render(replace(data, messages=(message,))))
    assert document["messages"][0]["time"] == "2026-11-29T18:00:00.000Z"
    assert document["messages"][0]["text"] == "2026-11-29T20:00:00+02:00"
