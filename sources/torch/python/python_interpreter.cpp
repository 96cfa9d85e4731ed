// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/python/python_interpreter.hpp"

namespace strata::torch_source {
std::optional<PythonInterpreter> find_python_interpreter() {
  PythonInterpreter python{};
  const bool is_whole = find_in_process(python.is_initialized, "Py_IsInitialized") &&
                        (find_in_process(python.is_finalizing, "Py_IsFinalizing") ||
                         find_in_process(python.is_finalizing, "_Py_IsFinalizing")) &&
                        find_in_process(python.gil_this_thread_state, "PyGILState_GetThisThreadState") &&
                        find_in_process(python.gil_ensure, "PyGILState_Ensure") &&
                        find_in_process(python.gil_release, "PyGILState_Release") &&
                        find_in_process(python.thread_frame, "PyThreadState_GetFrame") &&
                        find_in_process(python.frame_back, "PyFrame_GetBack") &&
                        find_in_process(python.frame_code, "PyFrame_GetCode") &&
                        find_in_process(python.frame_line, "PyFrame_GetLineNumber") &&
                        find_in_process(python.code_line, "PyCode_Addr2Line") &&
                        find_in_process(python.attribute, "PyObject_GetAttrString") &&
                        find_in_process(python.utf8, "PyUnicode_AsUTF8") &&
                        find_in_process(python.add_reference, "Py_IncRef") &&
                        find_in_process(python.drop_reference, "Py_DecRef") &&
                        find_in_process(python.fetch_error, "PyErr_Fetch") &&
                        find_in_process(python.restore_error, "PyErr_Restore") &&
                        find_in_process(python.clear_error, "PyErr_Clear");
  if (!is_whole) return std::nullopt;
  find_in_process(python.frame_lasti, "PyFrame_GetLasti");
  return python;
}

PythonLock::PythonLock(const PythonInterpreter& python) : python_(python) {
  if (python.is_initialized() == 0 || python.is_finalizing() != 0) return;
  PyThreadState* const thread = python.gil_this_thread_state();
  if (thread == nullptr) return;
  state_ = python.gil_ensure();
  thread_ = thread;
  python.fetch_error(&type_, &value_, &traceback_);
}

PythonLock::~PythonLock() {
  if (thread_ == nullptr) return;
  python_.restore_error(type_, value_, traceback_);
  python_.gil_release(state_);
}

}  // namespace strata::torch_source
