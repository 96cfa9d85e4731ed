# SPDX-License-Identifier: Apache-2.0
"""Comparison of two recordings of one program, and the differences that are allowed."""

import dataclasses

AROUND = 3  # number of events shown before a difference


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first event that differs, and the events just before it on both sides."""

    index: int
    card: list | None  # None: no more events
    dry: list | None
    before: list


@dataclasses.dataclass(frozen=True)
class Bound:
    """The allowed difference between a dry recording and the card's. Without shares, every event
    must be equal."""

    allocated: float | None = None  # as a share of the card's peak
    reserved: float | None = None
    because: str = ""

    @property
    def wants_equal_events(self):
        return self.allocated is None


@dataclasses.dataclass(frozen=True)
class Comparison:
    name: str
    card: dict
    dry: dict
    bound: Bound

    @property
    def difference(self):
        return first_difference(*(until_last_allocation(recording["events"]) for recording in (self.card, self.dry)))

    def error_of(self, peak):
        """Return the dry card's error in `allocated` or `reserved`, as a signed share."""
        return self.dry[peak] / self.card[peak] - 1 if self.card[peak] else float(self.dry[peak] != 0)

    def problem(self):
        """Return why the two differ more than allowed, or None if they do not."""
        for kind, recording in (("card", self.card), ("dry card", self.dry)):
            if not recording["events"]:
                return f"the recording of the {kind} has no events"
        if self.card["error"] != self.dry["error"]:
            return f"the program ended differently: on the card {ending(self.card)}; on the dry card {ending(self.dry)}"
        if self.bound.wants_equal_events:
            return "\n".join(explained(self.difference)) if self.difference else None
        for peak in ("allocated", "reserved"):
            if abs(self.error_of(peak)) > getattr(self.bound, peak):
                return f"{peak} is off by {self.error_of(peak):+.3%}, more than {getattr(self.bound, peak):.1%}"
        return None


def ending(recording):
    return recording["error"] or "without an error"


def until_last_allocation(events):
    """Return the events without the frees at the end: when Python frees a program's last objects is
    random."""
    last = max((index for index, event in enumerate(events) if not event[0].startswith("free_")), default=-1)
    return events[: last + 1]


def first_difference(card, dry):
    """Return the first difference, or None if the events are the same."""
    for index in range(max(len(card), len(dry))):
        ours = [events[index] if index < len(events) else None for events in (card, dry)]
        if ours[0] != ours[1]:
            return Difference(index, *ours, before=card[max(0, index - AROUND) : index])
    return None


def as_text(event):
    if event is None:
        return "(no more events)"
    action, segment, offset, size, stream = event
    place = "" if segment < 0 else f" in segment {segment} at {offset:,}"
    return f"{action} of {size:,} bytes{place}, stream {stream}"


def explained(difference):
    lines = [f"event {difference.index:,}:", *(f"  both  {as_text(event)}" for event in difference.before)]
    return [*lines, f"  card  {as_text(difference.card)}", f"  dry   {as_text(difference.dry)}"]
