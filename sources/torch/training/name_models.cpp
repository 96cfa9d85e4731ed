// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/name_models.hpp"

namespace strata::torch_source {

const char* const kNameModels = R"python(
import gc
import sys
import types
import weakref


def fields(value):
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def known_names():
    """(weak reference, name without its dot) by id of a model: the same in every walk of this process, and in strata_profiler.model_names."""
    place = "_strata_model_names"
    if place not in sys.modules:
        sys.modules[place] = types.ModuleType(place)
    return vars(sys.modules[place]).setdefault("names", {})


def inside(value):
    """The items of a plain container, by what stands behind the container's name."""
    if type(value) in (list, tuple):
        return list(enumerate(value))
    return [(key, item) for key, item in list(value.items()) if type(key) is str and key.isidentifier()] if type(value) is dict else []


def variables_of(models):
    """What the program's main module calls each of the models, by id: their variable, or their place in a list or a mapping."""
    wanted, found = {id(model) for model in models}, {}
    variables = [(key, value) for key, value in list(vars(sys.modules["__main__"]).items()) if not key.startswith("_")]
    for key, value in variables:
        if id(value) in wanted:
            found.setdefault(id(value), key)
    for key, value in variables:
        for place, item in inside(value):
            if id(item) in wanted:
                found.setdefault(id(item), f"{key}.{place}")
    return found


def attributes_of(models):
    """What the objects that hold each of the models call it, by id: the shortest, of those alike the first."""
    wanted, found = {id(model): [] for model in models}, {}
    for holder in gc.get_referrers(*models):
        held = holder if type(holder) is dict else fields(holder)
        for key, value in list(held.items()):
            if id(value) in wanted and type(key) is str and key.isidentifier() and not key.startswith("_"):
                wanted[id(value)].append(key)
    for model, names in wanted.items():
        names = [name for name in names if name not in ("self", "cls")]
        if names:
            found[model] = min(names, key=lambda name: (len(name), name))
    return found


def first_free(kind, taken):
    number = 0
    while (f"{kind}_{number}" if number else kind) in taken:
        number += 1
    return f"{kind}_{number}" if number else kind


def name_models(models, the_model):
    """`the_model`: the one that needs no name, or None."""
    known = known_names()
    for gone in [key for key, (model, _) in list(known.items()) if model() is None]:
        known.pop(gone, None)
    taken = {name for _, name in known.values()}
    new = [model for model in models if id(model) not in known]
    kinds = [type(model) for model in [*new, *(model() for model, _ in known.values())]]
    several = [model for model in new if kinds.count(type(model)) > 1]
    names = variables_of(several)
    unnamed = [model for model in several if id(model) not in names]
    names.update(attributes_of(unnamed) if unnamed else {})
    for model in new:
        name = "" if model is the_model else names.get(id(model), "")
        if name in taken or (not name and model is not the_model):
            name = first_free(type(model).__name__, taken)
        taken.add(name)
        known[id(model)] = (weakref.ref(model), name)
    return {key: name and name + "." for key, (_, name) in known.items()}
)python";

}  // namespace strata::torch_source
