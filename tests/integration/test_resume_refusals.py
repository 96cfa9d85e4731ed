# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that a training cannot resume from, and the messages."""

import zipfile

import pytest
import torch
from workspaces import Workspace
from saved_trainings import MODELS, checkpoint, load, run

REFUSED = {
    "another model": (["model.layers=3"], "model.layers is 2 in it and 3 here. Use the checkpoint's values, or resume another"),
    "another precision": (["precision=bf16"], "precision is fp32 in it and bf16 here"),
    "another optimizer": (["optimizer.name=lion"], "optimizer.name is adamw in it and lion here"),
    "another implementation": (["optimizer.impl=fused"], "optimizer.impl is loop in it and fused here"),
    "two others": (["model.d_ff=128", "precision=fp64"], "model.d_ff is 64 in it and 128 here, precision is fp32 in it and fp64 here"),
    "nothing left": (["schedule.active=3"], "has completed 4 steps, and the whole training has 4: nothing is left to do"),
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
        assert f"{name}' is not a complete checkpoint" in line
        assert "Name one that save.every or save.at_end has written" in line


def test_another_programs_checkpoint_is_refused(saved):
    torch.save({"model": {"weight": torch.zeros(2)}}, saved.folder / "other.pt")
    assert "is an archive, but not a checkpoint of a training" in refusal(saved, "resume=other.pt")[1]
    torch.save([torch.zeros(2)], saved.folder / "list.pt")
    assert "it contains no dict" in refusal(saved, "resume=list.pt")[1]
    torch.save(torch.nn.Linear(2, 2), saved.folder / "module.pt")
    assert "is not a complete checkpoint" in refusal(saved, "resume=module.pt")[1]


def test_a_tensor_that_is_larger_than_its_bytes_is_refused(saved):
    """Tensors are read at their place in the file, so one that reaches beyond its bytes would read
    other data."""
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

    assert "but not a checkpoint of a training" in says(pickle, record)
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
    assert "has format version 2, but this version of Strata reads only up to 1" in line


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
    assert "has 23 tensors of a model, but this model has 22" in refusal(saved, "resume=more.pt")[1]
    resave("wrong_size.pt", model=model | {"ln_final.weight": torch.zeros(3)})
    assert "has 'ln_final.weight' as Float of [3], but the model has it as Float of [32]" in refusal(saved, "resume=wrong_size.pt")[1]
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
    assert "has a configuration that is not YAML" in refusal(saved, "resume=config.pt")[1]


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
        assert f"{key}: has an effect only with mode: train; remove it, or change mode" in result.stderr
    result = saved.strata("run", "training.yaml", "save.keep=2")
    assert result.returncode == 2
    assert "save.keep: has an effect only if the run saves checkpoints" in result.stderr
