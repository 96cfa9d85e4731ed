# SPDX-License-Identifier: Apache-2.0
"""Trains cases of profiled_cases.py, one line of JSON each, under torch.profiler. Answers each with
a line: for each moment the true bytes of each row, and torch.profiler's.

Each case is trained twice, because the witness's marks and hooks are not part of an ordinary
training. Both allocate the same at the same times.
"""

import gc
import json
import sys
import warnings

import torch
import torch.nn.functional as F
from models import make_batch, make_model, make_optimizer
from profiled_cases import (
    AFTER_OPTIMIZER,
    BEFORE_OPTIMIZER,
    END_OF_FORWARD,
    LOOKED_AT,
    OPTIMIZER,
    PASSES,
    STEPS,
)
from timeline import Blocks, mark, marks_of, profiler_bytes
from torch.profiler import ProfilerActivity, profile
from witness import NoWitness, Witness, tensors_in, true_bytes


def profiled(**options):
    return profile(activities=[ProfilerActivity.CPU], profile_memory=True, **options)


def see_what_stays(witness, model, optimizer):
    witness.see("Parameter", [*model.parameters(), *model.buffers()])
    witness.see("Gradient", [parameter.grad for parameter in model.parameters() if parameter.grad is not None])
    if optimizer is not None:
        witness.see("Optimizer_State", tensors_in(list(optimizer.state.values())))


def loss_of(witness, model, inputs, targets):
    with witness.watch_saved():
        logits = model(inputs)
        witness.see("Activation", [logits])
        loss = F.cross_entropy(logits.flatten(0, -2), targets.flatten())
        del logits
        witness.see("Activation", [loss])
        loss.item()
    return loss


def micro_batch(witness, model, settings, number):
    inputs, targets = make_batch(settings)
    witness.see("Input", [inputs, targets])
    with torch.set_grad_enabled(settings["mode"] == "train"):
        loss = loss_of(witness, model, inputs, targets)
    if settings["mode"] == "forward":
        del loss
        mark(f"{END_OF_FORWARD} {number}")
        return
    witness.see_graph(loss)
    mark(f"{END_OF_FORWARD} {number}")
    loss.backward()
    del loss


def train(witness, model, settings):
    optimizer = make_optimizer(model, settings)
    see_what_stays(witness, model, optimizer)
    for number in range(STEPS):
        mark(f"step {number}")
        if optimizer is not None:
            optimizer.zero_grad(set_to_none=True)
        micro_batch(witness, model, settings, number)
        see_what_stays(witness, model, optimizer)
        if optimizer is not None:
            mark(f"{BEFORE_OPTIMIZER} {number}")
            optimizer.step()
            mark(f"{AFTER_OPTIMIZER} {number}")
            see_what_stays(witness, model, optimizer)
    mark(f"step {STEPS}")
    return optimizer


def moments_of(marks, blocks):
    at = {name: marks.get(f"{name} {LOOKED_AT}") for name in (END_OF_FORWARD, BEFORE_OPTIMIZER, AFTER_OPTIMIZER)}
    step = marks[f"step {LOOKED_AT}"], marks[f"step {LOOKED_AT + 1}"]
    if at[BEFORE_OPTIMIZER] is None:
        at[PASSES] = blocks.most(*step)
    else:
        at[PASSES] = blocks.most(step[0], at[BEFORE_OPTIMIZER])
        at[OPTIMIZER] = blocks.most(at[BEFORE_OPTIMIZER], at[AFTER_OPTIMIZER])
    return {name: moment for name, moment in at.items() if moment is not None}


def the_truth(settings):
    """The model is created under the profiler too, so that the profiler sees each of its blocks."""
    witness = Witness()
    with profiled() as profiler:
        model = make_model(settings)
        train(witness, model, settings)
    marks, blocks = marks_of(profiler), Blocks(profiler)
    roles = witness.roles(blocks, marks)
    return {name: true_bytes(blocks, roles, moment) for name, moment in moments_of(marks, blocks).items()}


def what_the_profiler_says(settings):
    model = make_model(settings)
    with profiled(record_shapes=True, with_stack=True) as profiler:
        train(NoWitness(), model, settings)
    moments = moments_of(marks_of(profiler), Blocks(profiler))
    memory = profiler._memory_profile()
    return {name: profiler_bytes(memory, moment) for name, moment in moments.items()}


def main():
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        settings = json.loads(line)
        make_optimizer(make_model(settings), settings)  # imports all that is needed
        gc.collect()
        with torch.backends.mkldnn.flags(enabled=settings["onednn"]):
            answer = {"true": the_truth(settings), "said": what_the_profiler_says(settings)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
