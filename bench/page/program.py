#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program that all recorders record: some steps of a transformers or torchvision model. It does
not use Strata.

    program.py llama-60m --told told.json
    program.py llama-1b --device cuda --recorder torch.profiler --out folder --told told.json

It writes JSON to the --told file: `steps`, each with `seconds` and `processor_seconds` (all
threads); `import_seconds`; `loop_ended` and `reported` on the machine's monotonic clock, the latter
if the recorder is in the program; `loop_peak_bytes` and `peak_bytes`, the peak resident memory by
the end of the loop and overall; `allocated_bytes`, torch's own count of the device's peak;
`estimated_bytes`, MemTracker's.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import time

BEGAN = time.monotonic()
os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402

# Width, feed-forward's width, layers, heads, from GaLore's configurations; sequences and tokens per
# batch; dtype.
LLAMA = {
    "llama-60m": (512, 1376, 8, 8, 2, 128, torch.float32),
    "llama-1b": (2048, 5461, 24, 32, 16, 256, torch.bfloat16),
    "llama-7b": (4096, 11008, 32, 32, 1, 2048, torch.bfloat16),
}
IMAGES = 4
MODELS = (*LLAMA, "resnet18")
RECORDERS = ("none", "torch.profiler", "history", "history without stacks", "emit_nvtx", "MemTracker")


def make(name, device, loss="model"):
    """Return the model, a function that runs a forward and returns its loss, the optimizer, and the
    batch."""
    if name == "resnet18":
        import torchvision

        with torch.device(device):
            model = torchvision.models.resnet18(weights=None)
            images, labels = torch.randn(IMAGES, 3, 224, 224), torch.zeros(IMAGES, dtype=torch.long)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=True)
        return model, lambda: torch.nn.functional.cross_entropy(model(images), labels), optimizer, [images, labels]
    from transformers import LlamaConfig, LlamaForCausalLM

    width, feed_forward, layers, heads, sequences, tokens, dtype = LLAMA[name]
    shape = {"hidden_size": width, "intermediate_size": feed_forward, "num_hidden_layers": layers, "num_attention_heads": heads}
    torch.set_default_dtype(dtype)
    with torch.device(device):
        model = LlamaForCausalLM(LlamaConfig(vocab_size=32000, max_position_embeddings=2048, use_cache=False, **shape))
    torch.set_default_dtype(torch.float32)
    batch = torch.zeros(sequences, tokens, dtype=torch.long, device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)  # the choice on a GPU; with fake tensors torch would choose the loop
    losses = {
        "model": lambda: model(input_ids=batch, labels=batch).loss,  # from logits in fp32
        "logits": lambda: torch.nn.functional.cross_entropy(model(input_ids=batch).logits.flatten(0, 1), batch.flatten()),
    }
    return model.train(), losses[loss], optimizer, [batch]


def resident_peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text()).group(1)) * 1024


def train(loss_of, optimizer, steps):
    for _ in range(steps):
        wall, processor = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
        yield {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}


def profiled(arguments):
    """Start a profiler with the options that its memory timeline needs; return a function that
    writes its files."""
    from torch.profiler import ProfilerActivity, profile

    profiler = profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True)

    def write():
        profiler.stop()
        profiler.export_chrome_trace(str(arguments.out / "trace.json.gz"))
        if not arguments.timeline:
            return {}
        traced, processor = time.monotonic(), time.process_time()
        profiler.export_memory_timeline(str(arguments.out / "timeline.json.gz"), device="cuda:0" if arguments.device == "cuda" else "cpu")
        return {"timeline_seconds": time.monotonic() - traced, "timeline_processor_seconds": time.process_time() - processor}

    profiler.start()
    return write


def history(arguments, **options):
    torch.cuda.memory._record_memory_history(max_entries=10_000_000, **options)

    def write():
        torch.cuda.memory._dump_snapshot(str(arguments.out / "snapshot.pickle"))
        return {}

    return write


def ranges(arguments):
    """Make each operator an NVTX range with its shapes, for a tool that starts the program."""
    emitting = torch.autograd.profiler.emit_nvtx(record_shapes=True)
    emitting.__enter__()

    def write():
        emitting.__exit__(None, None, None)
        return {}

    return write


RECORDERS_BEGIN = {
    "none": lambda arguments: lambda: {},
    "torch.profiler": profiled,
    "history": history,
    "history without stacks": lambda arguments: history(arguments, context=None),
    "emit_nvtx": ranges,
}


def record(arguments, told):
    write = RECORDERS_BEGIN[arguments.recorder](arguments)
    _, loss_of, optimizer, _ = make(arguments.model, arguments.device, arguments.loss)
    told["steps"] = list(train(loss_of, optimizer, arguments.steps))
    told["loop_ended"], told["loop_peak_bytes"] = time.monotonic(), resident_peak()
    told |= write()
    told["reported"] = time.monotonic()
    if arguments.device == "cuda":
        told["allocated_bytes"] = torch.cuda.max_memory_allocated()
    return told


def estimate(arguments, told):
    """Estimate without computing: the tensors are fake, and a dispatch mode sums the memory that it
    sees."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode():
        model, loss_of, optimizer, batch = make(arguments.model, arguments.device, arguments.loss)
        tracker = MemTracker()
        tracker.track_external(model, optimizer, *batch)
        told["steps"] = []
        for _ in range(arguments.steps):
            with tracker:
                told["steps"] += train(loss_of, optimizer, 1)
            snapshot = tracker.get_tracker_snapshot("peak")
            told["estimated_bytes"] = max(told.get("estimated_bytes", 0), *(of["Total"] for of in snapshot.values()))
            tracker.reset_mod_stats()
    told["loop_ended"], told["loop_peak_bytes"] = time.monotonic(), resident_peak()
    told["reported"] = told["loop_ended"]
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--recorder", choices=RECORDERS, default="none")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--loss", choices=("model", "logits"), default="model", help="transformers' own, or of its logits as `strata run` has it")
    parser.add_argument("--out", type=pathlib.Path, help="folder of what the recorder writes")
    parser.add_argument("--timeline", action="store_true", help="torch.profiler: its memory timeline too, which takes a minute")
    parser.add_argument("--told", type=pathlib.Path, help="file for what it tells [nowhere]")
    arguments = parser.parse_args()
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # on a shared machine the time of a single thread does not vary by a quarter
    importlib.import_module("torchvision" if arguments.model == "resnet18" else "transformers.models.llama.modeling_llama")
    told = {"import_seconds": time.monotonic() - BEGAN}
    told = estimate(arguments, told) if arguments.recorder == "MemTracker" else record(arguments, told)
    told["peak_bytes"] = resident_peak()
    if arguments.told:
        arguments.told.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
