"""A training that was saved goes on as if it had never stopped: the same losses, and the same last bit of all it holds."""

import json
import resource
import signal
import subprocess
import time
import zipfile

import pytest
import torch

from conftest import Workspace

TINY = "{size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 16"
MODELS = {
    "transformer": TINY + "}",
    "gpt2": f"{TINY}, name: gpt2, dropout: 0.1}}",
    "distilbert": f"{TINY}, name: distilbert, dropout: 0.1}}",
    "qwen": "{name: qwen, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, kv_heads: 2, vocab: 256, context: 16}",
    "resnet18": "{name: resnet18, image_size: 32, classes: 10}",
}
SAVED_AT, STEPS = 2, 5

# A projector serves three steps: the resumed run needs the one of before, then makes another.
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


@pytest.fixture
def training(workspace):
    """A workspace that holds training.yaml, of five steps."""
    workspace.write("text.txt", "strata are layers of rock, one upon the other\n" * 40)
    workspace.write(
        "training.yaml",
        f"model: {MODELS['transformer']}\n"
        "data: {source: synthetic, batch_size: 2}\n"
        f"schedule: {{wait: 0, warmup: 1, active: {STEPS - 1}}}\n"
        "backend: {threads: 1}\n",
    )
    return workspace


def run(workspace, out, *overrides):
    result = workspace.strata("run", "training.yaml", "--out", out, *overrides)
    assert result.returncode == 0, result.stderr
    return result


def losses(workspace, out):
    return dict(workspace.query(out, "SELECT step, loss FROM step ORDER BY step"))


def checkpoint(workspace, out, steps):
    return workspace.folder / out / "checkpoints" / f"step_{steps}.pt"


def saved_files(workspace, out):
    return sorted(path.name for path in (workspace.folder / out / "checkpoints").iterdir())


def load(path):
    return torch.load(path, weights_only=True)


def memory(tensor):
    """All bytes that the tensor keeps, whatever it shows of them."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def difference(left, right, place="checkpoint"):
    """Where the two are not equal to the bit, tensors with the whole memory that they keep; None where they are."""
    if isinstance(left, dict):
        if list(left) != list(right):
            return f"{place}: {list(left)} and {list(right)}"
        found = (difference(left[key], right[key], f"{place}.{key}") for key in left)
        return next((place for place in found if place), None)
    if isinstance(left, torch.Tensor):
        same = (left.dtype, left.shape, left.stride(), left.storage_offset()) == (
            right.dtype,
            right.shape,
            right.stride(),
            right.storage_offset(),
        )
        return None if same and torch.equal(memory(left), memory(right)) else place
    return None if left == right else f"{place}: {left} and {right}"


def whole_and_resumed(workspace, *overrides):
    """The last checkpoints of a training in one run, and of the same one in two; their losses are compared."""
    run(workspace, "whole", *overrides, f"save={{every: {SAVED_AT}, at_end: true}}")
    run(workspace, "rest", *overrides, f"resume={checkpoint(workspace, 'whole', SAVED_AT)}", "save.at_end=true")
    expected = losses(workspace, "whole")
    assert list(expected) == list(range(STEPS))
    resumed = losses(workspace, "rest")
    assert resumed == {step: loss for step, loss in expected.items() if step >= SAVED_AT}
    whole, rest = (load(checkpoint(workspace, out, STEPS)) for out in ("whole", "rest"))
    for contents in (whole, rest):
        del contents["config"]  # names the checkpoint that was resumed
    return whole, rest


@pytest.mark.parametrize("overrides", TRAININGS.values(), ids=TRAININGS.keys())
def test_a_resumed_training_is_the_whole_one_to_the_bit(training, overrides):
    whole, rest = whole_and_resumed(training, *overrides)
    assert difference(whole, rest) is None
    assert (whole["step"], whole["samples"] % (2 * STEPS)) == (STEPS, 0)


def test_what_decides_is_not_what_a_run_begins_with(training):
    """The comparison above can fail: two steps on, losses, generators and state are others than at the beginning."""
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
    assert "step_5.pt' has taken 5 steps" in result.stderr
    result = training.strata("run", "training.yaml", own, f"resume={checkpoint(training, 'whole', SAVED_AT)}")
    assert "Resume with the model that it was saved of" in result.stderr


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
        # Nothing of the file is left, and a projector keeps what it kept.
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
    # Not to the byte: what was allocated before decides how large a block the caching allocator gives.
    peaks = [summary["steps"][-1]["peak_allocated_bytes"] for summary in (whole, rest)]
    assert peaks[1] == pytest.approx(peaks[0], rel=0.01)
    contents = load(checkpoint(training, "whole", 4))
    assert contents["dry"] == "h100-80gb"
    assert {tensor.device.type for tensor in contents["model"].values()} == {"cpu"}
    assert set(contents["generators"]) == {"cpu", "cuda"}


# What ends a run.


def started(workspace, *words):
    """The program, once it has finished the first step of an endless training."""
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
    assert "Make room" in result.stderr
    assert saved_files(training, "out") == []
    assert len(losses(training, "out")) == 3


# What is refused.

REFUSED = {
    "another model": (["model.layers=3"], "model.layers is 2 in it and 3 here. Write what it has, or resume another"),
    "another precision": (["precision=bf16"], "precision is fp32 in it and bf16 here"),
    "another optimizer": (["optimizer.name=lion"], "optimizer.name is adamw in it and lion here"),
    "another implementation": (["optimizer.impl=fused"], "optimizer.impl is loop in it and fused here"),
    "two others": (["model.d_ff=128", "precision=fp64"], "model.d_ff is 64 in it and 128 here, precision is fp32 in it and fp64 here"),
    "nothing left": (["schedule.active=3"], "has taken 4 steps, and the whole training has 4: nothing is left to do"),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A workspace with a training that was saved after four of its five steps."""
    workspace = Workspace(tmp_path_factory.mktemp("saved"))
    workspace.write(
        "training.yaml",
        f"model: {MODELS['transformer']}\nschedule: {{wait: 0, warmup: 1, active: 4}}\nbackend: {{threads: 1}}\n"
        "data: {batch_size: 2}\n",
    )
    run(workspace, "saved", "save.every=4")
    return workspace


def refusal(workspace, *overrides):
    result = workspace.strata("run", "training.yaml", *overrides)
    assert result.returncode in (1, 2), result.stderr
    lines = [line for line in result.stderr.splitlines() if "resume" in line and "resumed from" not in line]
    assert len(lines) == 1, result.stderr
    return result.returncode, lines[0]


@pytest.mark.parametrize("case", REFUSED)
def test_another_training_is_refused(saved, case):
    overrides, says = REFUSED[case]
    code, line = refusal(saved, "resume=saved", *overrides)
    assert code == 1
    assert says in line
    assert "step_4.pt" in line


def test_a_dry_devices_numbers_are_refused_on_a_real_one(saved):
    run(saved, "dry", "device={dry: h100-80gb}", "save.every=4")
    assert "saved on a dry h100-80gb, which computes nothing" in refusal(saved, "resume=dry")[1]
    assert "resume" not in saved.strata("run", "training.yaml", "resume=saved", "device={dry: h100-80gb}").stderr.replace(
        "resumed from", ""
    ), "the other way round its sizes are all that is needed"


def test_what_is_no_checkpoint_is_refused(saved):
    whole = checkpoint(saved, "saved", 4).read_bytes()
    files = {
        "text.pt": b"model: {size: small}\n",
        "empty.pt": b"",
        "half.pt": whole[: len(whole) // 2],
        "headless.pt": whole[len(whole) // 2 :],
        "short.pt": whole[:-1],
    }
    for name, contents in files.items():
        saved.write(name, contents)
        code, line = refusal(saved, f"resume={name}")
        assert code == 1
        assert f"{name}' is no whole checkpoint" in line
        assert "Name one that save.every or save.at_end has written" in line


def test_another_programs_checkpoint_is_refused(saved):
    torch.save({"model": {"weight": torch.zeros(2)}}, saved.folder / "other.pt")
    assert "is an archive, but no checkpoint of a training" in refusal(saved, "resume=other.pt")[1]
    torch.save([torch.zeros(2)], saved.folder / "list.pt")
    assert "it holds no dict" in refusal(saved, "resume=list.pt")[1]
    torch.save(torch.nn.Linear(2, 2), saved.folder / "module.pt")
    assert "is no whole checkpoint" in refusal(saved, "resume=module.pt")[1]


def test_a_tensor_that_is_larger_than_its_bytes_is_refused(saved):
    """Tensors are read where they lie in the file, so that one that reaches beyond it would read what is none of its own."""
    torch.save({"a": torch.arange(32.0)}, saved.folder / "one.pt")
    reader = torch._C.PyTorchFileReader(str(saved.folder / "one.pt"))
    pickle, record = reader.get_record("data.pkl"), reader.get_record("data/0")
    size, stride = b"K\x20\x85", b"K\x01\x85"
    assert (pickle.count(size), pickle.count(stride), len(record)) == (1, 1, 128)

    def says(pickle, record):
        writer = torch._C.PyTorchFileWriter(str(saved.folder / "odd.pt"))
        for name, contents in {"data.pkl": pickle, "data/0": record}.items():
            writer.write_record(name, contents, len(contents))
        writer.write_end_of_file()
        return refusal(saved, "resume=odd.pt")[1]

    assert "but no checkpoint of a training" in says(pickle, record)
    assert "a tensor in it is larger than its bytes" in says(pickle, record[:-4])
    assert "a tensor in it is larger than its bytes" in says(pickle.replace(size, b"K\x21\x85"), record)
    assert "a tensor in it is larger than its bytes" in says(pickle.replace(stride, b"K\x02\x85"), record)
    assert "a tensor in it is larger than its bytes" in says(pickle.replace(size, b"J\xff\xff\xff\x7f\x85"), record)

    with zipfile.ZipFile(saved.folder / "one.pt") as whole, zipfile.ZipFile(
        saved.folder / "small.pt", "w", zipfile.ZIP_DEFLATED
    ) as small:
        for name in whole.namelist():
            small.writestr(name, whole.read(name))
    assert "a tensor in it is compressed" in refusal(saved, "resume=small.pt")[1]


def test_a_later_versions_checkpoint_is_refused(saved):
    contents = load(checkpoint(saved, "saved", 4))
    torch.save(contents | {"format_version": 2}, saved.folder / "later.pt")
    line = refusal(saved, "resume=later.pt")[1]
    assert "has format version 2, and this version of Strata reads up to 1" in line


def test_a_checkpoint_that_was_tampered_with_is_refused(saved):
    def resave(name, **changes):
        torch.save(load(checkpoint(saved, "saved", 4)) | changes, saved.folder / name)

    contents = load(checkpoint(saved, "saved", 4))
    optimizer, model = contents["optimizer"], contents["model"]
    resave("same.pt")
    saved.strata("run", "training.yaml", "resume=same.pt").check_returncode()

    resave("no_weight.pt", model={key: value for key, value in model.items() if key != "ln_final.weight"})
    assert "has no 'ln_final.weight'. Resume with the model" in refusal(saved, "resume=no_weight.pt")[1]
    resave("more.pt", model=model | {"more": torch.zeros(1)})
    assert "has 23 tensors of a model, and this one has 22" in refusal(saved, "resume=more.pt")[1]
    resave("wrong_size.pt", model=model | {"ln_final.weight": torch.zeros(3)})
    assert "has 'ln_final.weight' as Float of [3], and the model as Float of [32]" in refusal(saved, "resume=wrong_size.pt")[1]
    state = optimizer["ln_final.weight"]
    resave("moment.pt", optimizer=optimizer | {"ln_final.weight": state | {"exp_avg": torch.zeros(3)}})
    assert "is damaged: exp_avg of 'ln_final.weight' has other sizes than the parameter" in refusal(saved, "resume=moment.pt")[1]
    resave("thin.pt", optimizer=optimizer | {"ln_final.weight": state | {"exp_avg": torch.zeros(1).expand(32)}})
    assert "is damaged: exp_avg of 'ln_final.weight' has other sizes than the parameter" in refusal(saved, "resume=thin.pt")[1]
    resave("no_state.pt", optimizer={})
    assert "its state of 'token_embeddings.weight' is missing" in refusal(saved, "resume=no_state.pt")[1]
    resave("no_step.pt", optimizer=optimizer | {"ln_final.weight": {"exp_avg": torch.zeros(32)}})
    assert "step of 'ln_final.weight' is missing" in refusal(saved, "resume=no_step.pt")[1]
    resave("generator.pt", generators={"cpu": torch.zeros(5, dtype=torch.uint8)})
    assert "cannot be resumed" in refusal(saved, "resume=generator.pt")[1]
    resave("step.pt", step=-1)
    assert "has no count called step" in refusal(saved, "resume=step.pt")[1]
    resave("config.pt", config="a: [")
    assert "has a configuration that is no YAML" in refusal(saved, "resume=config.pt")[1]


def test_a_place_without_a_checkpoint_is_refused_before_the_run(saved):
    (saved.folder / "nothing/here").mkdir(parents=True)
    code, line = refusal(saved, "resume=nothing/here")
    assert code == 2
    assert "found no step_<n>.pt in '" in line
    code, line = refusal(saved, "resume=missing.pt")
    assert code == 2
    assert "cannot read '" in line and "No such file" in line


def test_only_a_training_is_saved_or_resumed(saved):
    for key, value in {"save.every": 1, "save.at_end": "true", "resume": "saved"}.items():
        result = saved.strata("run", "training.yaml", "mode=forward", f"{key}={value}")
        assert result.returncode == 2
        assert f"{key}: has a meaning only with mode: train; remove it, or change mode" in result.stderr
    result = saved.strata("run", "training.yaml", "save.keep=2")
    assert result.returncode == 2
    assert "save.keep: has a meaning only where something is saved" in result.stderr


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
