#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a snapshot of torch.cuda.memory of any size, and measures `strata report` on it.

The file is written entry by entry, like by Python's pickler.

    bench/snapshot_file.py big.pickle --mib 1024 [--frames 20]
"""

import argparse
import os
import pathlib
import random
import resource
import struct
import subprocess
import time

MIB = 1 << 20
TEXTS = [
    *("addr", "size", "stream", "time_us", "frames", "action", "alloc", "free_requested", "free_completed", "segment_alloc"),
    *("name", "filename", "line", *(f"function_{number}" for number in range(500)), *(f"models/model_{number}.py" for number in range(50))),
]
STRATA = os.environ.get("STRATA") or str(pathlib.Path(__file__).resolve().parents[1] / "build/release/bin/strata")


class Pickle:
    """The opcodes of protocol 4 that a snapshot needs, written immediately."""

    def __init__(self, file):
        self.file, self.memo, self.texts, self.bytes = file, 0, {}, 0
        self.put(b"\x80\x04")

    def put(self, data):
        self.file.write(data)
        self.bytes += len(data)

    def memoize(self):
        self.put(b"\x94")
        self.memo += 1
        return self.memo - 1

    def get(self, number):
        self.put(b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number))

    def text(self, text):
        if text in self.texts:
            return self.get(self.texts[text])
        data = text.encode()
        self.put(b"\x8c" + bytes([len(data)]) + data)
        self.texts[text] = self.memoize()

    def integer(self, value):
        if value < 256:
            self.put(b"K" + bytes([value]))
        elif value < 1 << 31:
            self.put(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little")
            self.put(b"\x8a" + bytes([len(data)]) + data)

    def frame(self, number):
        """Write a frame, which takes the memo's next number; its texts were written before."""
        if number == 0:
            self.frames = self.memo
        function, file = f"function_{number % 500}", f"models/model_{number % 50}.py"
        self.dict(name=function, filename=file, line=number % 1000)

    def begin_dict(self):
        self.put(b"}")
        self.memoize()
        self.put(b"(")

    def items(self, **items):
        for key, value in items.items():
            self.text(key)
            if isinstance(value, str):
                self.text(value)
            elif callable(value):
                value()
            else:
                self.integer(value)

    def dict(self, **items):
        self.begin_dict()
        self.items(**items)
        self.put(b"u")

    def list(self, writers):
        self.put(b"]")
        number = self.memoize()
        batch = 0
        for write in writers:
            if batch == 0:
                self.put(b"(")
            write()
            batch = (batch + 1) % 1000
            if batch == 0:
                self.put(b"e")
        if batch:
            self.put(b"e")
        return number


def entries(pickle, size, frames, seed=0):
    """Write trace entries until the file has the size: blocks are allocated and freed in segments
    of 20 MiB."""
    chance = random.Random(seed)
    begin, block, slots = 1 << 40, 2 * MIB, 10
    requested = b"J" + struct.pack("<i", block - 100)
    keys = [b"h" + bytes([number]) for number in key_texts(pickle)]
    known = [frame(pickle, number) for number in range(3000)] if frames else []
    stacks = [b"(" + b"".join(chance.choices(known, k=frames)) + b"e" for _ in range(20_000 if frames else 0)]
    live, free, segments, now = [], [], 0, 1_700_000_000_000_000

    def entry(action, address, bytes_opcode):
        nonlocal now
        now += 3
        addr_key, size_key, stream_key, time_key, frames_key, action_key = keys[:6]
        head = b"".join(
            (b"}\x94(", action_key, keys[action], addr_key, b"\x8a\x06", address.to_bytes(6, "little"), size_key, bytes_opcode)
        ) + b"".join((stream_key, b"K\x00", time_key, b"\x8a\x07", now.to_bytes(7, "little"), frames_key, b"]\x94"))
        stack = chance.choice(stacks) if frames else b""
        pickle.memo += 2
        pickle.put(head + stack + b"u")

    alloc, requested_free, completed_free, segment_alloc = 6, 7, 8, 9
    while pickle.bytes < size:
        if live and chance.random() < 0.5:
            at = chance.randrange(len(live))
            live[at], live[-1] = live[-1], live[at]
            address = live.pop()
            free.append(address)
            yield lambda address=address: entry(requested_free, address, requested)
            yield lambda address=address: entry(completed_free, address, requested)
            continue
        if not free:
            address = begin + segments * slots * block
            segments += 1
            yield lambda address=address: entry(segment_alloc, address, b"J" + struct.pack("<i", slots * block))
            free.extend(address + slot * block for slot in range(slots))
        address = free.pop()
        live.append(address)
        yield lambda address=address: entry(alloc, address, requested)
    entries.left = (segments, sorted(live))


def key_texts(pickle):
    """Return the memo's numbers of keys and actions, which are written once before."""
    return [pickle.texts[text] for text in TEXTS[:10]]


def frame(pickle, number):
    """Refer to a frame; its dict is in the list of frames, which is written before the traces."""
    return b"j" + struct.pack("<I", pickle.frames + number)


def write(path, size, frames):
    with open(path, "wb", buffering=1 << 20) as file:
        pickle = Pickle(file)
        pickle.begin_dict()
        # Keys that a snapshot does not have; they hold the objects that entries refer to.
        pickle.text("texts")
        pickle.list([lambda text=text: pickle.text(text) for text in TEXTS])
        pickle.text("frames_of_all")
        pickle.list([lambda number=number: pickle.frame(number) for number in range(3000 if frames else 0)])
        pickle.text("device_traces")
        pickle.list([lambda: pickle.list(entries(pickle, size, frames))])
        segments, live = entries.left

        def segment(number):
            address = (1 << 40) + number * 20 * MIB
            blocks = [at for at in live if address <= at < address + 20 * MIB]

            def block(at):
                return lambda: pickle.dict(address=at, size=2 * MIB, requested_size=2 * MIB - 100, state="active_allocated")

            return lambda: pickle.dict(
                device=0, address=address, total_size=20 * MIB, stream=0, segment_type="large", blocks=lambda: pickle.list([block(at) for at in blocks])
            )

        pickle.text("segments")
        pickle.list([segment(number) for number in range(segments)])
        pickle.put(b"u.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--frames", type=int, default=0, help="of each entry's stack")
    arguments = parser.parse_args()
    write(arguments.file, arguments.mib * MIB, arguments.frames)
    begin = time.monotonic()
    subprocess.run([STRATA, "report", arguments.file], check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{arguments.file}: {arguments.file.stat().st_size / MIB:,.0f} MiB, {seconds:.1f} s, {peak / 1024:,.0f} MiB of memory")


if __name__ == "__main__":
    main()
