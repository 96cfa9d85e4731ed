// SPDX-License-Identifier: Apache-2.0
// Snapshots of torch.cuda.memory: a file is rejected with a reason, or read and played back. At the end,
// the live blocks and segments must be those that the snapshot lists.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "host/snapshot/history/playback.hpp"
#include "host/snapshot/model/read_snapshot.hpp"
#include "host/snapshot/snapshot_error.hpp"
#include "strata/ext/memory.h"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

class Reader : public snapshot::EventSink {
 public:
  void event(const snapshot::MemoryEvent& event) override {
    if (event.action == STRATA_MEMORY_ALLOCATE) live_[event.address] = event.whole_bytes;
    if (event.action == STRATA_MEMORY_FREE)
      expect(live_.erase(event.address) == 1, "a block is freed after it was allocated");
  }

 private:
  std::map<std::uint64_t, std::uint64_t> live_;
};

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata;
  try {
    const snapshot::Snapshot read = snapshot::read_snapshot(std::as_bytes(std::span(data, size)), "input");
    for (const snapshot::DeviceSnapshot& device : read.devices) {
      snapshot::Playback playback(read, device);
      fuzz::Reader reader;
      playback.begin(reader);
      while (playback.has_next()) playback.next(reader);
      playback.end(reader);
    }
  } catch (const snapshot::SnapshotError& error) {
    fuzz::expect(std::string_view(error.what()).starts_with("input: "), "an error names the file",
                 error.what());
  }
  return 0;
}
