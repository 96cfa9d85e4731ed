# SPDX-License-Identifier: Apache-2.0
"""What a program reads back from a device: values that the host has put there, unknown ones, and answers.

The word chooses the case. Each part tells what it got, and who read what nobody knew, as the dry GPU's account says.
"""

import ctypes
import json
import sys

import torch


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
    """What `read` gives, and by how much it raised each reader's counts."""
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
    result["after_a_kernel"] = seen(uploaded.tolist)

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
        "isfinite": seen(lambda: bool(values.isfinite().all())),
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


result = {"uploads": uploads, "unknown": unknown, "answers": answers}[sys.argv[1]]()
print(json.dumps(result))
