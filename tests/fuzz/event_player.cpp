// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/event_player.hpp"

#include <chrono>
#include <map>
#include <sstream>
#include <utility>

#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

// Upper limits of bytes, addresses and nanoseconds: sums over an input stay within 64 bits.
constexpr std::uint64_t kMost = std::uint64_t{1} << 44;
constexpr std::size_t kMostLines = 400;

PluginRequest recording(const std::string& name, const RecordingSink& sink) {
  // The option is an address of this process.
  return {(beside_the_program("runtime/plugins") / (name + ".so")).string(),
          {{"sink", std::to_string(reinterpret_cast<std::uintptr_t>(&sink)), ""}},
          ""};
}

PluginRequest real(const std::string& name) {
  return {(beside_the_program("../lib/strata/plugins") / (name + ".so")).string(), {}, ""};
}

// As STRATA_DEVICE_* has them.
strata_device device_of(std::uint64_t number) {
  return {static_cast<std::uint32_t>(STRATA_DEVICE_CPU + number % 3),
          static_cast<std::int32_t>(number / 3 % 4)};
}

}  // namespace

EventPlayer::EventPlayer(const std::filesystem::path& folder, const std::string& script) {
  SessionOptions options;
  options.directory = folder;
  options.store.spool_bytes = std::uint64_t{64} << 10;
  options.settle_limit = std::chrono::milliseconds(200);
  std::istringstream stream(script);
  for (std::string text; std::getline(stream, text) && lines_.size() < kMostLines;) {
    lines_.push_back(parse(text));
    set(lines_.back(), options);
  }
  for (const char* name : {"allocator_tracer", "cupti_timeline", "warmup_analyzer", "nvtx_markers"}) {
    if (std::filesystem::exists(real(name).name)) options.plugins.push_back(real(name));
  }
  options.plugins.push_back(recording("recording_whole", sink_));
  options.sources.push_back(recording("recording_source", sink_));
  session_ = std::make_unique<Session>(options);
}

EventPlayer::Line EventPlayer::parse(const std::string& text) {
  Line line;
  std::istringstream words(text);
  words >> line.word;
  std::size_t numbers = 0;
  for (std::string word; words >> word;) {
    const bool is_number = word.find_first_not_of("0123456789") == std::string::npos && word.size() < 15;
    if (is_number && numbers < line.numbers.size()) {
      line.numbers[numbers++] = std::stoull(word) % kMost;
    } else {
      line.name = word;
    }
  }
  return line;
}

void EventPlayer::set(const Line& line, SessionOptions& options) {
  if (line.word == "window")
    options.schedule = {.wait = line.numbers[0], .warmup = line.numbers[1], .active = line.numbers[2] + 1};
  if (line.word == "infer") options.infer_loop = true;
}

void EventPlayer::play() {
  Hands hands;
  std::size_t hand = 0;
  for (const Line& line : lines_) {
    if (line.word == "thread") hand = line.numbers[0] % Hands::kCount;
    hands.let(hand, [&] { play(line); });
  }
  session_->end_run(RunEnd::kDone);
  plugins_ = session_->plugins();
  session_.reset();
}

void EventPlayer::play(const Line& line) {
  if (line.word == "run") session_->begin_run();
  if (line.word == "ready") session_->ready();
  if (line.word == "end_run") session_->end_run(static_cast<RunEnd>(line.numbers[0] % 4));
  if (line.word == "step")
    session_->begin_step(line.numbers[0], static_cast<std::uint32_t>(line.numbers[1]), line.numbers[2]);
  if (line.word == "micro") session_->begin_micro_batch(static_cast<std::uint32_t>(line.numbers[0]));
  if (line.word == "end_step") session_->end_step({.optimizer_ran = line.numbers[0] != 0, .loss = 1.5});
  if (line.word == "mark_step") session_->mark_step({.optimizer_ran = true});
  play_range(line);
  emit(line);
}

void EventPlayer::play_range(const Line& line) {
  const auto begun = [&](const auto& ordinals) {
    return line.numbers[0] < ordinals.size() ? ordinals[line.numbers[0]] : line.numbers[0];
  };
  if (line.word == "phase")
    phases_.push_back(session_->begin_phase(static_cast<PhaseKind>(line.numbers[0] % 13), line.name));
  if (line.word == "end_phase") session_->end_phase(static_cast<std::uint32_t>(begun(phases_)));
  if (line.word == "module")
    modules_.push_back(
        session_->begin_module(line.name, "Layer", static_cast<ModuleDirection>(line.numbers[0] % 3)));
  if (line.word == "end_module") session_->end_module(static_cast<std::uint32_t>(begun(modules_)));
  if (line.word == "tensor")
    session_->tensor({.role = static_cast<TensorRole>(1 + line.numbers[0] % 17),
                      .name = line.name,
                      .dtype = "float32",
                      .address = line.numbers[1],
                      .storage_bytes = line.numbers[2],
                      .owner_address = line.numbers[3]});
}

strata_name EventPlayer::interned(const std::string& text) const {
  strata_name name{};
  sink_.emit->intern(sink_.source_host, text.data(), text.size(), &name);
  return name;
}

void EventPlayer::emit(const Line& line) {
  const auto& [first, second, third, fourth] = line.numbers;
  if (line.word == "memory") {
    strata_memory_event event{};
    event.struct_size = sizeof event;
    event.action = static_cast<std::uint32_t>(first % 9);
    event.device = device_of(fourth);
    event.address = second;
    event.bytes = third;
    sink_.emit->memory(sink_.source_host, &event);
  } else if (line.word == "graph") {
    strata_graph_event event{};
    event.struct_size = sizeof event;
    event.action = static_cast<std::uint32_t>(first % 3);
    event.device = {STRATA_DEVICE_CPU, 0};
    event.saved = second;
    event.address = third;
    event.storage_bytes = fourth;
    sink_.emit->graph(sink_.source_host, &event);
  } else if (line.word == "activity") {
    strata_activity_event event{};
    event.struct_size = sizeof event;
    event.kind = static_cast<std::uint32_t>(first % 12);
    event.name = interned(line.name);
    event.device = {STRATA_DEVICE_CUDA, 0};
    event.begin_ns = static_cast<std::int64_t>(second);
    event.end_ns = static_cast<std::int64_t>(third);
    event.correlation = fourth;
    sink_.emit->activity(sink_.source_host, &event);
  } else if (line.word == "op") {
    strata_op_info op{};
    op.struct_size = sizeof op;
    op.kind = static_cast<std::uint32_t>(first % 3);
    op.name = interned(line.name);
    op.autograd_sequence = static_cast<std::int64_t>(second) - 1;
    op.forward_thread = third;
    ops_.push_back(sink_.emit->op_begin(sink_.source_host, &op));
  } else if (line.word == "end_op") {
    sink_.emit->op_end(sink_.source_host, first < ops_.size() ? ops_[first] : first);
  }
}

}  // namespace strata::fuzz
