#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost that recorders add to a step on a card: each recorder runs the same training, in rounds
that run one recorder after the other.

Two programs: 12 small layers, limited by the host's kernel launches, and GPT-2 small with 8
sequences of 1,024 tokens under bfloat16 autocast, limited by the card. A step is timed from its
start until the card is idle. Each round gives the ratio of a recorder's median step to the bare
program's; the result is the median of these ratios.

Without a card, a dry one is used. It computes nothing, so that every instruction of a recorder
shows. Needs torch, transformers for GPT-2, and a build of Strata. It finishes within --minutes: a
round that would take longer is not started.

    bench/on_a_card.py
    bench/on_a_card.py --minutes 4 --json cost.json
    bench/on_a_card.py --programs small --ways bare,exec --rounds 5
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = {
    "small": {"title": "12 small layers, bound by launches", "steps": 60},
    "gpt2": {"title": "GPT-2 small, 8 x 1,024 tokens, bfloat16 autocast", "steps": 30},
}
UNCOUNTED = 10  # first steps: allocators fill, the optimizer creates its state
LATE = 50  # after these steps a long run's recording is in its steady state
DRY = "h100-80gb"


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    what: str  # text for the page
    words: tuple = ()  # options of `strata exec`; empty: the program alone
    recorder: str = "none"  # within the program
    limits: dict = dataclasses.field(default_factory=dict)  # by program: the maximum ratio
    tool: str = ""  # a tool that starts the program


FOUR_PLUGINS = "allocator_tracer,cupti_timeline,nvtx_markers,warmup_analyzer"
WAYS = [
    Way("bare", "the program alone"),
    Way("exec", "`strata exec`", ("--plugins", "allocator_tracer"), limits={"small": 1.10, "gpt2": 1.01}),
    Way("exec without operators", "`strata exec --set trace.ops=none`", ("--plugins", "allocator_tracer", "--set", "trace.ops=none"), limits={"small": 1.04, "gpt2": 1.00}),
    Way("exec with four plugins", f"`strata exec --plugins {FOUR_PLUGINS}`", ("--plugins", FOUR_PLUGINS), limits={"small": 1.40, "gpt2": 1.05}),
    Way("history", "`torch.cuda.memory._record_memory_history()`", recorder="history"),
    Way("profiler", "torch.profiler, CPU and CUDA, nothing else", recorder="profiler"),
    Way("profiler with all", "torch.profiler with `profile_memory`, `record_shapes`, `with_stack`", recorder="profiler with all"),
    Way("nsys", "`nsys profile --trace=cuda,nvtx`", tool="nsys"),
    Way("proton", "Triton's Proton", recorder="proton"),
]


def build(name):
    """Return a function that trains one step of the program of that name on the card."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    if name == "gpt2":
        os.environ["HF_HUB_OFFLINE"] = "1"
        from transformers import GPT2Config, GPT2LMHeadModel

        model = GPT2LMHeadModel(GPT2Config(use_cache=False)).cuda().train()
        tokens = torch.randint(0, 50257, (8, 1024), device="cuda")

        def loss():
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return model(input_ids=tokens, labels=tokens).loss

    else:
        layers = [nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True, norm_first=True) for _ in range(12)]
        model = nn.Sequential(nn.Embedding(1000, 256), *layers, nn.Linear(256, 1000)).cuda().train()
        tokens = torch.randint(0, 1000, (4, 64), device="cuda")

        def loss():
            return nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        of_step = loss()
        of_step.backward()
        optimizer.step()
        return of_step

    return step


def recorder(name, folder):
    """Start recording in this process; return a function that stops it and writes its file."""
    import torch

    if name == "history":
        torch.cuda.memory._record_memory_history(max_entries=10_000_000)
        return lambda: torch.cuda.memory._dump_snapshot(f"{folder}/snapshot.pickle")
    if name == "proton":
        from triton import profiler as proton

        session = proton.start(f"{folder}/proton")
        return lambda: proton.finalize(session)
    if name.startswith("profiler"):
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        all_on = dict.fromkeys(("profile_memory", "record_shapes", "with_stack"), name.endswith("with all"))
        profiler = torch.profiler.profile(activities=activities, **all_on)
        profiler.start()

        def end():
            profiler.stop()
            profiler.export_chrome_trace(f"{folder}/trace.json")

        return end
    return lambda: None


def train(name, steps, recorder_name, result):
    """Train in this process, which may run under a recorder or contain one."""
    import torch

    step = build(name)
    torch.cuda.synchronize()
    end = recorder(recorder_name, result.parent)
    seconds, losses, loop_began = [], [], time.monotonic()
    for _ in range(steps):
        began = time.perf_counter()
        losses.append(step().detach())
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    told = {"seconds": seconds, "peak_bytes": torch.cuda.max_memory_allocated(), "card": torch.cuda.get_device_name()}
    told |= {"loop_began": loop_began, "loop_ended": time.monotonic()}
    end()
    told["losses"] = [loss.item().hex() for loss in losses]
    result.write_text(json.dumps(told))


def lacks(way, arguments):
    """Return why this recorder cannot run here, or None if it can."""
    if way.tool == "nsys" and not shutil.which("nsys"):
        return "nsys is not installed"
    if arguments.dry and (way.tool or way.recorder not in ("none", "history")):
        return "needs a card: CUPTI does not run without one"
    if way.recorder == "proton":
        found = subprocess.run([sys.executable, "-c", "from triton import profiler"], capture_output=True, check=False)
        return None if found.returncode == 0 else "triton.profiler is not installed"
    return None


def command_of(way, program, arguments, folder, result):
    own = [sys.executable, __file__, "--train", program, "--recorder", way.recorder, "--steps", str(arguments.steps or PROGRAMS[program]["steps"]), "--result", str(result)]
    strata = [str(arguments.strata), "exec", *(["--dry", DRY, "--no-layers"] if arguments.dry else [])]
    if way.words:
        return [*strata, *way.words, "--out", str(folder / "run"), "--", *own]
    if way.tool == "nsys":
        return ["nsys", "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none", f"--output={folder / 'nsys'}", *own]
    return [*strata, "--plugins", "none", "--", *own] if arguments.dry else own


def measure_once(way, program, arguments):
    with tempfile.TemporaryDirectory(prefix="strata-card-") as scratch:
        folder = pathlib.Path(scratch)
        result = folder / "result.json"
        began = time.monotonic()
        done = subprocess.run(command_of(way, program, arguments, folder, result), capture_output=True, text=True, check=False)
        ended = time.monotonic()
        if done.returncode != 0 or not result.exists():
            raise RuntimeError(f"ended with {done.returncode}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no message'}")
        told = json.loads(result.read_text())
        files = sum(file.stat().st_size for file in folder.rglob("*.sqlite"))
    counted = told["seconds"][UNCOUNTED:] or told["seconds"]
    late = told["seconds"][LATE:]
    return {
        "step_seconds": statistics.median(counted),
        "late_step_seconds": statistics.median(late) if late else None,
        "start_seconds": told["loop_began"] - began,
        "end_seconds": ended - told["loop_ended"],
        "store_bytes_a_step": files / len(told["seconds"]),
        "peak_bytes": told["peak_bytes"],
        "losses": told["losses"],
        "card": told["card"],
    }


def measure(arguments):
    """Return the measurements: by program and recorder, a list of rounds; and the recorders that
    could not run, with the reason."""
    began = time.monotonic()
    ways = [way for way in WAYS if not arguments.ways or way.name in arguments.ways or way.name == "bare"]
    missing = {way.name: reason for way in ways if (reason := lacks(way, arguments))}
    ways = [way for way in ways if way.name not in missing]
    rounds = {program: {way.name: [] for way in ways} for program in arguments.programs}
    longest = 0.0
    for turn in range(arguments.rounds):
        if turn > 0 and time.monotonic() - began + longest > 60 * arguments.minutes:
            print(f"round {turn + 1} of {arguments.rounds} would not end in time", file=sys.stderr)
            break
        round_began = time.monotonic()
        for program in arguments.programs:
            for way in ways[turn % len(ways) :] + ways[: turn % len(ways)]:
                if way.name in missing:
                    continue
                try:
                    rounds[program][way.name].append(measure_once(way, program, arguments))
                except RuntimeError as failure:
                    missing[way.name] = str(failure)
                    print(f"{program}, {way.name}: {failure}", file=sys.stderr)
                    continue
                last = rounds[program][way.name][-1]
                print(f"round {turn + 1}, {program}, {way.name}: a step of {last['step_seconds'] * 1e3:.2f} ms", file=sys.stderr, flush=True)
                if arguments.json:
                    arguments.json.write_text(json.dumps(summary(rounds, missing, arguments), indent=1))
        longest = max(longest, time.monotonic() - round_began)
    return summary(rounds, missing, arguments)


def ratios(own, bare, key):
    return [of[key] / to[key] for of, to in zip(own, bare) if of[key] and to[key]]


def summary(rounds, missing, arguments):
    programs = {}
    for program, ways in rounds.items():
        bare = ways["bare"]
        programs[program] = {"title": PROGRAMS[program]["title"], "ways": {}}
        for way in WAYS:
            own = ways.get(way.name)
            if not own or not bare:
                continue
            of_steps, of_late = ratios(own, bare, "step_seconds"), ratios(own, bare, "late_step_seconds")
            programs[program]["ways"][way.name] = {
                "what": way.what,
                "step_ms": statistics.median(each["step_seconds"] for each in own) * 1e3,
                "ratio": statistics.median(of_steps),
                "ratios": of_steps,
                "late_ratio": statistics.median(of_late) if of_late else None,
                "limit": way.limits.get(program),
                "start_seconds": statistics.median(each["start_seconds"] for each in own),
                "end_seconds": statistics.median(each["end_seconds"] for each in own),
                "store_bytes_a_step": statistics.median(each["store_bytes_a_step"] for each in own),
                "losses_equal": all(each["losses"] == bare[0]["losses"] for each in own),
                "peak_equal": all(each["peak_bytes"] == bare[0]["peak_bytes"] for each in own),
            }
    cards = {each["card"] for ways in rounds.values() for own in ways.values() for each in own}
    return {"card": ", ".join(sorted(cards)), "dry": arguments.dry, "date": datetime.date.today().isoformat(), "programs": programs, "missing": missing}


def text(result):
    lines = [f"{'dry ' if result['dry'] else ''}{result['card']}, {result['date']}"]
    for program in result["programs"].values():
        lines.append(f"\n{program['title']}")
        for name, way in program["ways"].items():
            limit = f", at most {way['limit']:.2f}: {'met' if way['ratio'] <= way['limit'] else 'MISSED'}" if way["limit"] else ""
            odd = "".join(f", {what} differ" for what, equal in (("losses", way["losses_equal"]), ("peaks", way["peak_equal"])) if not equal)
            spread = f" ({min(way['ratios']):.2f} to {max(way['ratios']):.2f})"
            lines.append(f"  {name:20} {way['step_ms']:8.2f} ms  {way['ratio']:.3f}{spread}{limit}; starts after {way['start_seconds']:.1f} s, ends after {way['end_seconds']:.1f} s{odd}")
    lines += [f"  {name:20} not measured: {reason}" for name, reason in result["missing"].items()]
    return "\n".join(lines)


def names(known):
    def parse(words):
        chosen = words.split(",")
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"there is no {', '.join(sorted(unknown))}: {', '.join(known)}")
        return chosen

    return parse


def has_card():
    found = subprocess.run([sys.executable, "-c", "import torch; raise SystemExit(not torch.cuda.is_available())"], capture_output=True, check=False)
    return found.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", type=pathlib.Path, default=REPOSITORY / "build/release/bin/strata", help="the program that is measured")
    parser.add_argument("--dry", action="store_true", default=None, help=f"on a dry {DRY}, even where there is a card")
    parser.add_argument("--programs", type=names(PROGRAMS), default=list(PROGRAMS), help=f"of {','.join(PROGRAMS)} [all]")
    parser.add_argument("--ways", type=names([way.name for way in WAYS]), help=f"of {','.join(way.name for way in WAYS)} [all]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=4.0, help="no round is begun that would end later [4]")
    parser.add_argument("--steps", type=int, help="of each run, instead of the program's own number")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="the result, written again after each run")
    parser.add_argument("--train", choices=PROGRAMS, help=argparse.SUPPRESS)
    parser.add_argument("--recorder", default="none", help=argparse.SUPPRESS)
    parser.add_argument("--result", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        return train(arguments.train, arguments.steps, arguments.recorder, arguments.result)
    if arguments.dry is None:
        arguments.dry = not has_card()
    result = measure(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1))
    print(text(result))
    missed = [way for program in result["programs"].values() for way in program["ways"].values() if way["limit"] and way["ratio"] > way["limit"]]
    return 1 if missed and not result["dry"] else 0


if __name__ == "__main__":
    sys.exit(main())
