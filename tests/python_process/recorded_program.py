# SPDX-License-Identifier: Apache-2.0
"""recorded_program.py LIBRARY FOLDER WHAT [true|false]: records a run of this process; WHAT names a
function below. true: with Python's stacks."""

import ctypes
import os
import sys
import threading

import torch

MEBIBYTE = 1 << 20


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1024, 1024))

    def forward(self, input):
        self.hidden = torch.nn.functional.softplus(input @ self.weight)  # line of softplus
        self.output = self.hidden.neg().exp()  # line of exp
        return self.output


def train(recorder, held):
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters())
    batch = torch.ones(2048, 1024)
    for index in range(2):
        assert recorder.begin_step(index) == 0
        loss = network(batch).sum()
        loss.backward()  # line of backward
        optimizer.step()  # line of the optimizer
        optimizer.zero_grad()
        assert recorder.end_step() == 0


def pick_on_a_thread(held):
    held.append(torch.zeros(3 * MEBIBYTE, dtype=torch.uint8))  # line of the thread


def threads(recorder, held):
    """Allocate on a Python thread, and on one that Python does not know."""
    thread = threading.Thread(target=pick_on_a_thread, args=(held,))
    thread.start()
    thread.join()
    assert recorder.allocate_on_a_thread(5 * MEBIBYTE) == 0


def busy(recorder, held):
    """Python threads that compute at the same time, so that each waits for the interpreter's
    lock."""

    def work():
        for _ in range(300):
            torch.ones(64).exp()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def fork(recorder, held):
    """A child that computes while its parent's threads do."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            torch.ones(64).exp()

    worker = threading.Thread(target=work)
    worker.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            held.append(torch.ones(17 * MEBIBYTE, dtype=torch.uint8))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    worker.join()


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, input):
        return input * 2  # line of a forward in Python

    @staticmethod
    def backward(context, gradient):
        return gradient * 2  # line of a backward in Python


def device(recorder, held):
    """Backward runs on an autograd thread, which Python knows but where the program has no
    frames."""
    input = torch.ones(13 * MEBIBYTE, device="cuda", requires_grad=True)
    Doubled.apply(input).neg().backward(torch.ones(13 * MEBIBYTE, device="cuda"))  # line of backward on a device


def pending_error(recorder, held):
    keeps_the_lock = ctypes.PyDLL(recorder._name)
    keeps_the_lock.allocate_with_a_pending_error.argtypes = [ctypes.c_char_p, ctypes.c_int64]
    try:
        keeps_the_lock.allocate_with_a_pending_error(b"it was pending", 7 * MEBIBYTE)
    except ValueError as error:
        print(error)


def exit_open(recorder, held):
    """Exit with the run open, and allocate while the interpreter shuts down."""

    class AtTheEnd:
        def __del__(self, ones=torch.ones, bytes=torch.uint8):
            ones(11 * 1048576, dtype=bytes)

    sys.modules["kept until the end"] = AtTheEnd()
    held.append(torch.ones(2 * MEBIBYTE, dtype=torch.uint8))
    sys.exit(3)


def main():
    library, folder, what = sys.argv[1:4]
    recorder = ctypes.CDLL(library)
    recorder.open_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    recorder.begin_step.argtypes = [ctypes.c_uint64]
    recorder.allocate_on_a_thread.argtypes = [ctypes.c_int64]
    if what == "device":
        torch.cuda.init()  # memory that exists when the run begins is traced
    if recorder.open_run(folder.encode(), (sys.argv[4] if len(sys.argv) > 4 else "true").encode()) != 0:
        sys.exit(1)
    held = []
    uses = [train, threads, busy, fork, device, pending_error, exit_open]
    {use.__name__: use for use in uses}[what](recorder, held)
    sys.exit(recorder.close_run())


if __name__ == "__main__":
    main()
