# SPDX-License-Identifier: Apache-2.0
"""Callbacks of PyTorch's device trace: each event calls them once, with its handle."""

import torch
import torch.cuda._gpu_trace as trace
from behaviour import perform


def _watch(*kinds):
    """Return the arguments of the callbacks of these kinds."""
    torch._C._activate_gpu_trace()
    calls = {kind: [] for kind in kinds}
    for kind, seen in calls.items():
        getattr(trace, f"register_callback_for_{kind}")(lambda *words, seen=seen: seen.append(words))
    return calls


def events_are_traced_from_creation_to_deletion():
    calls = _watch("event_creation", "event_record", "event_wait", "event_synchronization", "event_deletion")
    event = torch.cuda.Event()
    assert calls["event_creation"] == [], "an event is made when it is recorded"
    event.record()
    handle = event._as_parameter_.value
    default = torch.cuda.default_stream().cuda_stream
    event.wait()
    event.synchronize()
    assert calls["event_creation"] == [(handle,)]
    assert calls["event_record"] == [(handle, default)]
    assert calls["event_wait"] == [(handle, default)]
    assert calls["event_synchronization"] == [(handle,)]
    assert calls["event_deletion"] == []
    del event
    assert calls["event_deletion"] == [(handle,)]


def allocations_are_traced_by_every_callback():
    calls = _watch("memory_allocation", "memory_deallocation")
    again = []
    trace.register_callback_for_memory_allocation(lambda address: again.append(address))
    tensor = torch.empty(10, 4, device="cuda")
    address = tensor.data_ptr()
    assert calls["memory_allocation"] == [(address,)]
    assert again == [address]
    del tensor
    assert calls["memory_deallocation"] == [(address,)]


def waits_are_traced():
    calls = _watch("stream_creation", "device_synchronization", "stream_synchronization")
    stream = torch.cuda.Stream()
    assert (stream.cuda_stream,) in calls["stream_creation"]
    torch.cuda.synchronize()
    assert len(calls["device_synchronization"]) >= 1
    stream.synchronize()
    assert calls["stream_synchronization"] == [(stream.cuda_stream,)]


def a_size_that_is_read_back_is_a_wait():
    calls = _watch("stream_synchronization")
    torch.rand(5, device="cuda").nonzero()
    assert calls["stream_synchronization"] == [(torch.cuda.default_stream().cuda_stream,)]


if __name__ == "__main__":
    perform(globals())
