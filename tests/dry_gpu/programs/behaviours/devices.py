# SPDX-License-Identifier: Apache-2.0
"""Properties that devices report, and the devices that tensors are placed on."""

import ctypes
import io
import os
import threading

import torch
from behaviour import MIB, card, part, perform, raises


def a_device_may_be_left_unnamed():
    current = torch.cuda.current_device()
    assert current == 0
    for ask in (torch.cuda.get_device_name, torch.cuda.get_device_capability, torch.cuda.get_device_properties):
        assert ask(current) == ask(None) == ask()
    assert torch.cuda.get_device_name() == "NVIDIA H100 80GB HBM3"
    assert torch.cuda.get_device_capability() == (9, 0)


def properties_are_those_of_the_card():
    properties = torch.cuda.get_device_properties(0)
    assert properties.total_memory == 85_017_624_576
    assert properties.multi_processor_count == 132
    assert properties.max_threads_per_multi_processor == 2048
    assert properties.shared_memory_per_block_optin == 232_448
    assert properties.L2_cache_size == 52_428_800
    assert (properties.major, properties.minor, properties.warp_size) == (9, 0, 32)


@card(devices=2)
def each_device_has_an_identity_of_its_own():
    identities = [torch.cuda.get_device_properties(device).uuid for device in (0, 1)]
    assert [len(str(identity)) for identity in identities] == [36, 36]
    assert [len(identity.bytes) for identity in identities] == [16, 16]
    assert str(identities[0]) != str(identities[1])
    buses = [torch.cuda.get_device_properties(device).pci_bus_id for device in (0, 1)]
    assert buses[0] != buses[1]


def errors_are_named_by_their_numbers():
    torch.cuda.check_error(0)
    with raises(torch.cuda.CudaError, "out of memory"):
        torch.cuda.check_error(2)


def names_that_are_none_are_refused():
    from torch.cuda._utils import _get_device_index

    with raises(RuntimeError, "Invalid device string"):
        _get_device_index("cuda0", optional=True)
    with raises(ValueError, "Expected a cuda device"):
        _get_device_index(torch.device("cpu"), optional=True)
    with raises(RuntimeError, "invalid device ordinal|Invalid device id"):
        torch.empty(1, device="cuda:5")


@card(devices=2)
def free_memory_falls_by_what_is_taken():
    for device in (0, torch.device("cuda"), torch.device("cuda:0"), "cuda", "cuda:0", 1, torch.device("cuda:1"), "cuda:1"):
        torch.cuda.empty_cache()
        free_bytes, total_bytes = torch.cuda.mem_get_info(device)
        kept = torch.empty(8 * MIB, device=device)
        assert torch.cuda.mem_get_info(device) == (free_bytes - 32 * MIB, total_bytes)
        assert kept.nbytes == 32 * MIB
        del kept


@card(devices=2)
def waiting_takes_any_name_of_a_device():
    for device in (None, "cuda", "cuda:0", 0, torch.device("cuda:0"), "cuda:1", 1, torch.device("cuda:1")):
        torch.cuda.synchronize(device)
    for device in (torch.device("cpu"), "cpu"):
        with raises(ValueError, "Expected a cuda device, but"):
            torch.cuda.synchronize(device)


@card(devices=2)
def tensors_go_to_the_current_device_and_results_to_their_operands():
    x, y = torch.randn(5, 5).cuda(), torch.randn(5, 5).cuda()
    assert x.get_device() == 0
    with torch.cuda.device(1):
        z = torch.randn(5, 5).cuda()
        assert z.get_device() == 1
        assert x.add(y).get_device() == 0
        assert y.cuda().get_device() == 1
        assert z.cuda() is z
        assert z.cuda(0).get_device() == 0
        assert torch.cuda.FloatTensor(1).get_device() == 1
        assert torch.cuda.FloatTensor(1, device=0).get_device() == 0
        torch.cuda.set_device(0)
        assert torch.randn(5).cuda().get_device() == 0
    assert z.cuda().get_device() == 0
    assert torch.cat([z, z], 0).get_device() == 1
    assert x.new([0, 1, 2]).get_device() == 0
    assert x.new([0, 1, 2], device=1).get_device() == 1
    assert torch.cuda.current_device() == 0


@card(devices=2)
def storages_keep_their_device():
    storage = torch.randn(4, 4, device="cuda:1").storage()
    assert storage.clone().get_device() == 1
    for kind in ("byte", "short", "long", "half", "double"):
        assert getattr(storage, kind)().get_device() == 1


@card(devices=2)
def files_keep_the_device_unless_it_is_mapped():
    tensors = [torch.randn(4, 4, device="cuda:0"), torch.randn(4, 4, device="cuda:1")]
    file = io.BytesIO()
    torch.save(tensors, file)

    def loaded(**options):
        file.seek(0)
        return [tensor.get_device() for tensor in torch.load(file, **options)]

    assert loaded() == [0, 1]
    assert loaded(map_location={"cuda:1": "cuda:0"}) == [0, 0]
    assert loaded(map_location=lambda storage, place: storage.cuda(0) if place == "cuda:1" else None) == [0, 0]
    elsewhere = io.BytesIO(file.getvalue().replace(b"cuda:0", b"cuda:9"))
    with raises(RuntimeError, "Attempting to deserialize object on CUDA device 9"):
        torch.load(elsewhere)


@card(devices=2)
def threads_may_make_two_contexts_at_once():
    tensors = {}
    threads = [threading.Thread(target=lambda device=device: tensors.update({device: torch.tensor([1.0]).cuda(device)})) for device in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {device: tensor.get_device() for device, tensor in tensors.items()} == {0: 0, 1: 1}


@card(devices=2)
def generators_of_devices_are_apart():
    torch.cuda.init()
    before = torch.cuda.get_rng_state_all()
    torch.empty(100, device="cuda:0").normal_()
    offsets = [torch.cuda._get_rng_state_offset(device) for device in (0, 1)]
    assert offsets == [4, 0]
    torch.cuda.set_rng_state_all(before)
    assert torch.cuda._get_rng_state_offset(0) == 0
    torch.cuda._set_rng_state_offset(100)
    assert torch.cuda._get_rng_state_offset() == 100
    torch.manual_seed(2)
    assert torch.cuda.initial_seed() == 2
    state = torch.cuda.get_rng_state()
    torch.randn(4, device="cuda")
    assert not torch.equal(torch.cuda.get_rng_state(), state)


@card(devices=4)
def a_process_sees_the_devices_that_are_visible():
    os.environ["CUDA_VISIBLE_DEVICES"] = "2,0"
    assert torch.cuda.device_count() == 2
    properties = [torch.cuda.get_device_properties(device).pci_bus_id for device in (0, 1)]
    assert properties[0] - properties[1] != 0
    assert torch.ones(1, device="cuda:1").get_device() == 1
    with raises(RuntimeError):
        torch.ones(1, device="cuda:2")


def a_process_that_sees_no_device_has_none():
    os.environ["CUDA_VISIBLE_DEVICES"] = "32"
    assert torch.cuda.device_count() == 0
    assert not torch.cuda.is_available()


def the_driver_is_not_used_before_its_time():
    """`import torch` must not call the driver, because a child that forks later could not use
    it."""
    count = ctypes.c_int(-1)
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuDeviceGetCount(ctypes.byref(count)) == 3, "CUDA_ERROR_NOT_INITIALIZED"
    torch.cuda.init()
    assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    assert count.value == 1


def the_child_of_a_process_that_used_a_device_cannot():
    torch.ones(1, device="cuda")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            torch.ones(1, device="cuda")
            text = "it could"
        except RuntimeError as error:
            text = str(error)
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        assert "Cannot re-initialize CUDA in forked subprocess" in answer.read()
    os.waitpid(child, 0)
    kept = torch.ones(1, device="cuda")
    torch.cuda.synchronize()
    assert kept.numel() == 1, "and it goes on itself"


def tensors_of_two_devices_do_not_multiply():
    on_host = torch.rand(10, 10)
    on_device = on_host.cuda()
    for left, right in ((on_host, on_device), (on_device, on_host)):
        with raises(RuntimeError, "Expected all tensors to be on the same device"):
            left @ right
    with raises(TypeError, "can't convert cuda:0 device type tensor to numpy"):
        on_device.numpy()


def a_value_that_must_be_true_is_checked_on_the_device():
    for value in ([], [0, 0]):
        with raises(RuntimeError, "Boolean value of Tensor with (no values|more than one value) is ambiguous"):
            torch._assert_async(torch.tensor(value, device="cuda"))
    torch._assert_async(torch.tensor(1, device="cuda"))
    torch.cuda.synchronize()
    torch._assert_async(torch.tensor(0, device="cuda"))
    with part("the assertion"), raises(RuntimeError, "device-side assert triggered"):
        torch.cuda.synchronize()


if __name__ == "__main__":
    perform(globals())
