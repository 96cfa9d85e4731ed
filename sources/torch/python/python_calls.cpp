// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/python/python_calls.hpp"

namespace strata::torch_source {

std::optional<PythonCalls> find_python_calls() {
  PythonCalls calls{};
  const bool is_whole =
      find_in_process(calls.run, "PyRun_String") && find_in_process(calls.new_dict, "PyDict_New") &&
      find_in_process(calls.item, "PyDict_GetItemString") &&
      find_in_process(calls.element, "PyTuple_GetItem") &&
      find_in_process(calls.modules, "PyImport_GetModuleDict") &&
      find_in_process(calls.call, "PyObject_CallObject") && find_in_process(calls.build, "Py_BuildValue") &&
      find_in_process(calls.text, "PyObject_Str");
  return is_whole ? std::optional(calls) : std::nullopt;
}

WithoutDynamo::WithoutDynamo(const PythonInterpreter& python, const PythonCalls& calls)
    : python_(python), calls_(calls) {
  PyObject* const torch = calls.item(calls.modules(), "torch");
  if (torch == nullptr) return;
  const HeldReference internals(python, python.attribute(torch, "_C"));
  const HeldReference dynamo(python, internals ? python.attribute(internals.get(), "_dynamo") : nullptr);
  const HeldReference frames(python, dynamo ? python.attribute(dynamo.get(), "eval_frame") : nullptr);
  set_ = frames ? python.attribute(frames.get(), "set_eval_frame") : nullptr;
  const HeldReference none(python, calls.build(""));
  const HeldReference arguments(python, calls.build("(O)", none.get()));
  if (set_ != nullptr) before_ = calls.call(set_, arguments.get());
  python.clear_error();
}

WithoutDynamo::~WithoutDynamo() {
  if (before_ != nullptr) {
    const HeldReference arguments(python_, calls_.build("(O)", before_));
    const HeldReference ours(python_, calls_.call(set_, arguments.get()));
    python_.clear_error();
    python_.drop_reference(before_);
  }
  if (set_ != nullptr) python_.drop_reference(set_);
}

}  // namespace strata::torch_source
