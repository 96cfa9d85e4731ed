# SPDX-License-Identifier: Apache-2.0
"""The programs that are recorded on a card and on its dry profile, by name. A recording is
NAME.json.gz."""

import dataclasses
import importlib.util
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
DRY_PROGRAMS = REPOSITORY / "tests/dry_gpu/programs"
SMALL_STEP = DRY_PROGRAMS / "event_stream.py"
ALLOCATOR_OPTIONS = DRY_PROGRAMS / "allocator_options.py"


@dataclasses.dataclass(frozen=True)
class Case:
    program: pathlib.Path
    words: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    fills_the_card: bool = False  # no other program may run on the card meanwhile
    needs: tuple = ()  # packages besides torch

    def missing(self):
        """Return the packages that this Python does not have."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


def _with_options(program, options, *words):
    return Case(program, words, {"PYTORCH_CUDA_ALLOC_CONF": options})


def _of(file, *names, needs=()):
    return {name: Case(HERE / "programs" / file, (name,), needs=needs) for name in names}


# The longest first, so that the others run beside them.
CASES = {
    **_of("operations.py", "flex", "compiled"),
    "large_step": Case(DRY_PROGRAMS / "large_step.py"),
    **_of(
        "vision.py",
        *("resnet50_bench", "resnet50_adam", "resnet50_sgd", "resnet50_cl_bf16", "resnet18_s64", "vit"),
        needs=("torchvision",),
    ),
    **_of("language.py", "gpt2", "gpt2_bf16", "gpt2_ckpt", "bert", "distilbert", needs=("transformers",)),
    **_of("operations.py", "ddp", "lstm", "galore", "fft", "graphs", "streams"),
    "step": Case(SMALL_STEP),
    "expandable": _with_options(SMALL_STEP, "expandable_segments:True"),
    "rounded_sizes": _with_options(SMALL_STEP, "roundup_power2_divisions:4"),
    "split": _with_options(ALLOCATOR_OPTIONS, "max_split_size_mb:128", "split"),
    "capture": Case(ALLOCATOR_OPTIONS, ("capture",)),
    "sizes": Case(DRY_PROGRAMS / "allocator.py", fills_the_card=True),
    "oom": Case(DRY_PROGRAMS / "fill_device.py", fills_the_card=True),
}
