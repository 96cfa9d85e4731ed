// SPDX-License-Identifier: Apache-2.0
// A session for a Python process, opened with ctypes, and operations that Python cannot do itself. Functions
// return 0, or print an error on stderr.
#include <ATen/ops/empty.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "strata/runtime/session.hpp"

namespace strata::test {
namespace {

// Never deleted: a process may exit with its run open.
Session* session = nullptr;

template <typename Call>
int guarded(const Call& call) noexcept try {
  call();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "record_python: %s\n", error.what());
  return 1;
}

at::Tensor block(std::int64_t bytes) {
  return at::empty({bytes}, at::TensorOptions().dtype(at::kByte));
}

}  // namespace
}  // namespace strata::test

#define STRATA_TEST_EXPORT extern "C" __attribute__((visibility("default")))

using strata::test::guarded;
using strata::test::session;

STRATA_TEST_EXPORT int open_run(const char* folder, const char* python_stacks) {
  return guarded([&] {
    strata::SessionOptions options;
    options.name = "python";
    options.directory = folder;
    options.sources = {{.name = "torch",
                        .options = {{.key = "python_stacks", .text = python_stacks, .place = "here"}},
                        .place = "here"}};
    options.plugins = {{.name = "allocator_tracer",
                        .options = {{.key = "stacks_above_mib", .text = "0", .place = "here"}},
                        .place = "here"}};
    options.strict = true;
    session = std::make_unique<strata::Session>(options).release();
    session->begin_run();
    session->ready();
  });
}

// With times and shapes, without memory.
STRATA_TEST_EXPORT int open_timed_run(const char* folder) {
  return guarded([&] {
    strata::SessionOptions options;
    options.name = "python";
    options.directory = folder;
    options.sources = {
        {.name = "torch", .options = {{.key = "shapes", .text = "true", .place = "here"}}, .place = "here"}};
    options.plugins = {{.name = "cupti_timeline", .options = {}, .place = "here"}};
    options.strict = true;
    session = std::make_unique<strata::Session>(options).release();
    session->begin_run();
    session->ready();
  });
}

STRATA_TEST_EXPORT int begin_step(std::uint64_t index) {
  return guarded([&] { session->begin_step(index, 1); });
}

STRATA_TEST_EXPORT int end_step() {
  return guarded([] { session->end_step({.optimizer_ran = true, .loss = 1.0, .tokens = 1}); });
}

STRATA_TEST_EXPORT int close_run() {
  return guarded([] { session->end_run(strata::RunEnd::kDone); });
}

// On a thread without Python state.
STRATA_TEST_EXPORT int allocate_on_a_thread(std::int64_t bytes) {
  return guarded([&] { std::thread([&] { (void)strata::test::block(bytes); }).join(); });
}

// For ctypes.PyDLL, which keeps Python's lock and raises the pending exception after the call: a ValueError
// with that text, unless the allocation cleared it.
STRATA_TEST_EXPORT int allocate_with_a_pending_error(const char* text, std::int64_t bytes) {
  return guarded([&] {
    const auto set_error =
        reinterpret_cast<void (*)(void*, const char*)>(dlsym(RTLD_DEFAULT, "PyErr_SetString"));
    const auto value_error = static_cast<void**>(dlsym(RTLD_DEFAULT, "PyExc_ValueError"));
    if (set_error == nullptr || value_error == nullptr) throw std::runtime_error("there is no Python");
    set_error(*value_error, text);
    (void)strata::test::block(bytes);
  });
}
