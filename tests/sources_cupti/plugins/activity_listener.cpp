// SPDX-License-Identifier: Apache-2.0
// Passes device events to the test through the sink it receives.
#include "strata/plugin.hpp"
#include "tests/sources_cupti/plugins/activity_sink.hpp"

namespace {

constexpr strata_option kOptions[] = {
    {"sink", STRATA_OPTION_INTEGER, 0, "0", "address of the test's ActivitySink", nullptr, 0, 0}};

class ActivityListener {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), LISTENER_FLAGS, LISTENER_ID, "1.0", "Listens to devices", kOptions, 1, 0};

  // The option is an address of this process.
  explicit ActivityListener(const strata::Host& host)
      : sink_(*reinterpret_cast<strata::test::ActivitySink*>(host.integer("sink"))) {}

  void on_activity(const strata_when& when, const strata_activity_event& activity) {
    sink_.write({activity.name.text, activity, when});
  }

 private:
  strata::test::ActivitySink& sink_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(ActivityListener)
