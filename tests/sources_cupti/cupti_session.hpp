// SPDX-License-Identifier: Apache-2.0
// A session with the source `cupti` over a libcupti controlled by the test, and a plugin that listens.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "strata/runtime/session.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"
#include "tests/runtime/run_folder.hpp"
#include "tests/sources_cupti/fake_cupti.hpp"
#include "tests/sources_cupti/plugins/activity_sink.hpp"

namespace strata::test {

class CuptiSession : public testing::Test {
 protected:
  CuptiSession() : fake_(open_fake()) {
    fake_.reset();
    options_.plugin_path = {STRATA_SOURCES, STRATA_ACTIVITY_PLUGINS, STRATA_TEST_PLUGINS};
    options_.plugins = {listener("activity_listener")};
    options_.sources = {{"emitter", {{"sink", address(&emitter_), ""}}, ""},
                        {"cupti", {{"library", STRATA_FAKE_CUPTI, ""}}, ""}};
    options_.schedule = {.wait = 0, .warmup = 0, .active = 1};
  }
  ~CuptiSession() override {
    session_.reset();
    fake_.reset();
  }

  PluginRequest listener(const std::string& name) { return {name, {{"sink", address(&sink_), ""}}, ""}; }
  void set(const std::string& key, const std::string& value) {
    options_.sources[1].options.push_back({key, value, ""});
  }

  // In its own folder, which the queries below read.
  Session& begin() {
    session_.reset();
    folder_ = std::make_unique<RunFolder>();
    options_.directory = folder_->path();
    session_ = std::make_unique<Session>(options_);
    session_->begin_run();
    return *session_;
  }
  // A run of one step that executes `body`.
  template <typename Body>
  void run(Body&& body) {
    Session& session = begin();
    session.begin_step(0, 1);
    body(session);
    session.end_step({.optimizer_ran = true});
    session.end_run(RunEnd::kDone);
  }

  // The source's status in the manifest.
  PluginStatus source() const {
    for (const PluginStatus& status : session_->plugins()) {
      if (status.id == "cupti") return status;
    }
    return {};
  }
  // Columns of cupti_capture, one text per row. Call after the run.
  std::vector<std::string> captures(const std::string& columns) const {
    return query(store(), "select " + columns + " from cupti_capture");
  }
  std::filesystem::path store() const { return folder_->store(static_cast<std::uint32_t>(getpid())); }
  std::string text(const std::string& column) const {
    const std::vector<std::string> rows = query(
        store(), "select string.text from cupti_capture join string on string.id = cupti_capture." + column);
    return rows.size() == 1 ? rows[0] : "(" + std::to_string(rows.size()) + " rows)";
  }

  std::uint64_t begin_op() const {
    strata_op_info op{};
    op.struct_size = sizeof op;
    op.name = {"aten::mm", 1, 0};
    op.autograd_sequence = -1;
    return emitter_.emit->op_begin(emitter_.source_host, &op);
  }
  void end_op(std::uint64_t op) const { emitter_.emit->op_end(emitter_.source_host, op); }

  FakeCupti& fake_;
  std::unique_ptr<RunFolder> folder_;
  RecordingSink emitter_;
  ActivitySink sink_;  // outlives the session, whose plugin writes to it
  SessionOptions options_;
  std::unique_ptr<Session> session_;

 private:
  static std::string address(const void* object) {
    return std::to_string(reinterpret_cast<std::uintptr_t>(object));
  }
  static FakeCupti& open_fake() {
    void* const library = dlopen(STRATA_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return *reinterpret_cast<FakeCupti* (*)()>(dlsym(library, "fake_cupti"))();
  }
};

}  // namespace strata::test
