// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/account/messages.hpp"

#include <atomic>
#include <cstdio>

namespace strata::dry_gpu {
namespace {

std::atomic<MessageSink> the_sink = nullptr;

}  // namespace

void send_messages_to(MessageSink sink) noexcept {
  the_sink = sink;
}

void say(const char* subject, const char* message) noexcept {
  char text[512];
  std::snprintf(text, sizeof text, "%s %s", subject, message);
  if (const MessageSink sink = the_sink) {
    sink(text);
  } else {
    std::fprintf(stderr, "strata dry gpu: %s\n", text);
  }
}

}  // namespace strata::dry_gpu
