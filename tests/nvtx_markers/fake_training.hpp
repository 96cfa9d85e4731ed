// SPDX-License-Identifier: Apache-2.0
// A trainer that calls one plugin's listeners as a session would.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {

using Options = std::map<std::string, std::string>;

class FakeTraining {
 public:
  explicit FakeTraining(const char* file, Options options = {}) : host_(std::move(options)) {
    host_.load(file);
    host_.begin_run();
    step_ = host_.listener<strata_step_listener>(STRATA_EXT_STEP);
    phase_ = host_.listener<strata_phase_listener>(STRATA_EXT_PHASE);
    module_ = host_.listener<strata_module_listener>(STRATA_EXT_MODULE);
    memory_ = host_.listener<strata_memory_listener>(STRATA_EXT_MEMORY);
  }
  ~FakeTraining() {
    host_.end_run();
    host_.destroy();
  }
  FakeTraining(const FakeTraining&) = delete;
  FakeTraining& operator=(const FakeTraining&) = delete;

  std::uint64_t begin_step(std::uint64_t index, std::uint32_t schedule = STRATA_STEP_ACTIVE) {
    position_.step = index;
    position_.micro_batch = 0;
    const strata_when when = here();
    info_ = {sizeof(info_), schedule, index, 1, 0, STRATA_NO_EPOCH};
    return step_->begin(host_.self(), &when, &info_);
  }
  void end_step(std::uint64_t token, std::uint64_t tokens = 0) {
    const strata_when when = here();
    const strata_step_result result{sizeof(result), 1, 0.5, tokens};
    step_->end(host_.self(), &when, &info_, &result, token);
    position_.step = STRATA_NO_STEP;
  }
  void begin_micro_batch(std::uint32_t index) { position_.micro_batch = index; }

  std::uint64_t begin_phase(const char* name, std::uint32_t kind) {
    const strata_when when = here();
    const strata_phase_info phase{sizeof(phase), kind, named(name), ++position_.phase, 0};
    return phase_->begin(host_.self(), &when, &phase);
  }
  void end_phase(const char* name, std::uint32_t kind, std::uint64_t token) {
    const strata_when when = here();
    const strata_phase_info phase{sizeof(phase), kind, named(name), position_.phase, 0};
    phase_->end(host_.self(), &when, &phase, token);
  }
  void phase(const char* name, std::uint32_t kind) { end_phase(name, kind, begin_phase(name, kind)); }

  std::uint64_t begin_module(const char* path, std::uint32_t direction, std::uint32_t parent = STRATA_NONE) {
    const strata_when when = here();
    const strata_module_info module{sizeof(module), 7, parent, direction, named(path), named("Block")};
    return module_->begin(host_.self(), &when, &module);
  }
  // `owner` is the thread that began it.
  void end_module(std::uint64_t token, std::uint32_t owner = static_cast<std::uint32_t>(gettid())) {
    strata_when when = here();
    when.thread = owner;
    const strata_module_info module{sizeof(module), 7, 0, 0, named("ended"), named("Block")};
    module_->end(host_.self(), &when, &module, token);
  }

  void memory(std::uint32_t action, strata_device device, std::uint64_t address, std::uint64_t bytes,
              std::uint64_t handed_out = 0) {
    const strata_when when = here();
    const strata_memory_event event{sizeof(event), action, device, address, bytes, 0, 0, handed_out, 0};
    memory_->on_memory(host_.self(), &when, &event);
  }

  FakeHost& host() { return host_; }

 private:
  strata_when here() const {
    strata_when when = position_;
    when.thread = static_cast<std::uint32_t>(gettid());
    return when;
  }
  strata_name named(const char* text) {
    const auto id = static_cast<std::uint32_t>(names_.try_emplace(text, names_.size() + 1).first->second);
    return {text, id, 0};
  }

  FakeHost host_;
  std::map<std::string, std::size_t> names_;
  const strata_step_listener* step_ = nullptr;
  const strata_phase_listener* phase_ = nullptr;
  const strata_module_listener* module_ = nullptr;
  const strata_memory_listener* memory_ = nullptr;
  strata_step_info info_{};
  strata_when position_{sizeof(strata_when), 0, 1, 1, STRATA_NO_STEP, 0, 0, STRATA_NONE, STRATA_NONE, 0};
};

}  // namespace strata::test
