// SPDX-License-Identifier: Apache-2.0
// Running a text of ours in the program's Python interpreter, beside what the program runs there.
#pragma once

#include <optional>

#include "sources/torch/python/python_interpreter.hpp"

namespace strata::torch_source {

constexpr int kPythonFile = 257;  // Py_file_input: a text that is a whole file

// What is called of Python beside what PythonInterpreter has, with the interpreter's lock held. All of the
// stable ABI but for PyRun_String. Each but the borrowed ones returns a new reference, or null with an error.
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

// [any] Nothing where the process has no interpreter, or one that lacks one of these.
std::optional<PythonCalls> find_python_calls();

// Dynamo compiles every frame that runs while one of its programs does. Ours is none of the program's: while
// this lives, frames of this thread run as they are. With the interpreter's lock held.
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
