// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/options.hpp"

#include <string_view>

namespace strata::cupti {
namespace {

OnBusy read_on_busy(std::string_view text) {
  if (text == "fail") return OnBusy::kFail;
  return text == "wait" ? OnBusy::kWait : OnBusy::kNvtx;
}

}  // namespace

Settings read_settings(const Host& host) {
  return {.on_busy = read_on_busy(host.text("on_busy")),
          .kinds = parse_kinds(host.text("kinds"), std::string_view(host.text("graphs")) == "node"),
          .library = host.text("library"),
          .from_run_begin = std::string_view(host.text("from")) == "run",
          .correlate = host.flag("correlate"),
          .may_share = host.flag("share"),
          .wait_for_devices = host.flag("wait_for_devices"),
          .finalize_on_stop = host.flag("finalize_on_stop"),
          .buffer_bytes = static_cast<std::size_t>(host.integer("buffer_bytes")),
          .most_buffers = static_cast<std::size_t>(host.integer("buffers"))};
}

}  // namespace strata::cupti
