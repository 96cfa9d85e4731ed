# SPDX-License-Identifier: Apache-2.0
"""Each shape is found in runs that are known to have it, and in none that are known not to."""

import json
import re

import pytest

from workspaces import REPOSITORY, Workspace
from shape_runs import BASE, CARD, RUNS

KINDS = re.findall(r'\{ShapeKind::k\w+, "(\w+)", "([^"]+)"\}', (REPOSITORY / "host/analysis/shapes/shape.hpp").read_text())
IDS = [kind for kind, _ in KINDS]
# Free pieces are checked with the run's own segments below. No configuration makes memory grow, has
# a graph that no backward uses, or has streams and pools with their own caches: see
# test_growing_memory.py, test_unused_graphs.py, test_unused_reserved.py.
DECIDED_ELSEWHERE = {"fragmentation", "growing_memory", "unused_graph", "stream_caches", "private_pools", "deferred_frees"}


class Recorded:
    """A run, the shapes found in it, and its folder."""

    def __init__(self, folder, run):
        self.workspace = Workspace(folder)
        self.workspace.write("run.yaml", BASE)
        words = ["--dry", CARD] if run.dry else []
        done = self.workspace.strata("run", "run.yaml", "--out", "out", *words, *run.words)
        assert done.returncode == 0, done.stderr
        self.document = json.loads(self.strata("report", "out", "--shapes", "--json").stdout)
        self.shapes = self.document["shapes"]
        self.kinds = {shape["kind"] for shape in self.shapes}

    def strata(self, *words):
        done = self.workspace.strata(*words)
        assert done.returncode == 0, done.stderr
        return done

    def one(self, kind):
        (shape,) = [shape for shape in self.shapes if shape["kind"] == kind]
        return shape


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Each run once, when it is first asked for."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = Recorded(tmp_path_factory.mktemp(name), RUNS[name])
        return made[name]

    return of


@pytest.mark.smoke
@pytest.mark.parametrize("name", RUNS)
def test_what_is_there_is_found_and_nothing_else(recorded, name):
    run, found = RUNS[name], recorded(name).kinds
    assert run.shows <= found, run.shows - found
    assert found <= run.shows | run.may, found - run.shows - run.may


@pytest.mark.parametrize("kind", [kind for kind in IDS if kind not in DECIDED_ELSEWHERE])
def test_three_runs_show_it_and_three_do_not(kind):
    assert sum(kind in run.shows for run in RUNS.values()) >= 3
    assert sum(kind not in run.shows | run.may for run in RUNS.values()) >= 3


def table(document, name):
    columns = [column["name"] for column in document[name]["columns"]]
    return [dict(zip(columns, row)) for row in document[name]["rows"]]


@pytest.fixture(scope="session")
def exported(recorded):
    """All data of a run, from another command."""
    made = {}

    def of(name):
        if name not in made:
            run = recorded(name)
            run.strata("export", "out", "--format", "json", "--out", "run.json")
            made[name] = json.loads((run.workspace.folder / "run.json").read_text())
        return made[name]

    return of


# Shapes whose arrow points to the edge of a band or of a fall, not to the curve.
INSIDE = {"constant_band", "logits_cliff", "fragmentation"}


@pytest.mark.parametrize("name", ["foreach", "checkpointed", "loop", "galore_each_step", "cpu_loop"])
def test_arrows_point_to_the_curve(recorded, exported, name):
    levels = {}
    for point in table(exported(name), "timeline"):
        allocated = sum(value for key, value in point.items() if key in CATEGORIES)
        levels.setdefault(point["time"], set()).add(allocated)
    for shape in recorded(name).shapes:
        assert shape["begin_ns"] <= shape["end_ns"] and 0 < shape["bytes"]
        if shape["kind"] not in INSIDE | {"repeating_step", "flat_optimizer", "zero_grad_cliff", "first_step_growth"}:
            assert shape["level_bytes"] in levels[shape["at_ns"]], shape


CATEGORIES = ["Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown"]
SMALL_SEGMENT = 2 << 20


def spared_by_pieces(document):
    """Return, for all times that the allocator took a large segment, the most memory that free
    pieces would have spared, and the sum; the most reserved and allocated; and the part of the most
    held in large segments that was never needed."""
    events = [(row["sequence"], 0, row["address"], row["change"], row["reserved"]) for row in table(document, "segments")]
    for block in table(document, "blocks"):
        events.append((block["birth_sequence"], 1, block["address"], block["size"], 0))
        if block["death_sequence"] is not None:
            events.append((block["death_sequence"], -1, block["address"], block["size"], 0))
    segments, blocks, spared, allocated, needed = {}, {}, [0], 0, 0
    for _, what, address, size, _ in sorted(events):
        address = int(address, 16)
        if what == 1:
            blocks[address] = size
            large = [(begin, begin + length) for begin, length in segments.items() if length > SMALL_SEGMENT]
            needed = max(needed, sum(bytes for at, bytes in blocks.items() if any(begin <= at < end for begin, end in large)))
            allocated = max(allocated, sum(blocks.values()))
        elif what == -1:
            blocks.pop(address, None)
        elif size < 0:
            segments.pop(address)
        else:
            large = [(begin, begin + length) for begin, length in segments.items() if length > SMALL_SEGMENT]
            held = sum(end - begin for begin, end in large)
            used = sum(bytes for at, bytes in blocks.items() if any(begin <= at < end for begin, end in large))
            if size > SMALL_SEGMENT:
                spared.append(min(held - used, size))
            segments[address] = size
    held = sum(size for size in segments.values() if size > SMALL_SEGMENT)
    return max(spared), sum(spared), max(event[-1] for event in events), allocated, held - needed


# Only some of the runs, because this is slow.
PIECED = ["foreach", "forward_only", "resnet", "wide_attention", "every_second", "galore_each_step", "muon", "wide_forward"]


def test_free_pieces_are_those_that_segments_and_blocks_say(recorded, exported):
    shown = []
    for name in PIECED:
        worst, spared, reserved, allocated, not_needed = spared_by_pieces(exported(name))
        worst = min(worst, not_needed)
        never = min(spared, reserved - allocated, not_needed)
        by_many = never // 5 > worst // 4 and never * 10 >= reserved
        shown.append(by_many or worst * 20 >= reserved)
        assert ("fragmentation" in recorded(name).kinds) == shown[-1], (name, worst, spared, reserved, allocated)
        if shown[-1]:
            assert recorded(name).one("fragmentation")["bytes"] == (never if by_many else worst), name
    assert shown.count(True) >= 3 and shown.count(False) >= 3, dict(zip(PIECED, shown))


def test_what_has_no_segments_has_no_pieces(recorded):
    for name, run in RUNS.items():
        if not run.dry:
            assert "fragmentation" not in recorded(name).kinds


def test_a_rise_in_some_steps_is_counted_in_those(recorded):
    assert recorded("galore_second_step").one("projector_spike")["steps"] < 3
    assert recorded("galore_each_step").one("projector_spike")["steps"] == 2
    assert recorded("foreach").one("repeating_step")["steps"] == 2


def test_bytes_are_what_the_configuration_says(recorded):
    # Four bytes for each of 4 x 256 tokens and 16,384 vocabulary entries; gradients have as many
    # columns as the model is wide.
    run = recorded("foreach")
    assert run.one("logits_slab")["bytes"] == run.one("softmax_spike")["bytes"] == 4 * 256 * 16384 * 4
    assert run.one("backward_start_spike")["bytes"] == 2 * 4 * 256 * 16384 * 4
    assert run.one("lm_head_gradient")["bytes"] == run.one("embedding_gradient")["bytes"] == 16384 * 256 * 4
    loop = recorded("loop").one("division_flagpole")
    assert loop["bytes"] == 16384 * 256 * 4


def test_the_table_says_what_the_json_says(recorded):
    run = recorded("checkpointed")
    said = " ".join(run.strata("report", "out", "--shapes").stdout.split())
    for shape in run.shapes:
        assert shape["title"] in said and shape["sentence"] in said and shape["remedy"] in said
    assert run.document["schema"] == "strata.shapes/1" and run.document["measured"] is False
    summary = json.loads((run.workspace.folder / "out/summary.json").read_text())
    keys = ["kind", "step", "steps", "bytes", "layer"]
    assert summary["shapes"] == [{key: shape[key] for key in keys} for shape in run.shapes]


def test_the_seed_of_reference_004_has_its_shapes(tmp_path):
    """The run of docs/seeds/004.md, and its picture made with the page's command."""
    (plot,) = re.findall(r"`strata plot RUN (.*?)`", (REPOSITORY / "docs/seeds/004.md").read_text())
    workspace = Workspace(tmp_path)
    done = workspace.strata("run", REPOSITORY / "configs/seeds/004-nanugpt.yaml", "--dry", "h100-80gb", "--out", "runs/004")
    assert done.returncode == 0, done.stderr
    drawn = workspace.strata("plot", "runs/004", *plot.split(), "--format", "png")
    (picture,) = drawn.stdout.split()
    assert (tmp_path / picture).stat().st_size > 20000, drawn.stderr
    shapes = json.loads(workspace.strata("report", "runs/004", "--shapes", "--json").stdout)["shapes"]
    found = {shape["kind"]: shape for shape in shapes}
    assert set(found) == {
        "constant_band", "repeating_step", "first_step_growth", "forward_triangle", "layer_stripes", "logits_slab", "softmax_spike",
        "zero_grad_cliff", "backward_start_spike", "logits_cliff", "lm_head_gradient", "recomputation_waves", "embedding_gradient",
        "optimizer_plateau", "fragmentation",
    }
    assert found["logits_slab"]["bytes"] == 8 * 1024 * 151936 * 4


@pytest.mark.parametrize("words", [["--shapes", "--layers"], ["--shapes", "--time"]])
def test_what_cannot_be_asked_together_is_refused(recorded, words):
    assert recorded("foreach").workspace.strata("report", "out", *words).returncode == 2
