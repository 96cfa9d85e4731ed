# SPDX-License-Identifier: Apache-2.0
"""Values that a program reads back from a device: those that the host wrote, unknown ones, and
answers.

The argument chooses the case. Each part returns the values that it read and, from the dry GPU's
account, which readers read unknown values.
"""

import ctypes
import json
import sys

import torch
from dry_counts import counts


class Reader(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 104),
        ("unknown_reads", ctypes.c_uint64),
        ("unknown_bytes", ctypes.c_uint64),
        ("answered_reads", ctypes.c_uint64),
    ]


VISITOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Reader))
visit_readers = ctypes.CDLL(None).strata_dry_gpu_visit_readers


def readers():
    found = {}

    def visit(_, reader):
        row = reader.contents
        found[row.name.decode()] = [row.unknown_reads, row.unknown_bytes, row.answered_reads]

    visit_readers(VISITOR(visit), None)
    return found


def seen(read):
    """Return what `read` returns, and how much it raised each reader's counts."""
    before = readers()
    value = read()
    changed = {}
    for name, counts in readers().items():
        difference = [now - then for now, then in zip(counts, before.get(name, [0, 0, 0]))]
        if any(difference):
            changed[name] = difference
    return [value, changed]


def uploads():
    uploaded = torch.tensor([3, 1, 2]).cuda()
    lengths = torch.tensor([3, 1, 2])
    result = {
        "list": seen(uploaded.tolist),
        "again": seen(uploaded.tolist),
        "item": seen(uploaded[1].item),
        "copy": seen(uploaded.clone().tolist),
        "pinned": seen(lambda: lengths.pin_memory().to("cuda", non_blocking=True).tolist()),
        "large": seen(lambda: torch.ones(64 << 10).cuda()[0].item()),
    }
    uploaded.add_(1)
    result["after_a_sum"] = seen(uploaded.tolist)
    torch.randn(8, 8, device="cuda").exp()
    result["after_a_kernel"] = seen(uploaded.tolist)
    uploaded.clamp_(0, 2)
    result["written"] = seen(uploaded.tolist)

    packed = torch.nn.utils.rnn.pack_padded_sequence(
        torch.zeros(3, 3, 8, device="cuda"), lengths, batch_first=True, enforce_sorted=False
    )
    result["packed"] = [list(packed.data.shape), packed.batch_sizes.tolist()]
    repeated = torch.zeros(3, 8, device="cuda").repeat_interleave(lengths.cuda(), dim=0, output_size=6)
    result["repeated"] = list(repeated.shape)
    return result


def unknown():
    values = torch.rand(100, device="cuda")
    index = torch.zeros(10, dtype=torch.int64, device="cuda")
    return {
        "item": seen(lambda: values.sum().item()),
        "nonzero": seen(lambda: list(values.nonzero().shape)),
        "masked_select": seen(lambda: list(values.masked_select(values > 0.5).shape)),
        "index": seen(lambda: list(values[values > 0.5].shape)),
        "unique": seen(lambda: list(index.unique().shape)),
        "tolist": seen(lambda: values[:2].tolist()),
        "cpu": seen(lambda: values.sum().cpu().item()),
        "equal": seen(lambda: torch.equal(values, values + 1)),
    }


def conditions():
    """The questions by which a program checks that nothing is unusual, and other questions."""
    values = torch.rand(100, device="cuda")
    mask = torch.ones(4, 100, dtype=torch.int64, device="cuda")
    is_on = mask.bool()

    def assumed(read):
        before = counts()["assumed_reads"]
        return [*seen(lambda: bool(read())), counts()["assumed_reads"] - before]

    def something_else_in_between():
        answer = is_on.all()
        values.add_(1)
        return answer

    return {
        "finite": assumed(lambda: values.isfinite().all()),
        "all_of_rows": assumed(lambda: (mask[:, -1] == 1).all()),
        "close": assumed(lambda: torch.allclose(values, values * 2)),
        "sum_is_count": assumed(lambda: mask.sum() == mask.numel()),
        "sum_of_booleans": assumed(lambda: is_on.sum() == is_on.numel()),
        "any": assumed(lambda: values.isnan().any()),
        "sum_is_zero": assumed(lambda: mask.sum() == 0),
        "sum_is_not_count": assumed(lambda: mask.sum() != mask.numel()),
        "sum_is_less": assumed(lambda: mask.sum() < mask.numel()),
        "value_is": assumed(lambda: mask[0, 0] == 1),
        "logical_and": assumed(lambda: torch.logical_and(is_on[0, 0], is_on[0, 1])),
        "in_between": assumed(something_else_in_between),
    }


def answers():
    values = torch.rand(100, device="cuda")
    return {
        "items": [seen(lambda: values.sum().item()) for _ in range(4)],
        "count": seen(lambda: values.argmax().item()),
        "nonzero": seen(lambda: list(values.nonzero().shape)),
        "index": seen(lambda: list(values[values > 0.5].shape)),
        "repeated": seen(lambda: list(values[:3].repeat_interleave(torch.tensor([3, 1, 2]).cuda()).shape)),
        "uploaded": seen(lambda: torch.tensor(5.0).cuda().item()),
        "tolist": seen(lambda: values[:2].tolist()),
    }


def numbers():
    """Single numbers on the device that kernels count with during training."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8, momentum=None), torch.nn.Dropout(), torch.nn.Linear(8, 8)).cuda()
    optimizers = {
        name: make(model.parameters(), lr=1e-3)
        for name, make in {
            "adam": torch.optim.Adam,
            "loop": lambda parameters, lr: torch.optim.AdamW(parameters, lr=lr, foreach=False),
            "radam": torch.optim.RAdam,
        }.items()
    }
    counter, total = torch.zeros((), dtype=torch.int64, device="cuda"), torch.full((), 1.5, device="cuda")
    for _ in range(2):
        model(torch.randn(4, 8, device="cuda")).square().mean().backward()
        for optimizer in optimizers.values():
            optimizer.step()
            state = optimizer.state_dict()
            for each in state["state"].values():
                each["step"] = each["step"].cuda()
            optimizer.load_state_dict(state)
        counter += 1
        total.mul_(2)
    first = next(model.parameters())
    return {
        "steps": {name: seen(optimizer.state[first]["step"].item) for name, optimizer in optimizers.items()},
        "batches": seen(model[1].num_batches_tracked.item),
        "counter": seen(counter.item),
        "is_two": seen((counter == 2).item),
        "is_three": seen((counter == 3).item),
        "total": seen(total.item),
        "sum_of_unknown": seen(torch.randn(4, device="cuda").sum().add_(1).item),
    }


result = {"uploads": uploads, "numbers": numbers, "unknown": unknown, "conditions": conditions, "answers": answers}[sys.argv[1]]()
print(json.dumps(result))
