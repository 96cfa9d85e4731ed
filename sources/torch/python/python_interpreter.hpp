// SPDX-License-Identifier: Apache-2.0
// The Python interpreter of this process, if it has one: functions of its C API, found by name at run time,
// so that nothing here links to a libpython and one build serves Python 3.9 to 3.14.
#pragma once

#include <dlfcn.h>

#include <optional>

namespace strata::torch_source {

// The interpreter's object; opaque here.
struct PyObject;
struct PyThreadState;

struct PythonInterpreter {
  int (*is_initialized)();
  int (*is_finalizing)();
  PyThreadState* (*gil_this_thread_state)();  // needs no lock; null: Python does not know the thread
  int (*gil_ensure)();
  void (*gil_release)(int state);
  PyObject* (*thread_frame)(PyThreadState* thread);  // the innermost; a new reference, as are all below
  PyObject* (*frame_back)(PyObject* frame);
  PyObject* (*frame_code)(PyObject* frame);
  int (*frame_line)(PyObject* frame);
  int (*frame_lasti)(PyObject* frame);                // null before 3.11
  int (*code_line)(PyObject* code, int byte_offset);  // the line of an offset returned by frame_lasti
  PyObject* (*attribute)(PyObject* object, const char* name);
  const char* (*utf8)(PyObject* text);  // null with an error set
  void (*add_reference)(PyObject* object);
  void (*drop_reference)(PyObject* object);
  void (*fetch_error)(PyObject** type, PyObject** value, PyObject** traceback);
  void (*restore_error)(PyObject* type, PyObject* value, PyObject* traceback);
  void (*clear_error)();
};

// [any] Whether the process has `name`; if not, `function` is null.
template <typename Function>
bool find_in_process(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

// [any] Empty if the process has no interpreter, or one that lacks one of these.
std::optional<PythonInterpreter> find_python_interpreter();

// Owns one reference or none; created and destroyed with the interpreter's lock held.
class HeldReference {
 public:
  HeldReference(const PythonInterpreter& python, PyObject* object) : python_(python), object_(object) {}
  ~HeldReference() {
    if (object_ != nullptr) python_.drop_reference(object_);
  }
  HeldReference(const HeldReference&) = delete;
  HeldReference& operator=(const HeldReference&) = delete;

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const PythonInterpreter& python_;
  PyObject* object_;
};

// Holds the interpreter's lock from construction to destruction, and preserves a pending exception. Not taken
// on a thread that Python does not know, nor if the interpreter does not exist or is finalising: it would
// wait for ever.
//
// The interpreter may begin to finalise between the check and the lock. Python then ends this thread, like
// every thread that takes the lock from then on.
class PythonLock {
 public:
  explicit PythonLock(const PythonInterpreter& python);
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

  // The calling thread's state; null: the lock was not taken, and the interpreter must not be called.
  PyThreadState* thread() const { return thread_; }

 private:
  const PythonInterpreter& python_;
  PyThreadState* thread_ = nullptr;
  int state_ = 0;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

}  // namespace strata::torch_source
