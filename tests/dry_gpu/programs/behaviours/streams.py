# SPDX-License-Identifier: Apache-2.0
"""Streams and events: what they are, and what waits for them."""

import contextlib
import ctypes
import threading

import torch
from behaviour import card, part, perform, raises

LONG = 50_000_000  # cycles: some milliseconds on a card


def streams_are_told_apart():
    default, own = torch.cuda.current_stream(), torch.cuda.Stream()
    assert torch.cuda.current_stream() == default != own
    assert default.cuda_stream == 0
    assert own.cuda_stream != 0
    with torch.cuda.stream(own):
        assert torch.cuda.current_stream() == own
    assert torch.cuda.current_stream() == default
    assert own.query()
    default.synchronize()
    assert default.query()


def streams_are_context_managers():
    before = torch.cuda.current_stream()
    with torch.cuda.Stream() as stream:
        assert torch.cuda.current_stream() == stream
    assert torch.cuda.current_stream() == before


def streams_and_events_are_named_and_have_handles():
    stream, event = torch.cuda.Stream(), torch.cuda.Event()
    assert "torch.cuda.Stream" in repr(torch.cuda.current_stream())
    assert "uninitialized" in repr(event)
    stream.record_event(event)
    assert "torch.cuda.Event" in repr(event)
    assert stream.__cuda_stream__() == (0, stream.cuda_stream)
    external = torch.cuda.ExternalStream(stream.cuda_stream)
    assert external.__cuda_stream__() == (0, stream.cuda_stream)


def an_event_has_a_handle_once_it_is_recorded():
    event = torch.cuda.Event(enable_timing=True)
    assert (event.cuda_event, event.event_id) == (0, 0)
    assert event.query(), "nothing to wait for"
    event.record()
    assert event.cuda_event == event.event_id != 0


def an_event_is_complete_when_its_work_is():
    stream = torch.cuda.current_stream()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    stream.record_event(start)
    torch.cuda._sleep(LONG)
    stream.record_event(end)
    with part("work takes time"):
        assert not end.query()
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) > 0


def times_need_events_that_time():
    for options in ({"enable_timing": False}, {}):
        with raises(ValueError, "Both events must be created with argument 'enable_timing=True'"):
            torch.cuda.Event(**options).elapsed_time(torch.cuda.Event(**options))
    with raises(ValueError, "Both events must be recorded before calculating elapsed time"):
        torch.cuda.Event(enable_timing=True).elapsed_time(torch.cuda.Event(enable_timing=True))


def generic_streams_and_events_are_the_same():
    stream = torch.Stream("cuda")
    assert stream.device_index == torch.cuda.current_device()
    same = torch.cuda.Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)
    assert isinstance(same, torch.Stream)
    assert same.stream_id == stream.stream_id != torch.cuda.current_stream().stream_id
    first, second = (torch.Event("cuda", enable_timing=True) for _ in range(2))
    assert first.event_id == 0
    with torch.cuda.stream(same):
        assert torch.cuda.current_stream().stream_id == stream.stream_id
        on_device = torch.randn(1000).to("cuda", non_blocking=True)
    first.record(stream)
    first.synchronize()
    sum = on_device + on_device
    second.record()
    second.synchronize()
    assert first.query() and second.query()
    assert first.event_id != second.event_id
    assert sum.shape == (1000,)
    assert issubclass(torch.cuda.Event, torch.Event)
    assert first.elapsed_time(second) > 0


def an_accelerator_has_the_same_streams():
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        torch.accelerator.set_stream(stream)
        assert torch.accelerator.current_stream().stream_id == stream.stream_id
    with raises(RuntimeError, "Device index value .* is out of index range"):
        torch.accelerator.current_stream(torch.accelerator.device_count())


def a_block_is_not_used_again_before_its_stream_is_done():
    source = torch.FloatTensor([1, 2, 3, 4]).pin_memory()
    result = torch.cuda.FloatTensor(source.size())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        used = source.cuda(non_blocking=True)
        address = used.data_ptr()
    torch.cuda.current_stream().wait_stream(stream)
    used.record_stream(torch.cuda.current_stream())
    torch.cuda._sleep(LONG)
    result.copy_(used)
    del used
    with torch.cuda.stream(stream):
        soon = torch.cuda.FloatTensor(source.size())
        with part("work takes time"):
            assert soon.data_ptr() != address
        del soon
    with part("the values"):
        assert result.tolist() == [1, 2, 3, 4]
    torch.cuda.current_stream().synchronize()
    with torch.cuda.stream(stream):
        assert torch.cuda.FloatTensor(source.size()).data_ptr() == address, "and then it is"


def a_view_records_for_the_whole_block():
    allocating, recording = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(allocating):
        base = torch.cuda.FloatTensor(10, 10)
    view = base[5:]
    assert view.storage_offset() == 50
    with torch.cuda.stream(recording):
        torch.cuda._sleep(LONG)
    view.record_stream(recording)
    address = base.data_ptr()
    del base, view
    allocating.synchronize()
    with torch.cuda.stream(allocating), part("work takes time"):
        assert torch.cuda.FloatTensor(10, 10).data_ptr() != address


def a_block_stays_with_the_stream_that_asked_for_it():
    streams = [torch.cuda.Stream() for _ in range(2)]
    addresses = []
    for stream in (*streams, *streams):
        with torch.cuda.stream(stream):
            addresses.append(torch.empty(100, device="cuda").data_ptr())
    assert addresses[0] == addresses[2]
    assert addresses[1] == addresses[3]
    assert addresses[0] != addresses[1]
    assert {segment["stream"] for segment in torch.cuda.memory_snapshot()} == {stream.cuda_stream for stream in streams}


def backward_runs_on_the_streams_of_forward():
    seen = []

    class Times(torch.autograd.Function):
        @staticmethod
        def forward(context, x, factor):
            context.factor, context.stream = factor, torch.cuda.current_stream()
            return x * factor

        @staticmethod
        def backward(context, gradient):
            seen.append(torch.cuda.current_stream() == context.stream)
            return gradient * context.factor, None

    default, first, second, ambient = torch.cuda.current_stream(), *(torch.cuda.Stream() for _ in range(3))
    x = torch.randn(5, 5, device="cuda", requires_grad=True)
    first.wait_stream(default)
    with torch.cuda.stream(first):
        y = Times.apply(x, 2)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        z = Times.apply(x, 3) + y
    with torch.cuda.stream(ambient):
        ambient.wait_stream(second)
        z.sum().backward()
        assert torch.cuda.current_stream() == ambient
        gradient = x.grad.clone()
    assert torch.cuda.current_stream() == default
    assert seen == [True, True]
    with part("the gradient"):
        assert bool((gradient == 5).all())


def callbacks_of_backward_run_on_the_ambient_stream():
    seen = []
    ambient, other = torch.cuda.Stream(), torch.cuda.Stream()
    x = torch.ones(1000, device="cuda", requires_grad=True)
    other.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(other):
        y = x * 2
        queue = torch.autograd.Variable._execution_engine.queue_callback
        y.register_hook(lambda gradient: queue(lambda: seen.append((torch.cuda.current_stream(), x.grad is not None))))
    ambient.wait_stream(other)
    with torch.cuda.stream(ambient):
        y.sum().backward()
    assert seen == [(ambient, True)]


@contextlib.contextmanager
def external_stream(device):
    handle = ctypes.c_ulonglong(0)
    runtime = torch.cuda.cudart()
    with torch.cuda.device(device):
        assert runtime.cudaStreamCreate(ctypes.addressof(handle)) == 0
        assert handle.value != 0
        yield handle.value
        assert runtime.cudaStreamDestroy(handle.value) == 0


@card(devices=2)
def streams_of_others_can_be_used():
    for device in (0, 1):
        with external_stream(device) as handle:
            for stream in (torch.cuda.ExternalStream(handle, device=device), torch.cuda.get_stream_from_external(handle, device)):
                assert (stream.cuda_stream, stream.device.index) == (handle, device)
                with torch.cuda.stream(stream):
                    kept = torch.ones(4, device=f"cuda:{device}")
                    assert torch.cuda.current_device() == device
                stream.synchronize()
                assert kept.device.index == device


@card(devices=2)
def each_device_has_its_own_current_and_default_stream():
    with torch.cuda.device(1):
        assert torch.cuda.current_stream().device == torch.device("cuda:1")
        assert torch.cuda.default_stream() == torch.cuda.current_stream() == torch.cuda.current_stream(1)
    assert torch.cuda.current_stream() == torch.cuda.default_stream(0) == torch.cuda.current_stream(torch.device("cuda:0"))
    assert torch.cuda.current_stream(0).device == torch.device("cuda:0")
    first, second = torch.cuda.current_stream(0), torch.cuda.current_stream(1)
    assert first != second
    assert first.device != second.device
    assert first.cuda_stream == second.cuda_stream == 0
    assert hash(first) == hash(torch.cuda.current_stream(0)) != hash(second)
    for ask in (torch.cuda.current_stream, torch.cuda.default_stream):
        with raises(ValueError, "Expected a cuda device, but got: cpu"):
            ask(torch.device("cpu"))


@card(devices=2)
def a_stream_brings_its_device_along():
    default = torch.cuda.current_stream()
    first, second = torch.cuda.Stream(device=1), torch.cuda.Stream(device=0)
    before = torch.cuda.current_stream(1)

    def now():
        return torch.cuda.current_stream(), torch.cuda.current_device()

    with torch.cuda.stream(first):
        assert now() == (first, 1)
        with torch.cuda.stream(second):
            assert now() == (second, 0)
            with torch.cuda.stream(default):
                assert now() == (default, 0)
            assert now() == (second, 0)
        assert now() == (first, 1)
    assert now() == (default, 0)
    assert torch.cuda.current_stream(1) == before
    with torch.cuda.Stream(1) as stream:
        assert now() == (stream, 1)
        assert torch.cuda.current_stream(0) == default
    assert now() == (default, 0)
    with torch.accelerator.device_index(1):
        assert torch.cuda.current_device() == 1
    with torch.accelerator.device_index(None):
        assert torch.cuda.current_device() == 0


@card(devices=2)
def streams_have_priorities():
    least, greatest = torch.cuda.Stream.priority_range()
    assert least > greatest
    low, high = torch.cuda.Stream(device=0, priority=least), torch.cuda.Stream(device=1, priority=greatest)
    assert (low.priority, low.device) == (least, torch.device("cuda:0"))
    assert (high.priority, high.device) == (greatest, torch.device("cuda:1"))


@card(devices=2)
def an_event_belongs_to_the_device_that_recorded_it():
    event = torch.cuda.Event()
    assert event.device is None
    torch.cuda.current_stream().record_event(event)
    other = torch.cuda.Stream(device=1).record_event()
    assert (event.device, other.device) == (torch.device("cuda:0"), torch.device("cuda:1"))


@card(devices=2)
def the_other_device_is_busy_and_this_one_is_not():
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)
    idle = torch.cuda.current_stream(0)
    done = idle.record_event()
    idle.synchronize()
    with torch.cuda.device(1):
        busy = torch.cuda.current_stream()
        torch.cuda._sleep(LONG)
        pending = busy.record_event()
    for device in (0, 1):
        with torch.cuda.device(device):
            assert idle.query() and done.query()
            with part("work takes time"):
                assert not busy.query()
                assert not pending.query()
    pending.synchronize()
    for device in (0, 1):
        with torch.cuda.device(device):
            assert busy.query() and pending.query()


@card(devices=2)
def a_stream_may_wait_for_the_other_device():
    with torch.cuda.device(0):
        first = torch.cuda.current_stream()
        torch.cuda._sleep(LONG)
        event = first.record_event()
    second = torch.cuda.current_stream(1)
    with part("work takes time"):
        assert not first.query()
    assert second.query()
    second.wait_event(event)
    second.synchronize()
    assert event.query() and first.query() and second.query()


@card(devices=2)
def times_between_devices_are_refused():
    events = []
    for device in (0, 1):
        with torch.cuda.device(device):
            events.append(torch.cuda.Event(enable_timing=True))
            events[-1].record()
            torch.cuda.synchronize()
    for device in (0, 1):
        with torch.cuda.device(device), raises(RuntimeError):
            events[0].elapsed_time(events[1])
    with torch.cuda.device(0):
        torch.cuda._sleep(LONG)
        later = torch.cuda.Event(enable_timing=True)
        later.record()
        later.synchronize()
    with torch.cuda.device(1):
        assert events[0].elapsed_time(later) > 0


@card(devices=2)
def threads_wait_side_by_side():
    """Compare the time of three ways of waiting in two threads with the time of both together."""

    def by_stream(stream, event):
        event.record(stream)
        stream.synchronize()

    def by_event(stream, event):
        stream.record_event(event)
        event.synchronize()

    def by_another_stream(stream, event):
        other = torch.cuda.Stream()
        between = torch.cuda.Event(blocking=True)
        between.record()
        between.wait(other)
        other.synchronize()
        by_event(stream, event)
        assert other.query() and between.query()

    def timed(device, wait, times):
        with torch.cuda.device(device):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            stream = torch.cuda.current_stream()
            begin.record(stream)
            torch.cuda._sleep(LONG)
            wait(stream, end)
            assert stream.query()
            times[device] = begin.elapsed_time(end)

    for wait in (by_stream, by_event, by_another_stream):
        times = {}
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        thread = threading.Thread(target=timed, args=(1, wait, times))
        thread.start()
        timed(0, wait, times)
        thread.join()
        end.record()
        end.synchronize()
        assert set(times) == {0, 1}
        assert sum(times.values()) > 1.3 * begin.elapsed_time(end)


if __name__ == "__main__":
    perform(globals())
