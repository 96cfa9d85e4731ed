# SPDX-License-Identifier: Apache-2.0
"""A saved training resumes as if it had never stopped: the same losses, and the same bits in all
its state."""

import json
import resource
import signal
import subprocess
import time

import pytest
import torch
from workspaces import Workspace
from saved_trainings import MODELS, SAVED_AT, STEPS, checkpoint, difference, load, losses, run, saved_files, training  # noqa: F401 (a fixture too)

# A projector serves three steps: the resumed run needs the old one first and then makes a new one.
OPTIMIZERS = [
    "{name: sgd}",
    *(f"{{name: sgd, momentum: 0.9, impl: {impl}}}" for impl in ("loop", "foreach", "fused")),
    *(f"{{name: {name}, impl: {impl}}}" for name in ("adam", "adamw") for impl in ("loop", "foreach", "fused")),
    "{name: lion}",
    "{name: adafactor}",
    "{name: muon}",
    "{name: adam8bit}",
    "{name: galore_adamw, rank: 4, update_proj_gap: 3}",
    "{name: galore_adamw, rank: 4, update_proj_gap: 3, keep_factor: false, proj_type: full}",
    "{name: rsvd_adam, rank_fraction: 0.25, update_proj_gap: 3}",
]
GROWING = "grad_scaler={init_scale: 1024.0, growth_interval: 4}"
TRAININGS = {
    **{optimizer: [f"optimizer={optimizer}"] for optimizer in OPTIMIZERS},
    **{
        f"{precision} {name}": [f"precision={precision}", f"optimizer={{name: {name}}}"]
        for precision in ("fp64", "bf16_autocast", "bf16")
        for name in ("adamw", "adam8bit", "rsvd_adam")
    },
    "fp16_autocast": ["precision=fp16_autocast", GROWING],
    "fp16_autocast overflows": ["precision=fp16_autocast", "grad_scaler={init_scale: 1.0e+30, growth_interval: 2}"],
    "gpt2 with dropout": [f"model={MODELS['gpt2']}"],
    "distilbert with dropout": [f"model={MODELS['distilbert']}"],
    "dropout in checkpointed blocks": [f"model={MODELS['gpt2']}", "checkpointing=block", "precision=bf16_autocast"],
    "qwen": [f"model={MODELS['qwen']}", "attention=sdpa"],
    "resnet18": [f"model={MODELS['resnet18']}", "optimizer={name: sgd}"],
    "per layer": ["optimizer={name: adamw, per_layer: true}"],
    "galore per layer": ["optimizer={name: galore_adamw, rank: 4, update_proj_gap: 3, per_layer: true}"],
    "accumulation": [f"model={MODELS['gpt2']}", "accumulation=3"],
    "gradients kept at the step's end": ["zero_grad={at: step_end, set_to_none: false}"],
    "gradients kept until backward": ["zero_grad={at: before_backward, set_to_none: false}", "accumulation=2"],
    "gradients freed before backward": ["zero_grad={at: before_backward}"],
    "rates that fall": ["optimizer={lr_schedule: cosine, lr_warmup_steps: 3}", "optimizer.clip_norm=0.1"],
    "dummy state": ["optimizer={name: galore_adamw, rank: 4, update_proj_gap: 3, init_state: dummy}"],
    "text read ahead": ["data={source: text, path: text.txt, order: sequential, batch_size: 2, workers: 2, prefetch: 3}"],
    "hash": ["data={source: hash, batch_size: 2}", "accumulation=2"],
}


def whole_and_resumed(workspace, *overrides):
    """Compare the losses of a training in one run and in two; return the last checkpoints of
    both."""
    run(workspace, "whole", *overrides, f"save={{every: {SAVED_AT}, at_end: true}}")
    run(workspace, "rest", *overrides, f"resume={checkpoint(workspace, 'whole', SAVED_AT)}", "save.at_end=true")
    expected = losses(workspace, "whole")
    assert list(expected) == list(range(STEPS))
    resumed = losses(workspace, "rest")
    assert resumed == {step: loss for step, loss in expected.items() if step >= SAVED_AT}
    whole, rest = (load(checkpoint(workspace, out, STEPS)) for out in ("whole", "rest"))
    for contents in (whole, rest):
        del contents["config"]  # names the checkpoint that the run resumed from
    return whole, rest


@pytest.mark.smoke
@pytest.mark.parametrize("overrides", TRAININGS.values(), ids=TRAININGS.keys())
def test_a_resumed_training_is_the_whole_one_to_the_bit(training, overrides):
    whole, rest = whole_and_resumed(training, *overrides)
    assert difference(whole, rest) is None
    assert (whole["step"], whole["samples"] % (2 * STEPS)) == (STEPS, 0)


def test_what_decides_is_not_what_a_run_begins_with(training):
    """The comparison above can fail: after two steps, losses, generators and state differ from
    those at the start."""
    run(training, "whole", f"model={MODELS['gpt2']}", "save.every=1")
    first, second = (load(checkpoint(training, "whole", steps)) for steps in (1, 2))
    assert difference(first["generators"], second["generators"]) == "checkpoint.cpu"
    assert difference(first["model"], second["model"])
    assert difference(first["optimizer"], second["optimizer"])
    assert len(set(losses(training, "whole").values())) == STEPS


def test_the_scale_grows_when_it_would_have(training):
    whole, _ = whole_and_resumed(training, "precision=fp16_autocast", GROWING)
    assert (whole["scaler"]["scale"].item(), whole["scaler"]["growth_tracker"].item()) == (2048.0, 1)
    assert load(checkpoint(training, "whole", SAVED_AT))["scaler"]["growth_tracker"].item() == 2


def test_a_model_of_ones_own_is_resumed_with_its_buffers(training):
    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(64, 16)
            self.norm = torch.nn.BatchNorm1d(16)
            self.head = torch.nn.Linear(16, 64)

        def forward(self, tokens: torch.Tensor):
            x = self.norm(self.embedding(tokens).transpose(1, 2)).transpose(1, 2)
            return self.head(torch.dropout(x, 0.1, True))

    torch.jit.script(Own()).save(training.folder / "own.pt")
    own = "model={name: torchscript, file: own.pt, vocab: 64, context: 16}"
    whole, rest = whole_and_resumed(training, own)
    assert difference(whole, rest) is None
    assert whole["model"]["norm.num_batches_tracked"].item() == STEPS

    torch.jit.script(torch.nn.Sequential(torch.nn.Embedding(64, 64))).save(training.folder / "own.pt")
    result = training.strata("run", "training.yaml", own, "resume=whole")
    assert result.returncode == 1
    assert "step_5.pt' has completed 5 steps" in result.stderr
    result = training.strata("run", "training.yaml", own, f"resume={checkpoint(training, 'whole', SAVED_AT)}")
    assert "Resume with the model that was saved" in result.stderr


def test_the_learning_rate_and_who_listens_may_change(training):
    run(training, "whole", "save.every=2")
    run(training, "rest", "resume=whole", "optimizer.lr=1e-2", "plugins=[allocator_tracer]", "schedule.active=8", "seed=7")
    assert list(losses(training, "rest")) == [4, 5, 6, 7, 8]


def test_python_reads_it_with_weights_only(training):
    run(training, "whole", "save.at_end=true")
    contents = load(checkpoint(training, "whole", STEPS))
    assert (contents["format"], contents["format_version"], contents["step"]) == ("strata training", 1, STEPS)
    assert contents["model"]["ln_final.weight"].shape == (32,)
    assert contents["optimizer"]["ln_final.weight"]["step"] == STEPS
    assert contents["optimizer"]["ln_final.weight"]["exp_avg"].shape == (32,)
    assert contents["config"] == (training.folder / "whole/config.yaml").read_text()


def test_only_the_newest_are_kept(training):
    run(training, "whole", "save={every: 1, keep: 2}")
    assert saved_files(training, "whole") == ["step_4.pt", "step_5.pt"]
    run(training, "again", "save={every: 3, at_end: true}")
    assert saved_files(training, "again") == ["step_3.pt", "step_5.pt"]
    run(training, "never")
    assert not (training.folder / "never/checkpoints").exists()


def test_a_folder_is_its_newest_checkpoint(training):
    run(training, "whole", "save.every=1", "schedule.active=11")
    (training.folder / "whole/checkpoints/step_99.pt.part").write_bytes(b"killed while it was written")
    for folder in ("whole", "whole/", "whole/checkpoints"):
        result = training.strata("run", "training.yaml", f"resume={folder}", "schedule.active=12")
        assert "step_12.pt, in " in result.stderr, result.stderr
        assert "step 13/13" in result.stderr, result.stderr


def test_every_byte_of_a_resumed_run_has_its_category(training):
    checked = ["plugins=[allocator_tracer]", "trace={cross_check: true, saved_tensors: true}"]
    for optimizer in OPTIMIZERS[-4:] + ["{name: adamw, impl: fused}"]:
        out = f"out{OPTIMIZERS.index(optimizer)}"
        run(training, out, *checked, f"optimizer={optimizer}", "save.every=2")
        start = f"resume={checkpoint(training, out, SAVED_AT)}"
        run(training, f"{out}_rest", *checked, f"optimizer={optimizer}", start, "save.at_end=true")
        whole, rest = (json.loads((training.folder / name / "summary.json").read_text()) for name in (out, f"{out}_rest"))
        assert rest["categories"]["Unknown"]["max"] == 0
        assert rest["checks"]["cross_check"]["mismatches"] == 0
        assert rest["checks"]["saved_tensors"]["blocks_labelled_differently"] == 0
        # None of the file's memory is left, and a projector keeps as much as before.
        for key in ("Optimizer_State", "Parameter"):
            assert rest["categories"][key]["max"] == whole["categories"][key]["max"], (optimizer, key)
        peaks = {step["index"]: step["peak_allocated_bytes"] for step in whole["steps"]}
        assert all(step["peak_allocated_bytes"] == peaks[step["index"]] for step in rest["steps"]), optimizer


def test_the_phase_of_saving_stands_between_steps(training):
    run(training, "whole", "save.every=2", "plugins=[allocator_tracer]")
    phases = training.query("whole", "SELECT kind, step FROM phase WHERE name = 'checkpoint_save'")
    assert len(phases) == 2
    assert {step for _, step in phases} == {-1}
    manifest = json.loads((training.folder / "whole/manifest.json").read_text())
    assert "resumed" not in manifest
    run(training, "rest", "resume=whole")
    manifest = json.loads((training.folder / "rest/manifest.json").read_text())
    assert manifest["resumed"] == {"checkpoint": str(checkpoint(training, "whole", 4)), "steps": 4}


@pytest.mark.parametrize("model", ["gpt2", "resnet18"])
def test_a_dry_training_is_saved_and_resumed(training, model):
    dry = ["device={dry: h100-80gb}", "plugins=[allocator_tracer]", f"model={MODELS[model]}", "precision=fp16_autocast"]
    run(training, "whole", *dry, "save.every=2", "optimizer.impl=fused")
    run(training, "rest", *dry, f"resume={checkpoint(training, 'whole', SAVED_AT)}", "optimizer.impl=fused")
    whole, rest = (json.loads((training.folder / out / "summary.json").read_text()) for out in ("whole", "rest"))
    assert rest["categories"]["Unknown"]["max"] == 0
    # Not to the byte: earlier allocations determine how large a block the caching allocator
    # returns.
    peaks = [summary["steps"][-1]["peak_allocated_bytes"] for summary in (whole, rest)]
    assert peaks[1] == pytest.approx(peaks[0], rel=0.01)
    contents = load(checkpoint(training, "whole", 4))
    assert contents["dry"] == "h100-80gb"
    assert {tensor.device.type for tensor in contents["model"].values()} == {"cpu"}
    assert set(contents["generators"]) == {"cpu", "cuda"}


# Ways to end a run.


def started(workspace, *words):
    """Return the program, once it has finished the first step of an endless training."""
    process = workspace.start("run", "training.yaml", "--out", "out", "schedule.active=1000000", *words)
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("step 1/"):
            return process
    process.wait()
    raise AssertionError("".join(said))


def wait_for(path):
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.001)


def test_an_interrupted_run_finishes_its_step_and_saves_it(training):
    process = started(training, "save.at_end=true", "accumulation=2")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130, said
    interrupted = losses(training, "out")
    (steps,) = (int(name[5:-3]) for name in saved_files(training, "out"))
    assert steps == len(interrupted) >= 1
    assert None not in interrupted.values()

    more = ["accumulation=2", f"schedule.active={steps + 2}"]
    run(training, "rest", "resume=out", *more)
    run(training, "whole", *more)
    assert interrupted | losses(training, "rest") == losses(training, "whole")


def test_an_interrupted_run_that_saves_now_and_then_saves_no_part_of_a_step(training):
    process = started(training, "save.every=2")
    wait_for(checkpoint(training, "out", 2))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert process.returncode == 130
    assert all(int(name[5:-3]) % 2 == 0 for name in saved_files(training, "out"))


def test_a_run_that_is_killed_while_it_saves_leaves_whole_checkpoints(training):
    larger = "model={size: custom, layers: 1, d_model: 128, d_ff: 128, heads: 2, vocab: 2048, context: 16}"
    for attempt in range(5):
        process = started(training, larger, "save={every: 1, keep: 3}")
        wait_for(checkpoint(training, "out", 1))
        time.sleep(0.02 + 0.017 * attempt)
        process.kill()
        process.communicate(timeout=120)
        whole = [name for name in saved_files(training, "out") if name.endswith(".pt")]
        assert 1 <= len(whole) <= 4
        for name in whole:
            assert load(training.folder / "out/checkpoints" / name)["step"] == int(name[5:-3])
        steps = max(int(name[5:-3]) for name in whole)
        result = training.strata("run", "training.yaml", larger, "resume=out", f"schedule.active={steps + 1}", "--out", "rest")
        assert result.returncode == 0, result.stderr
        training = Workspace(training.folder / "next")
        training.folder.mkdir()
        training.write("training.yaml", (training.folder.parent / "training.yaml").read_text())


def test_a_disk_that_is_full_fails_the_run_and_leaves_no_part(training):
    def no_file_above_a_mebibyte():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    command = training.command("run", "training.yaml", "--out", "out", "save.every=3", "store.spool_bytes=64KiB")
    larger = "model={size: custom, layers: 1, d_model: 64, d_ff: 64, heads: 2, vocab: 2048, context: 16}"
    result = subprocess.run(
        [*command, larger], cwd=training.folder, preexec_fn=no_file_above_a_mebibyte, capture_output=True, text=True
    )
    assert result.returncode == 1, result.stderr
    assert "the run failed after 3 steps: save: cannot write '" in result.stderr
    assert "File too large" in result.stderr
    assert "Free some space" in result.stderr
    assert saved_files(training, "out") == []
    assert len(losses(training, "out")) == 3


def test_ranks_go_on_each_with_its_own_dropout(training):
    ranks = ["world_size=2", f"model={MODELS['gpt2']}", "accumulation=2", "save={at_end: true}"]
    run(training, "whole", *ranks)
    run(training, "first", *ranks, f"schedule.max_steps={SAVED_AT}")
    run(training, "rest", *ranks, "resume=first")
    assert losses(training, "first") | losses(training, "rest") == losses(training, "whole")
    assert len(list(training.folder.rglob("*.pt"))) == 3, "one file for all ranks"
    whole, rest = (load(checkpoint(training, out, STEPS)) for out in ("whole", "rest"))
    other = whole["rank_generators"]["1"]
    assert not torch.equal(whole["generators"]["cpu"], other["cpu"])
    for part in ("model", "optimizer", "generators", "rank_generators"):
        assert difference(whole[part], rest[part]) is None


def test_a_training_may_go_on_with_more_ranks(training):
    run(training, "first", f"schedule.max_steps={SAVED_AT}", "save={at_end: true}", "accumulation=2")
    run(training, "alone", "resume=first", "accumulation=2")
    run(training, "ranks", "resume=first", "world_size=2")
    assert losses(training, "ranks") == pytest.approx(losses(training, "alone"), rel=1e-5)


def test_a_dry_rank_is_saved_by_the_first_alone(training):
    run(training, "out", "--dry", "h100-80gb", "world_size=2", "save={at_end: true}")
    run(training, "more", "--dry", "h100-80gb", "world_size=2", "resume=out", "schedule.active=6")
    assert saved_files(training, "out") == [f"step_{STEPS}.pt"]
