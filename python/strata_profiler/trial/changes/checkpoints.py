# SPDX-License-Identifier: Apache-2.0
"""Checkpoints around the repeated blocks of a model, one by one or several together."""

from __future__ import annotations

import gc
import types
import weakref
from typing import Any, Callable, List, Optional, Set, Tuple

import torch
import torch.utils.checkpoint as torch_checkpoint

from ..program import Program, replace, tensors_in
from .change import Change
from .frameworks import Frameworks

_checkpoint = torch_checkpoint.checkpoint


class Checkpoints(Change):
    """Puts `together` blocks into one checkpoint."""

    group = "checkpointing"
    cost = "forward twice"
    within_models = True

    def __init__(self, together: int) -> None:
        super().__init__()
        self.together = together
        self.name = "checkpoint every block" if together == 1 else f"checkpoint {together} blocks in one"
        self._looked = False

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(blocks=0, where="", has_switch=False, checkpoints=False, in_a_row=0, in_loop=False)

        def look(model: torch.nn.Module, _: Any) -> None:
            if self.facts["blocks"] == 0 and torch.is_grad_enabled():
                rows = repeated_rows()
                self.facts["blocks"] = max([0] + [len(row) for row in rows])
                self.facts["where"] = _names_of(model, rows)
                self.facts["in_loop"] = any(model in block for row in rows for block in row)
                with_switch = _models_with_switch(model)
                self.facts["has_switch"] = bool(with_switch)
                self.facts["is_diffusers"] = any(not hasattr(each, "gradient_checkpointing_enable") for each in with_switch)

        outputs: List[Any] = []  # a reference to the last checkpoint's
        row = [0]

        def seeing(run: Callable[..., Any]) -> Callable[..., Any]:
            def checkpoint(*arguments: Any, **named: Any) -> Any:
                self.facts["checkpoints"] = True
                before = {id(reference()) for reference in outputs}
                row[0] = row[0] + 1 if any(id(each) in before for each in tensors_in(arguments)) else 1
                self.facts["in_a_row"] = max(self.facts["in_a_row"], row[0])
                output = run(*arguments, **named)
                outputs[:] = [weakref.ref(each) for each in tensors_in(output)]
                return output

            return checkpoint

        program.before_model.append(look)
        replace(torch_checkpoint, "checkpoint", seeing)

    def reason(self) -> Optional[str]:
        if self.facts["checkpoints"]:
            wider = f", {self.facts['in_a_row']} times in a row: one checkpoint around several blocks keeps fewer inputs"
            return "the program checkpoints already" + (wider if self.facts["in_a_row"] >= 2 * self.together > 2 else "")
        if self.facts["blocks"] <= self.together and not (self.together == 1 and self.facts["has_switch"]):
            return "no module contains repeated blocks" if self.facts["blocks"] == 0 else f"it has only {self.facts['blocks']} blocks in a row"
        return None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        if self.facts["has_switch"] and self.together == 1:
            frameworks.set_training_arguments.append(self._set_arguments)
        if self.facts["in_loop"]:  # the program's loop calls the blocks: too late at the call of the first one
            program.made_optimizer.append(lambda _: self._wrap_rows())
        else:
            program.before_model.append(self._begin)

    def _set_arguments(self, arguments: Any) -> None:
        arguments.gradient_checkpointing = True
        arguments.gradient_checkpointing_kwargs = {"use_reentrant": False}
        self.made += 1

    def _begin(self, model: torch.nn.Module, _: Any) -> None:
        if self.made or self._looked or not torch.is_grad_enabled():
            return
        self._looked = True
        with_switch = _models_with_switch(model) if self.together == 1 else []
        for each in with_switch:
            if hasattr(each, "gradient_checkpointing_enable"):
                each.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
            else:
                each.enable_gradient_checkpointing()
            self.made += 1
        if not with_switch:
            self._wrap_rows()

    def _wrap_rows(self) -> None:
        for row in repeated_rows():
            for start in range(0, len(row), self.together):
                Group(self, [part for block in row[start : start + self.together] for part in block])

    def write(self, framework: str) -> str:
        if self.together == 1 and self.facts.get("has_switch"):
            if framework == "transformers":
                return 'TrainingArguments(gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": False})'
            if self.facts.get("is_diffusers"):
                return "model.enable_gradient_checkpointing()"
            return 'model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})'
        each = "each of" if self.together == 1 else f"each {self.together} of"
        return f"x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False), around {each} {self.facts.get('where', '')}"


class Group:
    """Modules that run in one checkpoint: the first one's call runs all of them, and the later ones pass on its result."""

    def __init__(self, change: Change, modules: List[torch.nn.Module]) -> None:
        self._change = change
        self._modules = modules
        self._forwards: List[Callable[..., Any]] = [module.forward for module in modules]
        self._is_running = False
        self._expected: List[Tuple[Any, Any, Any]] = []  # for each coming call: a reference to the result, the other inputs
        for index, module in enumerate(modules):
            setattr(module, "forward", types.MethodType(self._forward_of(index), module))

    def _forward_of(self, index: int) -> Callable[..., Any]:
        def forward(_: torch.nn.Module, *inputs: Any, **named: Any) -> Any:
            if self._is_running or not (torch.is_grad_enabled() or self._expected):
                return self._forwards[index](*inputs, **named)
            if index == 0:
                return self._lead(inputs, named)
            return self._hand_on(index, inputs, named)

        return forward

    def _lead(self, inputs: Any, named: Any) -> Any:
        self._change.made += 1

        def run(*inputs: Any) -> Any:
            self._is_running = True
            try:
                output = self._forwards[0](*inputs, **named)
                if len(self._modules) > 1 and not isinstance(output, torch.Tensor):
                    self._change.refuse(f"{self._kind(0)} returns more than one tensor, so one checkpoint around several of them needs more than one line")
                for module in self._modules[1:]:
                    output = module(output, *inputs[1:], **named)
                return output
            finally:
                self._is_running = False

        output = _checkpoint(run, *inputs, use_reentrant=False)
        if len(self._modules) > 1:
            self._expected = [(weakref.ref(output), inputs[1:], named)] * (len(self._modules) - 1)
        return output

    def _hand_on(self, index: int, inputs: Any, named: Any) -> Any:
        reference, others, names = self._expected.pop() if self._expected else (None, (), {})
        if not inputs or reference is None or reference() is not inputs[0] or not _alike((inputs[1:], named), (others, names)):
            self._change.refuse(f"the input of {self._kind(index)} is not only the output of the previous block")
        return inputs[0]

    def _kind(self, index: int) -> str:
        return type(self._modules[index]).__name__


def repeated_rows() -> List[List[List[torch.nn.Module]]]:
    """Rows of blocks. A block is one or several children of a ModuleList or Sequential, and none lies inside a block of another row."""
    kinds = (torch.nn.ModuleList, torch.nn.Sequential)
    containers = [thing for thing in gc.get_objects() if issubclass(type(thing), kinds)]  # not isinstance, which asks proxies
    containers.sort(key=lambda each: -sum(1 for _ in each.modules()))
    rows: List[List[List[torch.nn.Module]]] = []
    within: Set[int] = set()
    for container in containers:
        row = [] if id(container) in within else _row_of(list(container.children()))
        if row and not any(id(part) in within for block in row for part in block):
            rows.append(row)
            within.update(id(each) for block in row for part in block for each in part.modules())
    return rows


def _row_of(children: List[torch.nn.Module]) -> List[List[torch.nn.Module]]:
    """The longest interval of identical blocks; among equally long ones, the one with the smallest block."""
    forms = [tuple(type(part).__name__ for part in child.modules()) for child in children]
    length, period, begin = 0, 1, 0
    for each in range(1, len(children) // 2 + 1):
        start = 0
        for index in range(each, len(children) + 1):
            if index < len(children) and forms[index] == forms[index - each]:
                continue
            whole = (index - start) // each * each
            if whole >= 2 * each and whole > length:
                length, period, begin = whole, each, start
            start = index - each + 1
    if not any(True for child in children[begin : begin + length] for _ in child.parameters()):
        return []
    return [children[at : at + period] for at in range(begin, begin + length, period)]


def _alike(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(_alike(*pair) for pair in zip(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    return one is other or (isinstance(one, (int, float, str)) and one == other)


_SWITCHES = {"gradient_checkpointing_enable", "enable_gradient_checkpointing"}  # of transformers, of diffusers


def _models_with_switch(model: torch.nn.Module) -> List[Any]:
    """Models of transformers and diffusers inside it that support checkpointing, except parts of others."""
    found: List[Any] = []
    for part in model.modules():
        takes = getattr(part, "supports_gradient_checkpointing", getattr(part, "_supports_gradient_checkpointing", False))
        if takes is True and _SWITCHES & set(dir(type(part))) and not any(part in set(each.modules()) for each in found):
            found.append(part)
    return found


def _names_of(model: torch.nn.Module, rows: List[List[List[torch.nn.Module]]]) -> str:
    names = {id(part): name for name, part in model.named_modules()}
    said = []
    for row in rows[:3]:
        first, last = names.get(id(row[0][0])), names.get(id(row[-1][-1]))
        said.append(f"{first} to {last}" if first and last else f"the {len(row)} {type(row[0][0]).__name__}s")
    return ", ".join(said) + (", ..." if len(rows) > 3 else "")
