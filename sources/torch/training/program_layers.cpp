// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/program_layers.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "sources/torch/python/python_calls.hpp"

namespace strata::torch_source {
namespace {

namespace fs = std::filesystem;

// The folder that contains the package, next to or above the library that opened the session, in a build
// tree, an installation and a wheel; empty if it is missing. This library may have been built locally, in
// another place.
fs::path folder_of_package() {
  const char* opener = secure_getenv("STRATA_ATTACH");
  Dl_info here{};
  if (opener == nullptr && dladdr(reinterpret_cast<void*>(&folder_of_package), &here) != 0)
    opener = here.dli_fname;
  if (opener == nullptr) return {};
  const fs::path module = "strata_profiler/program_layers.py";
  std::error_code ignored;
  for (fs::path folder = fs::absolute(opener, ignored).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "python" / module, ignored)) return folder / "python";
    if (fs::exists(folder / module, ignored)) return folder;
  }
  return {};
}

// Under its own name, because the program may later import it from another place. Errors are caught here.
constexpr const char* kWalkText = R"(
import sys
try:
    package = sys.modules.get("strata_profiler")
    if package is None:
        import importlib.util, os
        place = os.path.join(folder, "strata_profiler")
        spec = importlib.util.spec_from_file_location(
            "_strata_of_exec", os.path.join(place, "__init__.py"), submodule_search_locations=[place])
        package = sys.modules["_strata_of_exec"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    import importlib
    importlib.import_module(package.__name__ + ".program_layers").report_layers()
except Exception as error:
    if "STRATA_VERBOSE" in __import__("os").environ:
        sys.stderr.write(f"strata: the program's layers are not recorded: {type(error).__name__}: {error}\n")
)";

std::string python_literal(const std::string& text) {
  std::string literal = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') literal += '\\';
    literal += letter;
  }
  return literal + "'";
}

// Whether a step has begun since the last walk.
std::atomic<bool> wanted{false};

const std::optional<PythonInterpreter>& interpreter() {
  static const std::optional<PythonInterpreter> python = find_python_interpreter();
  return python;
}

// [a thread that holds Python's lock]
void walk_program() {
  static const std::optional<PythonCalls> calls = find_python_calls();
  if (!interpreter() || !calls || !wanted.exchange(false)) return;
  const PythonInterpreter& python = *interpreter();
  const WithoutDynamo frames_as_they_are(python, *calls);
  const std::string text = "folder = " + python_literal(folder_of_package().string()) + kWalkText;
  const HeldReference globals(python, calls->new_dict());
  const HeldReference ended(
      python, globals ? calls->run(text.c_str(), kPythonFile, globals.get(), globals.get()) : nullptr);
  python.clear_error();
}

// [Python's main thread]
int walk_later(void*) {
  walk_program();
  return 0;
}

}  // namespace

void ProgramLayers::begin_step() {
  if (std::exchange(asked_, true)) return;
  int (*add_pending_call)(int (*call)(void*), void* argument) = nullptr;
  if (!find_in_process(add_pending_call, "Py_AddPendingCall") || folder_of_package().empty()) return;
  wanted = true;
  add_pending_call(&walk_later, nullptr);
}

void report_program_layers() {
  if (!wanted.load(std::memory_order_relaxed) || !interpreter()) return;
  const PythonLock lock(*interpreter());
  if (lock.thread() != nullptr) walk_program();
}

}  // namespace strata::torch_source
