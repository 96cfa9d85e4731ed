#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strata compared with other recorders of a training step's memory: each records the same unchanged
program, in rounds that run one recorder after the other.

    bench/page/recorders.py recorders-cpu-llama-60m
    bench/page/recorders.py recorders-dry-llama-1b --quick --json
"""

import dataclasses
import json
import pathlib
import shutil
import statistics
import sys

from command import Failed, bytes_in, run
from markdown import NEAR_ZERO, mb, mib, seconds, table
from settings import say
from spread import Spread, ratios, spread, text
from table import Table, run_alone

PROGRAM = pathlib.Path(__file__).with_name("program.py")
CARD = "h100-80gb"
MIB = 1 << 20
UNCOUNTED = 2  # first steps: allocators fill, optimizers create their state, recorders initialize


@dataclasses.dataclass(frozen=True)
class Case:
    model: str
    device: str
    title: str
    steps: int
    rounds: int

    @property
    def name(self):
        return f"recorders-{'dry' if self.device == 'cuda' else 'cpu'}-{self.model}"


CASES = [
    Case("llama-60m", "cpu", "On the CPU: LLaMA-60M, 2 sequences of 128 tokens, fp32, AdamW", 6, 3),
    Case("resnet18", "cpu", "On the CPU: ResNet-18, 4 images of 224 x 224, fp32, Adam", 6, 3),
    Case("llama-1b", "cuda", "On a dry H100: LLaMA-1B, 16 sequences of 256 tokens, bfloat16, AdamW", 8, 3),
    Case("llama-7b", "cuda", "On a dry H100: LLaMA-7B, one sequence of 2,048 tokens, bfloat16, AdamW", 8, 3),
]


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    what: str  # text for the page
    devices: tuple = ("cpu", "cuda")
    once: bool = False  # takes so long that one round must be enough
    missing: object = None  # a function of the settings that returns why it cannot run here, or None
    elsewhere: str = ""  # why it has no figures on the other devices
    attempts: int = 1  # nsys' agent is a separate process, and nsys sometimes connects before it listens
    by_agent: bool = False  # that agent starts the program, so its resources cannot be measured here


def no_memray(settings):
    return None if (settings.peers / "memray").is_dir() else "not installed: `./dev bench` puts it into .cache/peers"


def no_heaptrack(settings):
    return None if shutil.which("heaptrack") else "not here: `apt-get install heaptrack`"


def no_nsys(settings):
    return None if settings.nsys else "not here: `tests/peers/nsys/fetch_nsys` unpacks it from Debian's archive"


HOST_ONLY = "sees host memory only; this program uses the card's"
WAYS = [
    Way("nobody", "the program alone"),
    Way("strata", "`strata exec`: allocations, operators, owners, phases"),
    Way("strata, allocations", "the same without operators: `--set trace.ops=none`"),
    Way("torch.profiler", "torch.profiler: `profile_memory`, `record_shapes`, `with_stack`"),
    Way("history", "`torch.cuda.memory._record_memory_history()`, with its C++ and Python stacks", ("cuda",), elsewhere="records the CUDA allocator only"),
    Way("history without stacks", "the same with `context=None`", ("cuda",), elsewhere="records the CUDA allocator only"),
    Way("memray", "`memray run`, and its flame graph", ("cpu",), missing=no_memray, elsewhere=HOST_ONLY),
    Way("heaptrack", "`heaptrack`, and heaptrack_print", ("cpu",), once=True, missing=no_heaptrack, elsewhere=HOST_ONLY),
    Way("nsys", "`nsys profile --trace=nvtx` with torch's `emit_nvtx`, and `nsys stats`: operators' times, no memory", ("cuda",), missing=no_nsys, attempts=4, by_agent=True, elsewhere="torch's `emit_nvtx`, which names the operators, needs CUDA; [Strata's ranges](nsys.md) do not"),
    Way("MemTracker", "torch's MemTracker on fake tensors, two steps", ("cpu",), once=True, elsewhere="runs nothing on the device: see [its estimates](#the-peak-without-a-gpu)"),
]


def command_of(way, case, settings, out, told, timeline):
    program = [settings.python, PROGRAM, case.model, "--device", case.device, "--steps", case.steps, "--told", told]
    dry = ["--dry", CARD] if case.device == "cuda" else []
    ours = [settings.strata, "exec", *dry]
    if way.name == "strata":
        return [*ours, "--out", out, "--", *program]
    if way.name == "strata, allocations":
        return [*ours, "--set", "trace.ops=none", "--out", out, "--", *program]
    if way.name == "memray":
        return [settings.python, "-m", "memray", "run", "--quiet", "--output", out / "memray.bin", *program[1:]]
    if way.name == "heaptrack":
        return ["heaptrack", "--output", out / "heaptrack", *program]
    if way.name == "nsys":
        around = [settings.nsys, "profile", "--trace=nvtx", "--sample=none", "--cpuctxsw=none", f"--output={out / 'nsys'}"]
        return [*around, *ours, "--plugins", "none", "--", *program, "--recorder", "emit_nvtx"]
    if way.name == "MemTracker":
        program[program.index("--steps") + 1] = 2
    recorder = [] if way.name == "nobody" else ["--recorder", way.name, "--out", out]
    bare = [*ours, "--plugins", "none", "--"] if dry else []
    return [*bare, *program, *recorder, *(["--timeline"] if timeline else [])]


def environment_of(way, settings):
    return {"PYTHONPATH": str(settings.peers)} if way.name == "memray" else None


def is_around(way):
    """Whether the recorder starts the program, instead of running inside it."""
    return way.name.startswith("strata") or way.name in ("memray", "heaptrack", "nsys")


def report_of(way, settings, out):
    """Return the command that makes a readable report of the recording, if there is a separate
    one."""
    if way.name == "memray":
        return [settings.python, "-m", "memray", "flamegraph", "--output", out.parent / "memray.html", out / "memray.bin"]
    if way.name == "heaptrack":
        (file,) = out.glob("heaptrack*")
        return ["heaptrack_print", file]
    if way.name == "nsys":
        return [settings.nsys, "stats", "--report", "nvtxsum", "--format", "csv", out / "nsys.nsys-rep"]
    return None


def record(way, case, settings, turn, folder):
    """Return the program's result, the resources used, and the folder of the recorder's files."""
    for attempt in range(way.attempts):
        out, result_file = folder / f"out-{attempt}", folder / "told.json"
        if not way.name.startswith("strata"):
            out.mkdir()
        command = command_of(way, case, settings, out, result_file, way.name == "torch.profiler" and turn == 0)
        try:
            used = run(command, folder, environment_of(way, settings))
            return json.loads(result_file.read_text()), used, out
        except Failed:
            if attempt + 1 == way.attempts:
                raise
    raise AssertionError("no attempt was made")


def measure_once(way, case, settings, turn):
    folder = settings.folder(f"{case.name}-{turn}-{way.name.replace(' ', '-')}")
    told, used, out = record(way, case, settings, turn, folder)
    counted = told["steps"][UNCOUNTED:] or told["steps"]
    files = bytes_in(out)
    report = report_of(way, settings, out)
    made = run(report, folder, environment_of(way, settings)) if report else None
    # A recorder inside the program reports when its report is ready; for one that starts the
    # program, it is ready at the end.
    ended = used.ended if is_around(way) else told["reported"]
    shutil.rmtree(out, ignore_errors=True)
    timeline = told.get("timeline_seconds", 0.0), told.get("timeline_processor_seconds", 0.0)
    return {
        "step_seconds": statistics.median(step["seconds"] for step in counted),
        "step_processor_seconds": statistics.median(step["processor_seconds"] for step in counted),
        "all_processor_seconds": None if way.by_agent else used.processor_seconds - timeline[1] + (made.processor_seconds if made else 0.0),
        "loop_peak_bytes": told["loop_peak_bytes"],
        "peak_bytes": max(told["peak_bytes"], used.peak_bytes, made.peak_bytes if made else 0),
        "file_bytes": files,
        "report_seconds": ended - told["loop_ended"] - timeline[0] + (made.seconds if made else 0.0),
        "timeline_seconds": timeline[0] or None,
        "timeline_processor_seconds": timeline[1] or None,
        "loop_seconds": sum(step["seconds"] for step in told["steps"]),
        "estimated_bytes": told.get("estimated_bytes"),
    }


def measure(case, settings):
    ways, missing, rounds = [], {}, {}
    for way in WAYS:
        reason = way.elsewhere if case.device not in way.devices else way.missing(settings) if way.missing else None
        if reason:
            missing[way.name] = reason
        else:
            ways.append(way)
            rounds[way.name] = []
    count = settings.rounds(case.rounds)
    for turn in range(count):
        for way in ways[turn % len(ways) :] + ways[: turn % len(ways)]:
            if way.once and turn > 0 or way.name in missing:
                continue
            try:
                rounds[way.name].append(measure_once(way, case, settings, turn))
            except Failed as failure:
                if way.name.startswith(("nobody", "strata")):
                    raise
                missing[way.name] = "it failed: " + str(failure).strip().splitlines()[-1]
                continue
            last = rounds[way.name][-1]
            say(f"{case.name}, round {turn + 1} of {count}, {way.name}: a step of {last['step_processor_seconds'] * 1e3:.1f} ms of processor time")
    return {"model": case.model, "device": case.device, "steps": case.steps, "rounds": rounds, "missing": missing}


def of_first_round(rounds, way, key):
    """Return the values of both, for the rounds that this recorder has run."""
    return {name: [each[key] for each in rounds[name][: len(rounds[way])]] for name in ("nobody", way)}


def added(rounds, way, key):
    values = of_first_round(rounds, way, key)
    return spread([of - bare for of, bare in zip(values[way], values["nobody"])])


def ratio(rounds, way, key):
    return ratios(of_first_round(rounds, way, key), "nobody")[way]


def at_least(value, form, scale=1.0):
    """Return the measurement, or that it is within the bare runs' own differences."""
    scaled = Spread(value.median / scale, value.lower / scale, value.upper / scale, value.count)
    return text(scaled, form) if scaled.upper > 0 else NEAR_ZERO


def row(way, result):
    rounds = result["rounds"]
    if way.name in result["missing"]:
        return [way.what, result["missing"][way.name], *["–"] * 6]
    own = rounds[way.name]
    if way.name == "nobody":
        step, wall = spread([each["step_processor_seconds"] * 1e3 for each in own]), spread([each["step_seconds"] * 1e3 for each in own])
        peak = spread([each["loop_peak_bytes"] / MIB for each in own])
        return [way.what, f"1: {text(step, '{:,.1f} ms')}", f"1: {text(wall, '{:,.1f} ms')}", "0", f"0: {peak.median:,.0f}", "0", "none", "none"]
    if way.name == "MemTracker":
        loop = spread([each["loop_seconds"] for each in own]).median
        peak = max(each["estimated_bytes"] for each in own)
        peak_added = mib(added(rounds, way.name, "loop_peak_bytes").median)
        note = f"computes nothing: {loop:.1f} s for two steps, says {peak / MIB:,.1f} MiB"
        return [way.what, note, "–", "–", peak_added, "–", "none", "at once"]
    report = seconds(spread([each["report_seconds"] for each in own]).median)
    timeline = [each["timeline_seconds"] for each in own if each["timeline_seconds"]]
    if timeline:
        report += f"; with its memory timeline {seconds(spread([each['report_seconds'] for each in own]).median + timeline[0])}"
    return [
        way.what,
        text(ratio(rounds, way.name, "step_processor_seconds")),
        text(ratio(rounds, way.name, "step_seconds")),
        "not counted: its agent starts the program" if way.by_agent else at_least(added(rounds, way.name, "all_processor_seconds"), "{:.2f}"),
        mib(added(rounds, way.name, "loop_peak_bytes").median),
        mib(added(rounds, way.name, "peak_bytes").median),
        mb(spread([each["file_bytes"] for each in own]).median),
        report,
    ]


HEADER = ["recorder", "CPU time per step, ratio", "wall time per step, ratio", "CPU time added in total, s", "host memory added in training, MiB", "with the report, MiB", "files, MB", "time to the report, s"]


# Columns of the table by their figures, with texts about one recorder and about several.
COLUMNS = {
    "step_processor_seconds": ("adds less to a step", "add less to a step"),
    "loop_peak_bytes": ("takes less of the host's memory while it trains", "take less of the host's memory while they train"),
    "peak_bytes": ("takes less of the host's memory with the report", "take less of the host's memory with the report"),
    "file_bytes": ("writes smaller files", "write smaller files"),
    "report_seconds": ("has its report sooner", "have their reports sooner"),
}


def in_words(result):
    """Say which recorders are ahead of Strata, and in which column. The text comes from the
    figures, so that it cannot be forgotten."""
    rounds = result["rounds"]

    def median(way, key):
        return spread([each[key] for each in rounds[way]]).median

    others = [way for way in rounds if rounds[way] and way not in ("nobody", "MemTracker", "strata", "strata, allocations")]
    ahead = {key: [way for way in others if median(way, key) < median("strata", key)] for key in COLUMNS}
    lines = [f"- {' and '.join(ways)} {COLUMNS[key][len(ways) > 1]}" for key, ways in ahead.items() if ways]
    if not lines:
        return "No peer is ahead of `strata exec` in any column."
    return "Recorders that beat `strata exec` with its defaults, by the medians, even where the difference is within the spread:\n\n" + "\n".join(lines)


def write(result):
    lines = [table(HEADER, [row(way, result) for way in WAYS])]
    return "\n\n".join([*lines, in_words(result)])


def tables():
    return [
        Table(
            name=case.name,
            title=case.title,
            measure=lambda settings, case=case: measure(case, settings),
            write=write,
            commands=commands(case),
        )
        for case in CASES
    ]


def commands(case):
    dry = f" --dry {CARD}" if case.device == "cuda" else ""
    device = f" --device {case.device}" if case.device == "cuda" else ""
    program = f"bench/page/program.py {case.model}{device} --steps {case.steps}"
    lines = [f"./dev bench page {case.name}", f"strata exec{dry} -- python {program}", f"strata exec{dry} --set trace.ops=none -- python {program}"]
    bare = f"strata exec{dry} --plugins none -- " if dry else ""
    lines += [f"{bare}python {program} --recorder torch.profiler --out DIR"]
    if case.device == "cuda":
        lines += [f"{bare}python {program} --recorder history --out DIR"]
        return [*lines, f"nsys profile --trace=nvtx --output=FILE {bare}python {program} --recorder emit_nvtx"]
    return [*lines, f"python -m memray run --output FILE {program}", f"heaptrack --output FILE python {program}", f"python {program} --recorder MemTracker"]


if __name__ == "__main__":
    sys.exit(run_alone(__doc__, tables()))
