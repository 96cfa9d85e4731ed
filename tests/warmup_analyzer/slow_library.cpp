// SPDX-License-Identifier: Apache-2.0
// A library whose initialisation sleeps for 120 ms, like one that waits for a disk.
#include <chrono>
#include <thread>

namespace {

[[maybe_unused]] const bool kInitialised = [] {
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  return true;
}();

}  // namespace
