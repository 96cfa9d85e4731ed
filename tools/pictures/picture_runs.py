# SPDX-License-Identifier: Apache-2.0
"""The runs of the pictures, each made once with the command that the pages print."""

import os
import pathlib
import shlex
import subprocess
import sys

GUIDE = "strata run configs/seeds/004-nanugpt.yaml --dry h100-80gb checkpointing=none zero_grad.at=step_start model.vocab=50304"

COMMANDS = {
    # README.md
    "gpt2": "strata exec --dry a100-40gb --layers -- python examples/python/gpt2.py",
    "cs336-2.7b": "strata run configs/seeds/001-cs336-2.7b.yaml --dry h100-80gb",
    # docs/report.md
    "lanes": (
        "strata run configs/seeds/004-nanugpt.yaml --dry h100-80gb --clock modelled model.layers=4 checkpointing=none"
        " 'plugins=[allocator_tracer, cupti_timeline]'"
    ),
    # docs/guide/read-a-timeline.md
    "guide": GUIDE,
    "guide-growing": "strata exec --dry h100-80gb --layers -- python examples/python/kept_outputs.py",
    "guide-unused": "strata exec --dry h100-80gb --layers -- python examples/python/teacher.py",
    **{
        f"guide-{way}": f"strata exec --dry h100-80gb --clock modelled -- python examples/python/reserved_memory.py {way}"
        for way in ("streams", "pools", "frees")
    },
    "guide-fused": f"{GUIDE} optimizer.impl=fused",
    "guide-loop": f"{GUIDE} optimizer.impl=loop",
    "guide-autocast": f"{GUIDE} precision=bf16_autocast",
    "guide-checkpointed": GUIDE.replace("checkpointing=none", "checkpointing=block"),
    "guide-galore": (
        "strata run configs/seeds/003-llama-100m-galore.yaml --dry a100-40gb optimizer.update_proj_gap=2"
        " 'model={name: llama, size: custom, layers: 4, d_model: 512, d_ff: 1536, heads: 8, vocab: 1024, context: 64}'"
    ),
}


class Failed(Exception):
    pass


class Runs:
    def __init__(self, repository, folder):
        self.repository = repository
        self.folder = folder.resolve()
        self.program = os.environ.get("STRATA") or str(repository / "build/release/bin/strata")

    def page(self, name):
        """Return the report of a run; make the run if there is none."""
        out = self.folder / name
        if not (out / "report.html").is_file():
            print(f"pictures: {COMMANDS[name]}", file=sys.stderr)
            done = subprocess.run(self.words(name, out), cwd=self.repository, capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"{COMMANDS[name]}: exit {done.returncode}\n{done.stderr[-2000:]}")
        return out / "report.html"

    def words(self, name, out):
        """Return the command with its run in `out`, and with this Python."""
        _, command, *rest = shlex.split(COMMANDS[name])
        if "--" in rest:
            at = rest.index("--")
            rest[at + 1 :] = [sys.executable if word == "python" else word for word in rest[at + 1 :]]
        return [self.program, command, "--out", str(out), *rest]
