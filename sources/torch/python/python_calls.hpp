// SPDX-License-Identifier: Apache-2.0
// Runs our own code in the program's Python interpreter, alongside the program.
#pragma once

#include <optional>

#include "sources/torch/python/python_interpreter.hpp"

namespace strata::torch_source {

constexpr int kPythonFile = 257;  // Py_file_input: a text that is a whole file

// The Python functions used in addition to those of PythonInterpreter, with the interpreter's lock held. All
// except PyRun_String are in the stable ABI. Each returns a new reference, except those marked borrowed, or
// null with an error.
struct PythonCalls {
  PyObject* (*run)(const char* text, int start, PyObject* globals, PyObject* locals);
  PyObject* (*new_dict)();
  PyObject* (*item)(PyObject* dict, const char* key);  // borrowed; null without an error
  PyObject* (*element)(PyObject* tuple, long index);   // borrowed
  PyObject* (*modules)();                              // borrowed
  PyObject* (*call)(PyObject* callable, PyObject* arguments);
  PyObject* (*build)(const char* format, ...);
  PyObject* (*text)(PyObject* object);
};

// [any] Empty if the process has no interpreter, or one that lacks one of these.
std::optional<PythonCalls> find_python_calls();

// Dynamo compiles every frame that runs inside one of its programs. Our code is not part of the program:
// while this object lives, frames of this thread run uncompiled. With the interpreter's lock held.
class WithoutDynamo {
 public:
  WithoutDynamo(const PythonInterpreter& python, const PythonCalls& calls);
  ~WithoutDynamo();
  WithoutDynamo(const WithoutDynamo&) = delete;
  WithoutDynamo& operator=(const WithoutDynamo&) = delete;

 private:
  const PythonInterpreter& python_;
  const PythonCalls& calls_;
  PyObject* set_ = nullptr;
  PyObject* before_ = nullptr;
};

}  // namespace strata::torch_source
