# SPDX-License-Identifier: Apache-2.0
"""A witness that knows the owner of each storage, without any categories.

A storage belongs to a parameter, a buffer, a gradient, the optimizer or the batch if it is found
there. It is an activation if autograd holds it: autograd asked saved_tensors_hooks to keep it, or a
node of the graph has it as `_saved_...`, since the hooks do not see wrapped numbers. The logits and
the loss are activations, too. Operators and backward compute in everything else that is alive.
"""

import contextlib
import itertools

import torch
from timeline import mark

OWNERS = ("Parameter", "Optimizer_State", "Gradient", "Input", "Activation")  # the first owner of a storage counts
NOBODY = "Temporary"


class NoWitness:
    """Sees nothing, so that the profiler records an ordinary training."""

    def watch_saved(self):
        return contextlib.nullcontext()

    def see(self, role, tensors):
        pass

    def see_graph(self, loss):
        pass


class Witness(NoWitness):
    """Marks the moment at which it saw each storage."""

    def __init__(self):
        self.seen = []  # role and address, in the order of the marks

    def see(self, role, tensors):
        for tensor in tensors:
            mark(f"owner {len(self.seen)}")
            self.seen.append((role, tensor.untyped_storage().data_ptr()))

    def watch_saved(self):
        def pack(tensor):
            self.see("Activation", [tensor])
            return tensor

        return torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor)

    def see_graph(self, loss):
        """See the tensors that the graph's nodes hold, and the loss's gradient once there is
        one."""
        loss.register_hook(lambda gradient: self.see("Gradient", [gradient]))
        waiting, known = [loss.grad_fn], set()
        while waiting:
            node = waiting.pop()
            if node is None or node in known:
                continue
            known.add(node)
            waiting.extend(following for following, _ in node.next_functions)
            names = (name for name in dir(node) if name.startswith("_saved_"))
            self.see("Activation", tensors_in([getattr(node, name) for name in names]))

    def roles(self, blocks, marks):
        """Return the role of each block that it saw, by the block's identity."""
        roles = {}
        for number, (role, address) in enumerate(self.seen):
            block = blocks.at(address, marks[f"owner {number}"])
            if block is None:
                continue  # a storage of no bytes
            known = roles.get(id(block), role)
            roles[id(block)] = min(known, role, key=OWNERS.index)
        return roles


def tensors_in(value):
    """Return the tensors of an optimizer's state or a node, also in an object that is no
    dictionary, such as GaLore's projectors."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return itertools.chain.from_iterable(map(tensors_in, value))
    if isinstance(value, dict):
        return tensors_in(list(value.values()))
    return tensors_in(vars(value)) if hasattr(value, "__dict__") else []


def true_bytes(blocks, roles, moment):
    bytes_of = dict.fromkeys((*OWNERS, NOBODY, "Unknown"), 0)
    for block in blocks.alive(moment):
        bytes_of[roles.get(id(block), NOBODY)] += block.bytes
    return bytes_of
