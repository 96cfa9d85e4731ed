# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch with a modelled clock: its profiler, its events, and its allocator's deferred frees."""

import itertools

import pytest

# The rates of configs/devices/h100-80gb.yaml.
CLOCK = {
    "clock": "modelled",
    "memory_gb_per_s": 3350,
    "fp32_tflops": 66.9,
    "tf32_tflops": 494.7,
    "fp16_tflops": 989.4,
    "bf16_tflops": 989.4,
    "fp8_tflops": 1978.9,
}
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def of(facts, *categories):
    return [event for event in facts["events"] if event["category"] in categories]


def test_the_profiler_shows_the_modelled_work(on_dry_gpu):
    facts = on_dry_gpu("profiled_step.py", **CLOCK)
    assert facts["messages"] == [], "nothing that it needs is refused"
    work = of(facts, *ON_DEVICE)
    calls = {event["correlation"]: event for event in of(facts, "cuda_runtime", "cuda_driver")}
    operators = {event["External id"]: event["name"] for event in of(facts, "cpu_op")}

    # The sums equal the account's. A trace uses the profiler's own clock, and converts to it at a
    # measured rate.
    assert len(work) == sum(works for works, _ in facts["account"])
    assert sum(event["us"] for event in work) * 1000 == pytest.approx(sum(ns for _, ns in facts["account"]), rel=0.01)

    names = {event["name"] for event in of(facts, "kernel")}
    assert any("at::native::vectorized_elementwise_kernel<" in name for name in names)
    assert any("multi_tensor_apply_kernel<" in name for name in names)
    products = [event for event in of(facts, "kernel") if event["name"].startswith("cublas")]
    assert len(products) == 2 * 5, "two layers forward; two gradients of weights and one of an input"
    assert all(" bf16 " in event["name"] for event in products)
    assert any("1024x256x512" in event["name"] for event in products)

    # Every piece of work is linked to an operator and to the call that submitted it, which comes
    # before it.
    for event in work:
        assert calls[event["correlation"]]["begin"] <= event["begin"]
    assert {calls[event["correlation"]]["name"] for event in products} == {"cuLaunchKernelEx"}, "as cuBLAS does for 16 bits"
    assert {operators[event["External id"]] for event in products} <= {"aten::addmm", "aten::mm"}
    (copied,) = {operators[event["External id"]] for event in of(facts, "gpu_memcpy") if "DtoH" in event["name"]}
    assert copied == "aten::_local_scalar_dense"

    by_stream = {}
    for event in sorted(work, key=lambda event: event["begin"]):
        by_stream.setdefault(event["stream"], []).append(event)
    assert len(by_stream) == 2
    for events in by_stream.values():
        for one, next_one in itertools.pairwise(events):
            assert one["begin"] + one["us"] <= next_one["begin"] + 0.01, "a stream does one thing at a time"


def test_a_free_waits_for_other_streams(on_dry_gpu):
    modelled = on_dry_gpu("deferred_free.py", **CLOCK)
    assert modelled["messages"] == []
    assert (modelled["at_once"], modelled["after_waiting"]) == (False, True)
    assert modelled["reserved"] == 3 * 256
    assert not modelled["ready"]
    # 2 x 4096^3 operations at 70% of 989.4e12 per second, plus 2 us to launch.
    assert modelled["product_ms"] == pytest.approx(2 * 4096**3 / (0.7 * 989.4e9) + 0.002, rel=1e-4)

    # Without a clock it does not wait: all work is done at once, and every time has the minimum
    # value.
    at_once = on_dry_gpu("deferred_free.py")
    assert (at_once["at_once"], at_once["reserved"]) == (True, 2 * 256)
    assert at_once["ready"] and at_once["product_ms"] == pytest.approx(0.1)


# The second program has frees that wait for another stream. They depend on times, so times must be
# reproducible too.
@pytest.mark.parametrize(("program", "least"), [("event_stream.py", 500), ("deferred_free.py", 10)])
def test_the_event_stream_is_the_same_in_every_run(on_dry_gpu, program, least):
    runs = [on_dry_gpu(program, **CLOCK) for _ in range(3)]
    assert runs[0]["events"] > least
    assert runs[0] == runs[1] == runs[2]
