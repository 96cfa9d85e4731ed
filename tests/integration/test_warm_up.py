# SPDX-License-Identifier: Apache-2.0
"""`strata report RUN --warm-up`, for runs of the trainer with the plugin and without."""

import json

import pytest

TIMED = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
optimizer: {name: galore_adamw, rank: 4, update_proj_gap: 200}
schedule: {wait: 20, warmup: 1, active: 4}
backend: {threads: 1}
plugins: [allocator_tracer, warmup_analyzer]
"""


@pytest.fixture(scope="module")
def timed(tmp_path_factory, finished):
    workspace = type(finished)(tmp_path_factory.mktemp("timed"))
    workspace.write("timed.yaml", TIMED)
    done = workspace.strata("run", "timed.yaml", "--out", "out")
    assert done.returncode == 0, done.stderr
    return workspace


def document(workspace):
    done = workspace.strata("report", "out", "--warm-up", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.smoke
def test_each_slow_steps_causes_and_the_rest_are_its_excess(timed):
    found = document(timed)
    assert found["schema"] == "strata.warm-up/1"
    assert found["recorded"] and found["measured"]
    assert found["steady_state"]["steps"] == 25
    for step in found["steps"] + found["again"]:
        given = sum(cause["ns"] for cause in step["causes"])
        assert given + step["unattributed_ns"] == pytest.approx(max(step["excess_ns"], 0), abs=1e3)  # none if the step was no slower
        assert all(cause["proof"] or cause["ns"] < 1e7 for cause in step["causes"]), step


def test_the_projectors_svd_is_seen_in_the_first_step(timed):
    """Only the first step of this run computes GaLore's projection; that explains its delay."""
    calls = timed.query(
        "out",
        "SELECT o.step, sum(o.calls), sum(o.self_ns) FROM warmup_analyzer_operator AS o JOIN string AS s ON s.id = o.name "
        "WHERE s.text LIKE '%linalg_svd%' GROUP BY o.step",
    )
    assert [step for step, *_ in calls] == [0]
    step = document(timed)["steps"][0]
    assert step["step"] == 0
    (svd,) = [cause for cause in step["causes"] if cause["cause"] == "projector_svd"]
    assert 0 < svd["ns"] <= calls[0][2]


def test_prints_it_as_text(timed):
    done = timed.strata("report", "out", "--warm-up")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Steady state\n")
    assert "projector (SVD, QR)" in done.stdout
    assert "not attributed" in done.stdout
    assert "Not looked for" in done.stdout


def test_the_summary_and_the_report_tell_the_steady_state(timed):
    summary = json.loads(timed.strata("report", "out", "--json").stdout)
    assert summary["steady_state"] == document(timed)["steady_state"]
    assert "  steady   " in timed.strata("report", "out").stdout


def test_a_run_without_the_plugin_is_told_what_to_load(finished):
    done = finished.strata("report", "out", "--warm-up")
    assert done.returncode == 0
    assert "the plugin warmup_analyzer was not loaded" in " ".join(done.stdout.split())


def test_the_plugin_prints_its_options(workspace):
    done = workspace.strata("plugins", "warmup_analyzer")
    assert done.returncode == 0
    assert "steps" in done.stdout and "32" in done.stdout
