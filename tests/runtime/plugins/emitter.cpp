// SPDX-License-Identifier: Apache-2.0
// A source that gives its test the emit service, and emits a held activity when it is flushed.
#include "strata/plugin.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"

namespace {

constexpr strata_option kOptions[] = {
    {"sink", STRATA_OPTION_INTEGER, 0, "0", "address of the test's RecordingSink", nullptr, 0, 0}};

class Emitter {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), STRATA_DESCRIPTOR_SOURCE, "emitter", "1.0", "Emits", kOptions, 1, 0};

  explicit Emitter(const strata::Host& host) {
    // The option is an address of this process.
    auto& sink = *reinterpret_cast<strata::RecordingSink*>(host.integer("sink"));
    sink.source_host = host.abi();
    sink.emit = host.service<strata_emit_service>(STRATA_EXT_EMIT);
    sink.interest_in_window = sink.emit->interest_in_window(host.abi());
    sink_ = &sink;
  }

  void flush(std::uint32_t, std::int64_t) {
    if (!sink_->holds_activity) return;
    strata_activity_event held{};
    held.struct_size = sizeof held;
    held.name = {"held", 1, 0};
    sink_->emit->activity(sink_->source_host, &held);
  }

 private:
  strata::RecordingSink* sink_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(Emitter)
