// SPDX-License-Identifier: Apache-2.0
// The binary layout of everything that crosses the ABI, compared with layout.txt. A change here breaks
// plugins that are already built: fields may only be appended, and layout.txt may only gain lines
// (plugin_api/conventions/extension-id.md).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "strata/entry.h"
#include "strata/ext/activity.h"
#include "strata/ext/artifact.h"
#include "strata/ext/clock.h"
#include "strata/ext/emit.h"
#include "strata/ext/flush.h"
#include "strata/ext/graph.h"
#include "strata/ext/log.h"
#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"
#include "strata/ext/store.h"
#include "strata/ext/tensor.h"
#include "strata/ext/thread-check.h"
#include "strata/ext/training.h"
#include "strata/ext/window.h"
#include "strata/trainer.h"

namespace {

static_assert(sizeof(void*) == 8 && sizeof(long) == 8, "layout.txt is of LP64 machines");

class Layout {
 public:
  void begin(const char* name, std::size_t bytes) {
    text_ << name << ' ' << bytes << '\n';
    structs_.insert(name);
  }
  void field(const char* name, std::size_t offset, std::size_t bytes) {
    text_ << "  " << name << " at " << offset << ", " << bytes << '\n';
  }

  std::string text() const { return text_.str(); }
  const std::set<std::string>& structs() const { return structs_; }

 private:
  std::ostringstream text_;
  std::set<std::string> structs_;
};

#define STRUCT(name)     \
  {                      \
    using Struct = name; \
    layout.begin(#name, sizeof(Struct));
// NOLINTNEXTLINE(bugprone-sizeof-expression): of fields that are pointers too
#define FIELD(name) layout.field(#name, offsetof(Struct, name), sizeof(Struct::name));
#define END }

// clang-format does not see that END closes what STRUCT opens.
// clang-format off
Layout layout_of_everything() {
  Layout layout;

  STRUCT(strata_name) FIELD(text) FIELD(id) FIELD(reserved) END
  STRUCT(strata_device) FIELD(type) FIELD(index) END
  STRUCT(strata_when) FIELD(struct_size) FIELD(thread) FIELD(sequence) FIELD(monotonic_ns) FIELD(step)
      FIELD(micro_batch) FIELD(phase) FIELD(op) FIELD(module) FIELD(reserved) END
  STRUCT(strata_option) FIELD(key) FIELD(type) FIELD(reserved) FIELD(default_text) FIELD(help) FIELD(choices)
      FIELD(minimum) FIELD(maximum) END
  STRUCT(strata_descriptor) FIELD(struct_size) FIELD(flags) FIELD(id) FIELD(version) FIELD(summary)
      FIELD(options) FIELD(option_count) FIELD(reserved) END
  STRUCT(strata_entry) FIELD(struct_size) FIELD(abi_major) FIELD(abi_minor) FIELD(init) FIELD(deinit)
      FIELD(count) FIELD(descriptor) FIELD(create) END
  STRUCT(strata_host) FIELD(struct_size) FIELD(abi_major) FIELD(abi_minor) FIELD(self) FIELD(version)
      FIELD(service) FIELD(option_flag) FIELD(option_integer) FIELD(option_real) FIELD(option_text) END
  STRUCT(strata_plugin) FIELD(struct_size) FIELD(reserved) FIELD(self) FIELD(listener) FIELD(destroy) END
  STRUCT(strata_activity_event) FIELD(struct_size) FIELD(kind) FIELD(name) FIELD(device) FIELD(stream)
      FIELD(correlation) FIELD(op) FIELD(begin_ns) FIELD(end_ns) FIELD(bytes) FIELD(modelled) FIELD(detail)
      FIELD(phase) FIELD(module) FIELD(thread) FIELD(context) FIELD(graph) FIELD(graph_node) FIELD(address)
      FIELD(grid) FIELD(block) FIELD(registers) FIELD(static_shared_bytes) FIELD(dynamic_shared_bytes)
      FIELD(reserved) END
  STRUCT(strata_activity_listener) FIELD(struct_size) FIELD(reserved) FIELD(on_activity) END
  STRUCT(strata_artifact_service) FIELD(struct_size) FIELD(reserved) FIELD(open) FIELD(write) FIELD(commit)
      FIELD(discard) END
  STRUCT(strata_clock_service) FIELD(struct_size) FIELD(reserved) FIELD(monotonic_ns) FIELD(to_realtime_ns)
      END
  STRUCT(strata_emit_service) FIELD(struct_size) FIELD(reserved) FIELD(interest) FIELD(intern) FIELD(memory)
      FIELD(op_begin) FIELD(op_end) FIELD(graph) FIELD(tensor) FIELD(activity) FIELD(interest_in_window) END
  STRUCT(strata_flush_listener) FIELD(struct_size) FIELD(reserved) FIELD(flush) END
  STRUCT(strata_graph_event) FIELD(struct_size) FIELD(action) FIELD(device) FIELD(saved) FIELD(address)
      FIELD(storage_bytes) END
  STRUCT(strata_graph_listener) FIELD(struct_size) FIELD(reserved) FIELD(on_graph) END
  STRUCT(strata_log_service) FIELD(struct_size) FIELD(reserved) FIELD(write) END
  STRUCT(strata_memory_event) FIELD(struct_size) FIELD(action) FIELD(device) FIELD(address) FIELD(bytes)
      FIELD(stream) FIELD(pool) FIELD(device_handed_out_bytes) FIELD(device_free_bytes) END
  STRUCT(strata_memory_listener) FIELD(struct_size) FIELD(reserved) FIELD(on_memory) END
  STRUCT(strata_module_info) FIELD(struct_size) FIELD(ordinal) FIELD(parent) FIELD(direction) FIELD(path)
      FIELD(type) END
  STRUCT(strata_module_listener) FIELD(struct_size) FIELD(reserved) FIELD(begin) FIELD(end) END
  STRUCT(strata_op_info) FIELD(struct_size) FIELD(kind) FIELD(name) FIELD(ordinal) FIELD(parent)
      FIELD(autograd_sequence) FIELD(forward_thread)
      FIELD(products) FIELD(product_batch) FIELD(product_m) FIELD(product_n) FIELD(product_k)
      FIELD(product_element_bytes) FIELD(product_bytes) END
  STRUCT(strata_op_listener) FIELD(struct_size) FIELD(reserved) FIELD(begin) FIELD(end) END
  STRUCT(strata_phase_info) FIELD(struct_size) FIELD(kind) FIELD(name) FIELD(ordinal) FIELD(inferred) END
  STRUCT(strata_phase_listener) FIELD(struct_size) FIELD(reserved) FIELD(begin) FIELD(end) END
  STRUCT(strata_run_info) FIELD(struct_size) FIELD(rank) FIELD(world_size) FIELD(pid) FIELD(name)
      FIELD(directory) END
  STRUCT(strata_run_listener) FIELD(struct_size) FIELD(reserved) FIELD(begin) FIELD(ready) FIELD(end) END
  STRUCT(strata_step_info) FIELD(struct_size) FIELD(schedule) FIELD(index) FIELD(micro_batches)
      FIELD(reserved) FIELD(epoch) END
  STRUCT(strata_step_result) FIELD(struct_size) FIELD(optimizer_ran) FIELD(loss) FIELD(tokens) END
  STRUCT(strata_step_listener) FIELD(struct_size) FIELD(reserved) FIELD(begin) FIELD(end) END
  STRUCT(strata_column) FIELD(name) FIELD(type) FIELD(offset) FIELD(unit) FIELD(help) END
  STRUCT(strata_table) FIELD(struct_size) FIELD(row_bytes) FIELD(name) FIELD(help) FIELD(columns)
      FIELD(column_count) FIELD(thin) END
  STRUCT(strata_store_service) FIELD(struct_size) FIELD(reserved) FIELD(declare) FIELD(append) FIELD(intern)
      END
  STRUCT(strata_tensor_event) FIELD(struct_size) FIELD(role) FIELD(name) FIELD(dtype) FIELD(device)
      FIELD(address) FIELD(storage_bytes) FIELD(owner_address) FIELD(sizes) FIELD(dimensions) FIELD(is_frozen)
      END
  STRUCT(strata_tensor_listener) FIELD(struct_size) FIELD(reserved) FIELD(on_tensor) END
  STRUCT(strata_thread_check_service) FIELD(struct_size) FIELD(reserved) FIELD(is_loop_thread)
      FIELD(is_under_allocator) END
  STRUCT(strata_window_service) FIELD(struct_size) FIELD(reserved) FIELD(active) FIELD(first_step)
      FIELD(last_step) END
  STRUCT(strata_training_service) FIELD(struct_size) FIELD(reserved) FIELD(tell) END
  STRUCT(strata_owned_storage) FIELD(struct_size) FIELD(role) FIELD(name) FIELD(dtype) FIELD(device)
      FIELD(address) FIELD(storage_bytes) FIELD(owner_address) FIELD(sizes) FIELD(dimensions) FIELD(is_frozen)
      END
  STRUCT(strata_trainer_calls) FIELD(struct_size) FIELD(abi_major) FIELD(abi_minor) FIELD(step_begin)
      FIELD(step_end) FIELD(step_result) FIELD(micro_batch) FIELD(phase_begin) FIELD(phase_end)
      FIELD(module_begin) FIELD(module_end) FIELD(wants_tensors) FIELD(tensor) FIELD(watch_optimizer)
      FIELD(forget_optimizer) END
  STRUCT(strata_mark) FIELD(calls) FIELD(ordinal) FIELD(reserved) END

      return layout;
}
// clang-format on

#undef STRUCT
#undef FIELD
#undef END

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Layout, IsTheRecordedOne) {
  EXPECT_EQ(layout_of_everything().text(), contents(STRATA_LAYOUT_FILE));
}

TEST(Layout, CoversEveryStructOfTheHeaders) {
  std::set<std::string> declared;
  const std::regex pattern(R"(typedef struct (\w+) \{)");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STRATA_API_HEADERS)) {
    const std::string text = entry.is_regular_file() ? contents(entry.path()) : std::string();
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
      declared.insert((*match)[1]);
    }
  }
  EXPECT_EQ(layout_of_everything().structs(), declared);
}

// Fields have no gaps between them and none at the end: no struct depends on the compiler's padding, and no
// field is missing from the list above.
TEST(Layout, HasNoHiddenPadding) {
  std::istringstream lines(layout_of_everything().text());
  std::string name;
  std::size_t bytes = 0;
  std::size_t end = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t offset = 0;
    std::size_t size = 0;
    char field[64];
    if (std::sscanf(line.c_str(), "  %63s at %zu, %zu", field, &offset, &size) == 3) {
      EXPECT_EQ(offset, end) << name << '.' << field;
      end = offset + size;
      continue;
    }
    EXPECT_EQ(end, bytes) << name;
    char struct_name[64];
    ASSERT_EQ(std::sscanf(line.c_str(), "%63s %zu", struct_name, &bytes), 2) << line;
    name = struct_name;
    end = 0;
  }
  EXPECT_EQ(end, bytes) << name;
}

}  // namespace
