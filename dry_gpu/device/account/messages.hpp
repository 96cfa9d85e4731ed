// SPDX-License-Identifier: Apache-2.0
// What this library has to say: on stderr, or where the program that chose the profile wants it.
#pragma once

namespace strata::dry_gpu {

using MessageSink = void (*)(const char* message);

// Null: stderr. [any thread]
void send_messages_to(MessageSink sink) noexcept;

// "<subject> <message>".
void say(const char* subject, const char* message) noexcept;

}  // namespace strata::dry_gpu
