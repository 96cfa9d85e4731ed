// SPDX-License-Identifier: Apache-2.0
// A session with the tests' own plugins, and the events they received.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strata/runtime/session.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"

namespace strata {

class SessionTest : public testing::Test {
 protected:
  SessionTest() { options_.plugin_path = {STRATA_TEST_PLUGINS}; }

  // A plugin or source that reports to `sink_`.
  PluginRequest recording(const std::string& name) {
    return {name, {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink_)), ""}}, ""};
  }
  void listen(const std::string& name) { options_.plugins.push_back(recording(name)); }

  // With a source; `allocate` and the ops use it.
  void emit_too() { options_.sources.push_back(recording("recording_source")); }

  Session& open() {
    session_ = std::make_unique<Session>(options_);
    return *session_;
  }

  void allocate(std::uint64_t bytes) const {
    strata_memory_event event{};
    event.struct_size = sizeof event;
    event.action = STRATA_MEMORY_ALLOCATE;
    event.device = {STRATA_DEVICE_CPU, 0};
    event.bytes = bytes;
    sink_.emit->memory(sink_.source_host, &event);
  }

  std::uint64_t begin_op(const char* name) const {
    strata_op_info op{};
    op.struct_size = sizeof op;
    op.name = {name, 1, 0};
    op.autograd_sequence = -1;
    return sink_.emit->op_begin(sink_.source_host, &op);
  }
  void end_op(std::uint64_t op) const { sink_.emit->op_end(sink_.source_host, op); }

  using Texts = std::vector<std::string>;

  SessionOptions options_;
  RecordingSink sink_;  // outlives the session, whose plugins write to it
  std::unique_ptr<Session> session_;
};

}  // namespace strata
