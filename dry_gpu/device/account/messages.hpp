// SPDX-License-Identifier: Apache-2.0
// This library's messages: on stderr, or to the sink set by the program that chose the profile.
#pragma once

namespace strata::dry_gpu {

using MessageSink = void (*)(const char* message);

// Null: stderr. [any thread]
void send_messages_to(MessageSink sink) noexcept;

// "<subject> <message>".
void say(const char* subject, const char* message) noexcept;

}  // namespace strata::dry_gpu
