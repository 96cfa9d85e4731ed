# SPDX-License-Identifier: Apache-2.0
"""record.py FILE PROGRAM [ARGUMENT...]: runs a Python program and writes the CUDA caching
allocator's events to FILE, as JSON.

    python tests/gpu/record.py card.json.gz tests/dry_gpu/programs/event_stream.py
    strata exec --dry h100-80gb --plugins none -- \\
        python tests/gpu/record.py dry.json.gz tests/dry_gpu/programs/event_stream.py

The events are those of PyTorch's own memory history, without anything that differs between two runs
on one card: an address becomes its segment, numbered by creation, and the offset in it; a stream
becomes its number in the order of first use. So two recordings of one program are equal if and only
if the allocator did the same.

{"device", "driver", "torch", "packages", "events": [[action, segment, offset, bytes, stream], ...],
 "allocated", "reserved", "error"}
"""

import gzip
import json
import pathlib
import runpy
import subprocess
import sys

KEPT_EVENTS = 2_000_000


class Segments:
    """The place of each address: [number of the segment, offset in it]."""

    def __init__(self):
        self._made = 0
        self._alive = {}  # start: [number, end]

    def _around(self, address):
        # The end counts too, because an expandable segment grows there.
        for begin, (_, end) in self._alive.items():
            if begin <= address <= end:
                yield begin, address == end

    def place(self, address):
        inside = [begin for begin, at_end in self._around(address) if not at_end]
        if not inside:
            return [-1, 0]
        return [self._alive[inside[0]][0], address - inside[0]]

    def add(self, address, size):
        self._alive[address] = [self._made, address + size]
        self._made += 1
        return [self._made - 1, 0]

    def map(self, address, size):
        for begin, _ in self._around(address):
            number, end = self._alive[begin]
            self._alive[begin][1] = max(end, address + size)
            return [number, address - begin]
        return self.add(address, size)

    def remove(self, address):
        place = self.place(address)
        self._alive.pop(address, None)
        return place


def comparable(history):
    """Convert PyTorch's events to lists that can be compared between two runs."""
    segments, streams, events = Segments(), {0: 0}, []
    for event in history:
        action, size = event["action"], event["size"]
        address = event.get("addr")  # an `oom` event has none
        if action == "snapshot":
            continue
        stream = streams.setdefault(event["stream"], len(streams))
        if action == "segment_alloc":
            place = segments.add(address, size)
        elif action == "segment_map":
            place = segments.map(address, size)
        elif action == "segment_free":
            place = segments.remove(address)
        elif action == "oom":
            place = [-1, 0]  # the free memory at that time, which depends on the card
        else:
            place = segments.place(address)
        events.append([action, *place, size, stream])
    return events


def driver_version():
    """Return the card's driver version, or None on a dry card."""
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def packages():
    """Return the versions of imported packages that determine which operators the program calls."""
    loaded = ((name, sys.modules.get(name)) for name in ("transformers", "torchvision"))
    return {name: module.__version__ for name, module in loaded if module is not None}


def write(file, facts):
    """Write the file completely or not at all; compress it if its name says so."""
    text = json.dumps(facts).encode()
    unfinished = pathlib.Path(f"{file}.part")
    unfinished.write_bytes(gzip.compress(text, mtime=0) if file.endswith(".gz") else text)
    unfinished.rename(file)


def main():
    file, program, *words = sys.argv[1:]
    import torch

    torch.cuda.init()
    torch.cuda.memory._record_memory_history(context=None, max_entries=KEPT_EVENTS)
    sys.argv = [program, *words]
    sys.path.insert(0, str(pathlib.Path(program).parent))
    error = None
    try:
        runpy.run_path(program, run_name="__main__")
    except BaseException as raised:  # the events before it are compared anyway
        error = f"{type(raised).__name__}: {raised}"
    histories = torch.cuda.memory._snapshot()["device_traces"]
    facts = {
        "device": torch.cuda.get_device_name(),
        "driver": driver_version(),
        "torch": torch.__version__,
        "packages": packages(),
        "events": [event for history in histories for event in comparable(history)],
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
        "error": error,
    }
    if len(facts["events"]) >= KEPT_EVENTS:
        sys.exit(f"{program} made more than {KEPT_EVENTS:,} events, which are not all kept")
    write(file, facts)


if __name__ == "__main__":
    main()
