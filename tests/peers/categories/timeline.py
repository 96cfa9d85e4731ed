# SPDX-License-Identifier: Apache-2.0
"""torch.profiler's recording on the CPU, read in two ways: raw, as blocks that live from one moment
to another, and as its own memory timeline, in bytes of its own categories. Moments are nanoseconds
of its clock."""

import bisect
import dataclasses
import math

from torch._C._profiler import _EventType
from torch.profiler import record_function
from torch.profiler._memory_profiler import Action, Category, TensorKey

MARK = "moment "  # prefix of record_function's names, to find them again


def mark(name):
    with record_function(MARK + name):
        pass


def events_of(profiler):
    """Yield all events, including nested ones."""
    waiting = list(profiler.profiler.kineto_results.experimental_event_tree())
    while waiting:
        event = waiting.pop()
        yield event
        waiting.extend(event.children)


def marks_of(profiler):
    """Return the moment of each mark, by its name."""
    return {
        event.name.removeprefix(MARK): event.start_time_ns
        for event in events_of(profiler)
        if event.tag == _EventType.TorchOp and event.name.startswith(MARK)
    }


@dataclasses.dataclass
class Block:
    """An allocation, until it is freed."""

    address: int
    bytes: int
    born: int
    died: float = math.inf


class Blocks:
    """The allocations that the profiler saw, without its categories. Each must equal the change of
    c10's running total for the process, so that none is missed."""

    def __init__(self, profiler):
        self.all, self._at, alive, counted = [], {}, {}, None
        allocations = (event for event in events_of(profiler) if event.tag == _EventType.Allocation)
        for event in sorted(allocations, key=lambda event: event.start_time_ns):
            address, size = event.extra_fields.ptr, event.extra_fields.alloc_size
            assert counted is None or event.extra_fields.total_allocated == counted + size, "c10 counted something else"
            counted = event.extra_fields.total_allocated
            if size > 0:
                block = Block(address, size, event.start_time_ns)
                assert alive.setdefault(address, block) is block, "two blocks at one address"
                self.all.append(block)
                self._at.setdefault(address, []).append(block)
            elif address in alive:
                alive.pop(address).died = event.start_time_ns

    def at(self, address, moment):
        """Return the block that has the address at the moment."""
        blocks = self._at.get(address, [])
        index = bisect.bisect([block.born for block in blocks], moment) - 1
        return blocks[index] if index >= 0 and moment < blocks[index].died else None

    def alive(self, moment):
        return [block for block in self.all if block.born <= moment < block.died]

    def most(self, begin, end):
        """Return the first moment between the two at which the most is allocated. Memory from
        before the profiler started does not count."""
        changes = [(block.born, block.bytes) for block in self.all] + [(block.died, -block.bytes) for block in self.all]
        total, largest, found = 0, -math.inf, begin
        for moment, change in sorted(changes):
            total += change
            if moment <= begin:
                largest = total
            elif moment < end and total > largest:
                largest, found = total, moment
        return found


# Its timeline in Strata's words. Autograd's working memory and that of operators share a row,
# because storages do not distinguish them.
NAMES = {
    Category.PARAMETER: "Parameter",
    Category.OPTIMIZER_STATE: "Optimizer_State",
    Category.INPUT: "Input",
    Category.ACTIVATION: "Activation",
    Category.GRADIENT: "Gradient",
    Category.TEMPORARY: "Temporary",
    Category.AUTOGRAD_DETAIL: "Temporary",
    None: "Unknown",
}


def profiler_bytes(profile, moment):
    """Return a memory profile's bytes, summed like export_memory_timeline, which rounds times to
    microseconds."""
    bytes_of = dict.fromkeys(NAMES.values(), 0)

    def add(key, version, change):
        category = profile._categories.get(key, version) if isinstance(key, TensorKey) else None
        bytes_of[NAMES[category]] += change

    for time, action, (key, version), size in profile.timeline:
        if key.device.type != "cpu" or time > moment:
            continue
        if action in (Action.PREEXISTING, Action.CREATE):
            add(key, version, size)
        elif action == Action.INCREMENT_VERSION:
            add(key, version, -size)
            add(key, version + 1, size)
        else:
            add(key, version, -size)
    return bytes_of
