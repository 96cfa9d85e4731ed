// SPDX-License-Identifier: Apache-2.0
// A Python program, embedded here and not in a separate file: for other releases of torch this source is
// compiled only from its C++ files, by any available compiler (host/cli/torch_build).
#include "sources/torch/training/find_owners.hpp"

namespace strata::torch_source {

const char* const kFindOwners = R"python(
import gc
import sys

PARAMETER, BUFFER, EMA, GRADIENT, OPTIMIZER_STATE, PROJECTOR, SCALER, INPUT, COPY = 1, 2, 3, 4, 5, 6, 7, 8, 18
MOST_ITEMS = 200_000  # that are looked at in containers, in all
DEEPEST = 4
# Frameworks that have names of their own for what a training is set to, by the module of their Trainer.
TRAINERS = {"transformers.trainer": "transformers", "lightning.pytorch.trainer.trainer": "lightning", "pytorch_lightning.trainer.trainer": "lightning"}


def kinds(torch):
    """A function: what of interest a type is, or None."""
    known = {}
    data = sys.modules.get("torch.utils.data")
    scaler = sys.modules.get("torch.amp.grad_scaler")
    sharded = sys.modules.get("torch.distributed.fsdp._fully_shard._fsdp_param")
    collectives = sys.modules.get("torch.distributed.fsdp._fully_shard._fsdp_collectives")
    wanted = [
        ("module", torch.nn.Module),
        ("optimizer", torch.optim.Optimizer),
        ("dataset", data and data.Dataset),
        ("scaler", scaler and scaler.GradScaler),
        *((name, getattr(sys.modules.get(module), "Trainer", None)) for module, name in TRAINERS.items()),
        ("sharded", sharded and getattr(sharded, "FSDPParam", None)),
        ("gathering", collectives and getattr(collectives, "AllGatherResult", None)),
        ("tensor", torch.Tensor),
    ]

    def kind(of):
        if of not in known:
            known[of] = next((name for name, base in wanted if base and base in of.__mro__), None)
        return known[of]

    return kind


def local_of(tensor):
    """Of a DTensor what this rank has of it."""
    try:
        return object.__getattribute__(tensor, "_local_tensor")
    except AttributeError:
        return tensor


def submodules(module):
    return [child for child in (fields(module).get("_modules") or {}).values() if child is not None]


def walk(module, seen):
    """The module and what it reaches, each once: a module may hold its parent."""
    ahead = [module]
    while ahead:
        part = ahead.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            ahead += submodules(part)


def roots_of(modules):
    """Those that no other reaches, and of those that reach each other the first."""
    seen, starts = set(), []
    for module in modules:
        if id(module) not in seen:
            starts.append(module)
            for _ in walk(module, seen):
                pass
    # No start reaches a later one.
    seen, roots = set(), []
    for module in reversed(starts):
        if id(module) not in seen:
            roots.append(module)
            for _ in walk(module, seen):
                pass
    return roots[::-1]


def holds_tensors(module):
    """A loss has buffers of its own that are None."""
    held = ((fields(part).get(kind) or {}).values() for part in walk(module, set()) for kind in ("_parameters", "_buffers"))
    return any(tensor is not None for tensors in held for tensor in tensors)


def count_modules(module):
    return sum(1 for _ in walk(module, set()))


class Finder:
    def __init__(self, torch):
        self.torch = torch
        self.lines = []
        self.named = set()  # StorageImpl
        self.alive = []  # their tensors, and the owners of these
        self.optimized = []  # tensors
        self.of_model = []  # its parameters and buffers: names and tensors
        self.items = 0
        self.trainer = ""  # whose, of TRAINERS
        self.prefixes = {}  # of models, by id
        self.sharded = {}  # fully_shard's forms of a parameter, by module and key: the module holds one of them at a time

    def is_tensor(self, value):
        return issubclass(type(value), self.torch.Tensor)

    def unregistered_storage(self, tensor, may_be_empty=False):
        """None where there is none, or it has its name."""
        try:
            storage = tensor.untyped_storage()
            is_there = storage.data_ptr() != 0 or may_be_empty
            return storage if is_there and storage._cdata not in self.named else None
        except Exception:  # fake, sparse, or of a class that has none
            return None

    def tell(self, role, name, tensor, owner=None, may_be_empty=False):
        if not self.is_tensor(tensor):
            return
        is_frozen = int(role == PARAMETER and not tensor.requires_grad)
        tensor = local_of(tensor)
        storage = self.unregistered_storage(tensor, may_be_empty)
        if storage is None:
            return
        self.named.add(storage._cdata)
        self.alive.append(tensor)
        if role in (PARAMETER, BUFFER):
            self.of_model.append((name, tensor))
        extents = "x".join(str(int(extent)) for extent in tensor.shape)
        dtype = str(tensor.dtype).removeprefix("torch.")
        of = 0
        if owner is not None:
            owner = local_of(owner)
            of = owner.untyped_storage()._cdata
            self.alive.append(owner)
        name = " ".join(str(name).split()) or "unnamed"
        self.lines.append(f"{role}\t{storage._cdata}\t{of}\t{dtype}\t{extents}\t{is_frozen}\t{name}")

    def leave(self, tensor):
        """It goes by what made it."""
        if self.is_tensor(tensor):
            self.named.add(local_of(tensor).untyped_storage()._cdata)

    def report_held(self, role, name, value, owner=None, depth=0):
        """Of a value, of what a container holds, or of what an object's fields do."""
        self.items += 1
        if self.is_tensor(value):
            self.tell(role, name, value, owner)
        elif depth >= DEEPEST or self.items > MOST_ITEMS:
            return
        elif type(value) in (list, tuple, dict):
            for key, item in list(value.items() if type(value) is dict else enumerate(value)):
                self.report_held(role, f"{name}.{key}" if type(key) in (str, int) else name, item, owner, depth + 1)
        elif value is not None and type(value).__module__ not in ("builtins", "torch") and not callable(value):
            self.report_held(role, name, dict(fields(value)), owner, depth + 1)

    def report_module(self, prefix, module, is_average, seen):
        if id(module) in seen:
            return
        seen.add(id(module))
        prefix = self.prefixes.get(id(module), prefix)  # a model's may lie in what wraps it
        own = fields(module)
        is_average = is_average or type(module).__name__.startswith(("AveragedModel", "ModelEma"))
        for key, parameter in list((own.get("_parameters") or {}).items()):
            self.tell(EMA if is_average else PARAMETER, prefix + key, parameter)
            for form in self.sharded.get((id(module), key), ()):
                self.tell(PARAMETER, prefix + key, form, may_be_empty=True)
            # What a quantized weight is restored with, and gradients that a trainer keeps itself, such as Megatron's main_grad.
            for held, value in list(fields(parameter).items()):
                is_gradient = "grad" in held.split("_")
                self.report_held(GRADIENT if is_gradient else PARAMETER, f"{prefix}{key}.{held}", value, parameter if is_gradient else None, 1)
        for key, buffer in list((own.get("_buffers") or {}).items()):
            self.tell(EMA if is_average else BUFFER, prefix + key, buffer)
        for key, child in list((own.get("_modules") or {}).items()):
            if child is not None:
                # torch.compile wraps a model under this name, which is none of the program's.
                self.report_module(prefix if key == "_orig_mod" else f"{prefix}{key}.", child, is_average, seen)

    def find_sharded(self, parameters):
        for parameter in map(fields, parameters):
            place = fields(parameter.get("_module_info"))
            forms = [parameter.get("sharded_param"), parameter.get("_unsharded_param")]
            self.sharded[id(place.get("module")), place.get("param_name")] = forms

    def report_state(self, optimizer):
        for parameter, state in list((fields(optimizer).get("state") or {}).items()):
            if not self.is_tensor(parameter) or not isinstance(state, dict):
                continue
            for key, value in list(state.items()):
                role = PROJECTOR if "projector" in str(key) or "ortho" in str(key) else OPTIMIZER_STATE
                if value is not parameter:
                    self.report_held(role, str(key), value, parameter)

    def report_parameters(self, optimizer):
        for group, settings in enumerate(fields(optimizer).get("param_groups") or []):
            for index, parameter in enumerate(settings.get("params") or []):
                self.tell(PARAMETER, f"param_groups.{group}.{index}", parameter)
                if self.is_tensor(parameter):
                    self.optimized.append(parameter)

    def find(self, is_first):
        kind = kinds(self.torch)
        found = {"module": [], "optimizer": [], "dataset": [], "scaler": [], "sharded": [], "gathering": [], "tensor": []}
        found.update((name, []) for name in TRAINERS.values())
        for candidate in gc.get_objects():
            of = kind(type(candidate))
            if of is not None:
                found[of].append(candidate)
        roots = [module for module in roots_of(found["module"]) if holds_tensors(module)]
        self.find_sharded(found["sharded"])
        # Before the modules: what Dynamo compiles an optimizer's step to is one, with the state as its buffers.
        for optimizer in found["optimizer"]:
            self.report_state(optimizer)
        seen = set()
        # The largest first: where another holds the same parameter, its name there is the better one. What Dynamo
        # made of the program's modules comes last, and makes no model of theirs one of several.
        is_model = {id(root): type(root).__name__ != "GraphModule" for root in roots}
        roots.sort(key=lambda root: (is_model[id(root)], count_modules(root)), reverse=True)
        is_the_model = len(roots) == 1 or sum(is_model.values()) == 1
        self.prefixes = name_models([root for root in roots if is_model[id(root)]] or roots, roots[0] if is_the_model else None)
        for root in roots:
            self.report_module(f"{type(root).__name__}.", root, False, seen)
        for optimizer in found["optimizer"]:
            self.report_parameters(optimizer)
        for scaler in found["scaler"]:
            for key in ("_scale", "_growth_tracker"):
                self.report_held(SCALER, key.lstrip("_"), fields(scaler).get(key))
        for dataset in found["dataset"]:
            self.report_held(INPUT, type(dataset).__name__, dict(fields(dataset)))
        for gathering in found["gathering"]:
            self.leave(tuple.__getitem__(gathering, 0))
        for parameter in found["sharded"]:
            for whole in fields(parameter).get("all_gather_outputs") or []:
                self.leave(whole)
        self.trainer = next((name for name in TRAINERS.values() if found[name]), "")
        if is_first:
            self.report_the_rest(found["tensor"])
        return "\n".join(self.lines)

    def report_the_rest(self, tensors):
        """Plain tensors that are there before the first forward: data, masks, schedules, a checkpoint, a moving average that is kept by hand."""
        names = {id(value): key for key, value in list(vars(sys.modules["__main__"]).items()) if self.is_tensor(value)}
        plain = [tensor for tensor in tensors if not tensor.requires_grad and tensor.grad_fn is None]
        plain.sort(key=lambda tensor: id(tensor) not in names)  # before the views of them
        copies = self.copies_of_model([tensor for tensor in plain if id(tensor) not in names])
        for tensor in plain:
            copied = copies.get(id(tensor))
            if copied is None:
                self.tell(INPUT, names.get(id(tensor), "tensor"), tensor)
            else:
                self.tell(COPY, f"copy.{copied}", tensor)  # an average once an operator averages into it

    def copies_of_model(self, tensors):
        """Names by id, where there are copies of nine tenths of the model or more, as of a checkpoint or a moving average; else none."""
        waiting = {}  # names, by shape
        for name, tensor in self.of_model:
            waiting.setdefault(tuple(tensor.shape), []).append(name)
        last = {shape: names[-1] for shape, names in waiting.items()}
        copies, covered = {}, 0
        for tensor in tensors:
            if self.unregistered_storage(local_of(tensor)) is None or not tensor.is_floating_point():
                continue
            shape = tuple(tensor.shape)
            if waiting.get(shape):
                covered += tensor.numel()
                copies[id(tensor)] = waiting[shape].pop(0)
            elif shape in last and len(shape) > 1:  # of a second average, or of a weight with two names
                copies[id(tensor)] = last[shape]
        whole = sum(tensor.numel() for _, tensor in self.of_model)
        return copies if 0 < whole and covered >= 0.9 * whole else {}


def rank_of_process():
    """From torch.distributed, as text; empty where it has no process group."""
    distributed = sys.modules.get("torch.distributed")
    try:
        return str(distributed.get_rank()) if distributed and distributed.is_initialized() else ""
    except Exception:  # a torch without it
        return ""


def find_owners(is_first):
    """The lines, whose trainer it is, what optimizers train, the process's rank, and what holds all these tensors: another thread may let go of them."""
    torch = sys.modules["torch"]
    finder = Finder(torch)
    with torch._C.DisableTorchFunctionSubclass():
        lines = finder.find(is_first)
        optimized = "\n".join(str(parameter._cdata) for parameter in finder.optimized)
        return lines, finder.trainer, optimized, rank_of_process(), [*finder.alive, *finder.optimized]
)python";

}  // namespace strata::torch_source
