# SPDX-License-Identifier: Apache-2.0
"""Data made elsewhere: images, a batch saved with torch.save; and data that threads read ahead."""

import argparse
import json
import random
import statistics

import pytest
import torch

from workspaces import TINY

RESNET = """\
model: {name: resnet18, classes: 3, image_size: 32}
data: {source: images, path: images, batch_size: 3}
optimizer: {name: sgd, lr: 0.01}
schedule: {wait: 1, warmup: 0, active: 99, epochs: 4}
backend: {threads: 1}
plugins: [allocator_tracer]
"""
CLASSES = ("ant", "bee", "cat")
BATCH = TINY.replace("source: synthetic", "source: batch, path: batch.pt")


def write_images(folder, images_of_class=4):
    """Write images of 40 x 36 pixels: noise around one colour for each class."""
    noise = random.Random(1)
    for number, name in enumerate(CLASSES):
        (folder / name).mkdir(parents=True)
        for image in range(images_of_class):
            colour = [200 if place == number else 40 for place in range(3)]
            pixels = bytes(value + noise.randrange(50) for _ in range(40 * 36) for value in colour)
            (folder / name / f"{image}.ppm").write_bytes(b"P6\n# from a test\n40 36\n255\n" + pixels)


@pytest.fixture
def images(workspace):
    write_images(workspace.folder / "images")
    workspace.write("resnet.yaml", RESNET)
    return workspace


def losses(workspace, out, file, *overrides):
    result = workspace.strata("run", file, "--out", out, *overrides)
    assert result.returncode == 0, result.stderr
    return [loss for (loss,) in workspace.query(out, "SELECT loss FROM step ORDER BY step")]


def manifest(workspace, out):
    return json.loads((workspace.folder / out / "manifest.json").read_text())


def test_a_resnet_learns_a_folder_of_images_for_some_epochs(images):
    found = losses(images, "out", "resnet.yaml")
    assert len(found) == 16  # four epochs of twelve images, three per step
    # One bad step is no failure to learn, and which step is bad depends on the processor.
    assert statistics.median(found[-4:]) < 0.5 * statistics.median(found[:4])
    assert manifest(images, "out")["data"] == "images: 12 files of 3 classes, cut and resized to 32 x 32"
    assert manifest(images, "out")["epoch"] == {"samples": 12, "steps": 4}


def test_a_resnets_samples_are_images_in_every_result(images):
    result = images.strata("run", "resnet.yaml", "schedule.epochs=1", "--out", "out")
    assert result.returncode == 0, result.stderr
    assert manifest(images, "out")["unit"] == "images"
    assert images.query("out", "SELECT DISTINCT tokens FROM step") == [(3,)]
    throughput = json.loads((images.folder / "out/summary.json").read_text())["throughput"]
    assert throughput["unit"] == "images" and throughput["per_second"] > 0
    assert '"unit":"images"' in (images.folder / "out/report.html").read_text()
    for text in (result.stdout, result.stderr):
        assert " images/s" in text and "tokens/s" not in text


def test_epochs_end_a_run_before_its_schedule_does(images):
    assert len(losses(images, "out", "resnet.yaml", "schedule.epochs=2", "accumulation=3")) == 2


def test_workers_change_no_loss_and_leave_nothing_unknown(images):
    alone = losses(images, "alone", "resnet.yaml")
    for workers in (1, 3):
        out = f"workers{workers}"
        assert losses(images, out, "resnet.yaml", f"data.workers={workers}", "data.prefetch=4") == alone
        summary = json.loads((images.folder / out / "summary.json").read_text())
        assert summary["categories"]["Unknown"]["max"] == 0
        assert summary["categories"]["Input"]["max"] > 0


@pytest.mark.parametrize(
    "data, message",
    [
        (b"P6 40 36 255 " + bytes(100), "is truncated: 40 x 36 pixels are 4320 bytes, but 100 follow its header"),
        (b"\x89PNG", "is not a binary PPM"),
    ],
)
def test_a_broken_image_is_named_before_a_folder_is_made(images, data, message):
    (images.folder / "images/bee/1.ppm").write_bytes(data)
    result = images.strata("run", "resnet.yaml", "--out", "out")
    assert result.returncode == 2
    assert f"data.path: '{images.folder}/images/bee/1.ppm' {message}" in result.stderr
    assert "out" not in images.names()


def test_more_folders_than_classes_are_refused(images):
    result = images.strata("run", "resnet.yaml", "model.classes=2", "--out", "out")
    assert result.returncode == 2
    assert "model.classes: expected at least 3" in result.stderr


@pytest.fixture
def tokens(workspace):
    workspace.write("batch.yaml", BATCH)
    return torch.randint(0, 256, (2, 32), generator=torch.Generator().manual_seed(1))


def test_a_batch_of_torch_save_is_trained_on_again_and_again(workspace, tokens):
    torch.save({"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}, workspace.folder / "batch.pt")
    found = losses(workspace, "out", "batch.yaml", "schedule.active=30", "optimizer.lr=0.01")
    assert found[-1] < 0.5 * found[0]
    assert manifest(workspace, "out")["data"] == (
        "batch: 2 sequences of 32 tokens of batch.pt, repeated, which are their own labels; "
        "ignored: attention_mask"
    )
    shapes = workspace.query("out", "SELECT DISTINCT shape FROM tensor WHERE name = 'logits'")
    assert shapes == [("2x32x256",)]  # of all tokens, as transformers computes them


def test_the_forms_of_a_batch_are_alike(workspace, tokens):
    forms = {
        "tensor": tokens,
        "int32": tokens.to(torch.int32),
        "transposed": tokens.t().contiguous().t(),
        "dict": {"input_ids": tokens},
        "labels": {"input_ids": tokens, "labels": tokens.clone(), "length": 32},
        "first_label": {"input_ids": tokens, "labels": torch.cat([torch.full((2, 1), -100), tokens[:, 1:]], 1)},
    }
    found = {}
    for name, form in forms.items():
        torch.save(form, workspace.folder / "batch.pt")
        found[name] = losses(workspace, name, "batch.yaml")
    assert all(each == found["tensor"] for each in found.values()), found
    torch.save({"input_ids": tokens, "labels": tokens.flip(0)}, workspace.folder / "batch.pt")
    assert losses(workspace, "flipped", "batch.yaml") != found["tensor"]


@pytest.mark.parametrize(
    "batch, message",
    [
        (torch.zeros(4, 32, dtype=torch.int64), "has 4 sequences, but data.batch_size is 2. Write data.batch_size: 4."),
        ({"tokens": torch.zeros(2, 32, dtype=torch.int64)}, "holds a dict without input_ids"),
        (argparse.Namespace(input_ids=torch.zeros(2, 32, dtype=torch.int64)), "cannot be read as torch.save writes it"),
    ],
    ids=["shape", "names", "class"],
)
def test_a_batch_of_something_else_fails_with_the_remedy(workspace, tokens, batch, message):
    torch.save(batch, workspace.folder / "batch.pt")
    result = workspace.strata("run", "batch.yaml", "--out", "out")
    assert result.returncode == 1
    assert f"batch.pt' {message}" in result.stderr


def test_a_text_is_no_batch(workspace, tokens):
    workspace.write("batch.pt", "not a batch")
    result = workspace.strata("run", "batch.yaml", "--out", "out")
    assert result.returncode == 2
    assert "expected a zip archive as torch.save writes it" in result.stderr
    assert "out" not in workspace.names()


def test_sequential_text_is_the_same_in_every_epoch(workspace):
    workspace.write("tiny.yaml", TINY)
    workspace.write("text.txt", bytes(range(256)) + b"x")
    overrides = ["data.source=text", "data.path=text.txt", "mode=forward", "schedule.active=99", "schedule.epochs=3"]
    found = losses(workspace, "out", "tiny.yaml", "data.order=sequential", *overrides)
    assert len(found) == 12  # eight sequences of 32 tokens, two per step
    assert found[:4] == found[4:8] == found[8:]
    assert len(set(found[:4])) == 4
    assert manifest(workspace, "out")["epoch"] == {"samples": 8, "steps": 4}


def test_pinned_memory_is_for_cuda(tiny):
    result = tiny.strata("run", "tiny.yaml", "data.pin_memory=true", "--out", "out")
    assert result.returncode == 2
    assert "a CUDA device copies from the host, but device is cpu" in result.stderr


@pytest.mark.parametrize("workers", [0, 2])
def test_pinned_memory_and_workers_leave_a_dry_devices_memory_as_it_is(tiny, workers):
    def peak(out, *overrides):
        result = tiny.strata("run", "tiny.yaml", "--dry", "h100-80gb", "--out", out, "--json", *overrides)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)["peak"]

    assert peak("pinned", "data.pin_memory=true", f"data.workers={workers}") == peak("pageable")
    prefetched = "SELECT DISTINCT device_type FROM tensor WHERE role = 10 ORDER BY device_type"
    cpu, pinned = 1, 3  # STRATA_DEVICE_... numbers: the worker's batch, and its copy in pinned memory
    assert tiny.query("pinned", prefetched) == ([(cpu,), (pinned,)] if workers else [])
