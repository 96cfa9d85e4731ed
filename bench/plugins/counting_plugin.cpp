// SPDX-License-Identifier: Apache-2.0
// Counts its events and does nothing else: the rest is the host's own cost. COUNTING_ID builds several
// plugins from this file.
#include "strata/plugin.hpp"

namespace {

class Counting {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), STRATA_DESCRIPTOR_WHOLE_RUN, COUNTING_ID, "1.0", "Counts", nullptr, 0, 0};

  explicit Counting(const strata::Host&) {}

  void on_memory(const strata_when&, const strata_memory_event& memory) { sum_ += memory.bytes; }
  std::uint64_t begin_phase(const strata_when&, const strata_phase_info&) { return ++sum_; }
  void end_phase(const strata_when&, const strata_phase_info&, std::uint64_t token) { sum_ += token; }
  std::uint64_t begin_op(const strata_when&, const strata_op_info&) { return ++sum_; }
  void end_op(const strata_when&, const strata_op_info&, std::uint64_t token) { sum_ += token; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace

STRATA_EXPORT_PLUGINS(Counting)
