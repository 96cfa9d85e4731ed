# SPDX-License-Identifier: Apache-2.0
"""bench/page: the text that it makes from measurements, and that a table can be measured at all."""

import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "bench/page"
STRATA = pathlib.Path(os.environ.get("STRATA", REPOSITORY / "build/release/bin/strata"))

# tools/seeds, which other tests import, has modules of the same names; this keeps them apart.
OWN = [path.stem for path in FOLDER.glob("*.py")]
theirs = {name: sys.modules.pop(name) for name in OWN if name in sys.modules}
sys.path.insert(0, str(FOLDER))

import curve  # noqa: E402
import estimation  # noqa: E402
import machine  # noqa: E402
import markdown  # noqa: E402
import on_a_card  # noqa: E402
import page  # noqa: E402
import recorders  # noqa: E402
import scaling_events  # noqa: E402
import spread  # noqa: E402
import targets  # noqa: E402
from command import Failed, run  # noqa: E402
from results import Results  # noqa: E402
from settings import Settings  # noqa: E402

sys.path.remove(str(FOLDER))
for name in OWN:
    sys.modules.pop(name, None)
sys.modules.update(theirs)

MIB = 1 << 20
MODE = {"quick": False, "whole": False}
FACTS = {
    **{"date": "2026-01-02", "processor": "A processor", "cores": 2, "memory_bytes": 8 << 30, "system": "Debian", "kernel": "6.1", "load": 0.5, "gpu": None},
    **{"strata": "strata 1", "commit": "abc", "python": "3.11", "torch": "2.11.0", "transformers": "5", "torchvision": None, "memray": "1", "heaptrack": None},
    **{"valgrind": None, "nsys": None},
}


def once(step=0.1, **more):
    return {
        **{"step_seconds": step * 2, "step_processor_seconds": step, "all_processor_seconds": 1.0, "loop_peak_bytes": 500 * MIB, "peak_bytes": 500 * MIB},
        **{"file_bytes": 0, "report_seconds": 0.0, "timeline_seconds": None, "timeline_processor_seconds": None, "loop_seconds": 1.0, "estimated_bytes": None},
        **more,
    }


def recorded():
    rounds = {
        "nobody": [once(), once(0.2)],
        "strata": [once(0.11, all_processor_seconds=1.5, peak_bytes=520 * MIB, file_bytes=2_000_000, report_seconds=2.0), once(0.24, all_processor_seconds=1.5)],
        "strata, allocations": [once(0.105, all_processor_seconds=1.2)] * 2,
        "torch.profiler": [once(0.15, all_processor_seconds=11.0, loop_peak_bytes=700 * MIB, timeline_seconds=9.0, report_seconds=3.0), once(0.3, all_processor_seconds=11.0)],
        "memray": [once(0.12, all_processor_seconds=2.0, loop_peak_bytes=499 * MIB)] * 2,
        "MemTracker": [once(estimated_bytes=123 * MIB)],
    }
    missing = {"heaptrack": "not here: `apt-get install heaptrack`", "nsys": "not here"}
    missing |= {"history": "CUDA's alone", "history without stacks": "CUDA's alone"}
    return {"model": "llama-60m", "device": "cpu", "steps": 4, "rounds": rounds, "missing": missing}


def estimated(seconds=2.0, peak=100 * MIB):
    own = {"seconds": seconds, "processor_seconds": 1.0, "peak_resident_bytes": 300 * MIB, "estimated_bytes": peak}
    rounds = {name: [dict(own)] for name in estimation.WAYS}
    rounds["strata fit"] = [{**own, "estimated_bytes": None, "largest": 3, "tried": 4}]
    rounds["torch"] = [{**own, "estimated_bytes": 100 * MIB, "import_seconds": 3.0}]
    return {"llama-1b": rounds, "llama-7b": json.loads(json.dumps(rounds))}


def test_a_spread_is_the_median_and_the_quartiles():
    assert spread.spread([4, 1, 3, 2, 5]) == spread.Spread(3, 2, 4, 5)
    assert spread.spread([3, 1]) == spread.Spread(2, 1, 3, 2)
    assert spread.text(spread.spread([1.0])) == "1.00 (one run)"
    assert spread.text(spread.spread([1.0, 2.0, 1.5])) == "1.50 (1.00 to 2.00)"
    with pytest.raises(ValueError, match="nothing was measured"):
        spread.spread([])


def test_a_ratio_is_taken_within_a_round():
    """Runs of one round share the machine's state: the ratio is taken of 0.11 to 0.1 and 0.24 to
    0.2, not of the medians."""
    assert recorders.ratio(recorded()["rounds"], "strata", "step_processor_seconds").median == pytest.approx(1.15)


def test_no_cell_is_empty():
    with pytest.raises(ValueError, match="something in them"):
        markdown.table(["a", "b"], [["1", ""]])
    with pytest.raises(ValueError, match="2 cells"):
        markdown.table(["a", "b"], [["1"]])


def test_a_row_for_every_peer_or_the_reason_why_not():
    text = recorders.write(recorded())
    for way in recorders.WAYS:
        assert way.what in text
    assert "not here: `apt-get install heaptrack`" in text
    assert "computes nothing: 1.0 s for two steps, says 123.0 MiB" in text
    assert "| 1.15 (1.10 to 1.20) |" in text
    assert "; with its memory timeline 10.5" in text  # the report's median, and the only export


def test_the_page_says_where_a_peer_is_ahead():
    told = recorded()
    assert "memray takes less of the host's memory while it trains" in recorders.write(told)
    told["rounds"]["memray"] = [once(0.9, peak_bytes=600 * MIB, loop_peak_bytes=600 * MIB, file_bytes=9_000_000, report_seconds=9.0)]
    told["rounds"]["torch.profiler"] = list(told["rounds"]["memray"])
    assert "No peer is ahead" in recorders.write(told)


def test_errors_are_to_torchs_own_count():
    text = estimation.write(estimated(peak=101 * MIB))
    assert "+1.0000%" in text
    assert "a batch of 3, by 4 runs" in text
    assert "None of these ran on a real card" in text


def test_recorded_figures_are_read_from_the_seeds_page():
    rows = estimation.recorded_elsewhere()
    assert [name for name, _, _ in rows] == ["Parameter", "Optimizer_State", "Gradient", "Autograd_Detail"]
    assert estimation.recorded_elsewhere("another page") == []


def test_a_target_is_met_or_missed_or_not_measured(tmp_path):
    results = Results(tmp_path)
    results.write("targets", FACTS, MODE, 1.0, {"instructions": {"added_mean": 0.0097}})
    results.write("estimation", FACTS, MODE, 1.0, estimated())
    results.write(targets.COMPARED, FACTS, MODE, 1.0, recorded())
    verdicts = [row[3] for row in targets.rows(results.read("targets")["result"], targets.of_results(results))]
    # A run takes ten seconds beside half a second. A step takes 75 ms beside 25 ms, and beside none
    # without operators.
    assert verdicts == ["met", "met", "**missed**", "met", "met", "met"]
    compared = recorded()
    compared["rounds"]["torch.profiler"] = [once(all_processor_seconds=5.0)] * 2
    results.write(targets.COMPARED, FACTS, MODE, 1.0, compared)
    missed = targets.missed(results)
    assert ["8.0 times" in line for line in missed] == [True, False]
    assert all(line.endswith("**missed**") for line in missed)
    results.write("estimation", FACTS, MODE, 1.0, estimated(seconds=5.1))
    assert any(line.endswith("**missed**") and "a 7B step's peak" in line for line in targets.missed(results))
    results.write("estimation", {**FACTS, "load": 7.0}, MODE, 1.0, estimated(seconds=5.1))  # one second of processor time
    assert any("**not decided**: the load was 7.0 on 2 cores" in line for line in targets.missed(results))
    results.write("targets", FACTS, MODE, 1.0, {"instructions": {"reason": "not counted"}})
    assert any("not counted" in line for line in targets.missed(results))
    assert targets.missed(Results(tmp_path / "none")) == ["targets was not made"]


def test_growth_is_the_exponent():
    assert curve.exponent([(1, 5), (10, 5), (100, 5)]) == pytest.approx(0)
    assert curve.exponent([(1, 2), (10, 20), (100, 200)]) == pytest.approx(1)
    assert curve.exponent([(1, 2)]) is None


def test_a_picture_is_an_svg_with_every_point():
    lines = [curve.Line("one & two", [(1, 3.0), (10, 40.0)]), curve.Line("three", [(1, 5.0)])]
    root = xml.etree.ElementTree.fromstring(curve.picture("a < b", "x", "y", lines))
    assert len(root.findall("{*}circle")) == 3
    assert "one & two" in [text.text for text in root.findall("{*}text")]


def test_the_page_is_written_of_what_was_measured(tmp_path):
    results = Results(tmp_path / "results")
    point = {"events": 10_000, "bare_processor_seconds": 1.0, "recorded_processor_seconds": 1.3, "recorded_peak_bytes": 1, "store_bytes": 500_000}
    point |= {"report_processor_seconds": 0.1, "report_seconds": 0.2, "report_peak_bytes": 20 * MIB}
    results.write("scaling-events", FACTS, MODE, 61.0, {"points": [point, {**point, "events": 100_000, "recorded_processor_seconds": 3.1}]})
    page.write(tmp_path / "page.md", [*estimation.tables(), *scaling_events.tables()], results)
    text = (tmp_path / "page.md").read_text()
    assert "Not measured: `./dev bench page estimation` does." in text
    assert "| 10,000 | 20,000 | 50.0 | 10,000 | 0.2 | 20 |" in text
    assert "A processor, 2 cores, 8 GiB, Debian, Linux 6.1; no GPU" in text
    assert (tmp_path / "pictures" / scaling_events.FILE).read_text().startswith("<svg")


def test_an_interrupted_run_goes_on_and_a_whole_one_begins_anew(tmp_path):
    results = Results(tmp_path / "results")
    assert not results.begin()
    results.write("estimation", FACTS, MODE, 1.0, {})
    assert results.begin()
    assert results.is_done("estimation", FACTS, MODE)
    assert not results.is_done("estimation", {**FACTS, "strata": "strata 2"}, MODE)
    assert not results.is_done("estimation", FACTS, {**MODE, "whole": True})
    results.path("recorders").write_text("{")
    assert not results.is_done("recorders", FACTS, MODE)
    results.finish()
    assert not results.begin()
    assert results.read("estimation") is None


def test_a_command_that_fails_says_what_it_said(tmp_path):
    with pytest.raises(Failed, match="(?s)ended with 3.*no such thing"):
        run(["sh", "-c", "echo no such thing >&2; exit 3"], tmp_path)
    used = run([sys.executable, "-c", "x = bytearray(64 << 20); print(len(x))"], tmp_path)
    assert used.output == f"{64 << 20}\n"
    assert used.peak_bytes > 64 * MIB


def test_a_recorder_that_starts_at_times_is_asked_again(tmp_path, monkeypatch):
    (way,) = [way for way in recorders.WAYS if way.attempts > 1]
    asked = []

    def run_badly_at_first(words, folder, environment):
        asked.append(words)
        if len(asked) < way.attempts:
            raise Failed("its agent was not there yet")
        (folder / "told.json").write_text("{}")
        return "used"

    monkeypatch.setattr(recorders, "run", run_badly_at_first)
    settings = Settings(STRATA.resolve().parents[1], quick=True, whole=False, scratch=tmp_path)
    assert recorders.record(way, recorders.CASES[0], settings, 0, tmp_path)[1] == "used"
    asked.clear()
    with pytest.raises(Failed):
        recorders.record(recorders.WAYS[1], recorders.CASES[0], settings, 0, tmp_path)
    assert len(asked) == 1


def test_what_is_not_here_has_no_version(tmp_path):
    assert machine.said_by("no-such-program-at-all") is None
    assert machine.version_in(None) is None
    assert machine.version_in("NVIDIA Nsight Systems version 2022.4.2.1-df9881f") == "2022.4.2.1"
    assert machine.version_of("memray", tmp_path) is None


MODULES = ["estimation", "recorders", "targets", *sorted(path.stem for path in FOLDER.glob("scaling_*.py"))]


@pytest.mark.parametrize("module", MODULES)
def test_each_module_runs_by_itself(module):
    done = subprocess.run([sys.executable, FOLDER / f"{module}.py", "--help"], capture_output=True, text=True, check=True)
    assert "--json" in done.stdout


def test_the_page_that_is_kept_is_whole():
    """`./dev bench page` writes it; make a missing table first."""
    text = (REPOSITORY / "docs/benchmarks.md").read_text()
    assert "Not measured: " not in text
    for name in [line.split("](")[1].split(")")[0] for line in text.splitlines() if line.startswith("![")]:
        assert (REPOSITORY / "docs" / name).is_file()


def test_the_cheapest_table_can_be_measured(tmp_path):
    settings = Settings(STRATA.resolve().parents[1], quick=True, whole=False, scratch=tmp_path)
    found = scaling_events.point(settings, 4000)
    assert found["events"] >= 4000
    assert found["store_bytes"] > 0
    assert scaling_events.write({"points": [found]}).count("\n| ") >= 2


def test_the_table_of_a_card_says_what_is_missed_and_what_was_not_measured():
    way = {"what": "`strata exec`", "step_ms": 12.0, "ratio": 1.2, "ratios": [1.1, 1.3], "late_ratio": None, "limit": 1.1, "start_seconds": 3.0}
    way |= {"end_seconds": 2.0, "store_bytes_a_step": 2e5, "losses_equal": True, "peak_equal": False}
    programs = {"small": {"title": "small layers", "ways": {"exec": way}}}
    text = on_a_card.write({"card": "A card", "dry": True, "date": "2026-01-02", "programs": programs, "missing": {"nsys": "not installed"}})
    assert "| `strata exec` | 12.00 | 1.20 (1.10 to 1.30) | 1.10: **missed** | – | 3.0 | 2.0 | 0.2 |" in text
    assert "The losses of all runs are equal" in text
    assert "The peaks of torch's allocator differ under `strata exec`." in text
    assert "Could not run: nsys (not installed)." in text
    assert text.startswith("Dry A card: nothing is computed")


def test_what_recorders_add_to_a_step_is_measured(tmp_path):
    """Run the whole program for one round of a few steps on a dry card."""
    words = ["--strata", STRATA, "--dry", "--programs", "small", "--ways", "exec,history", "--rounds", "1", "--steps", "12"]
    done = subprocess.run([sys.executable, REPOSITORY / "bench/on_a_card.py", *words, "--json", tmp_path / "cost.json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ways = json.loads((tmp_path / "cost.json").read_text())["programs"]["small"]["ways"]
    assert set(ways) == {"bare", "exec", "history"}
    assert all(way["losses_equal"] and way["peak_equal"] for way in ways.values())
    assert ways["exec"]["store_bytes_a_step"] > 0 == ways["bare"]["store_bytes_a_step"]
    assert "12 small layers" in done.stdout
