// SPDX-License-Identifier: Apache-2.0
// A session for a Python process, opened with ctypes, that records its CUDA devices. Functions return 0, or
// print an error on stderr.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include "strata/runtime/session.hpp"

namespace {

// Never deleted: a process may exit with its run open.
strata::Session* session = nullptr;

template <typename Call>
int guarded(const Call& call) noexcept try {
  call();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "record_devices: %s\n", error.what());
  return 1;
}

}  // namespace

#define STRATA_TEST_EXPORT extern "C" __attribute__((visibility("default")))

STRATA_TEST_EXPORT int open_run(const char* folder, const char* plugin) {
  return guarded([&] {
    strata::SessionOptions options;
    options.name = "python";
    options.directory = folder;
    options.sources = {{.name = "torch", .options = {}, .place = "here"},
                       {.name = "cupti", .options = {}, .place = "here"}};
    options.plugins = {{.name = plugin, .options = {}, .place = "here"}};
    session = std::make_unique<strata::Session>(options).release();
    session->begin_run();
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
