// SPDX-License-Identifier: Apache-2.0
// A run described by a text, one event per line, played to a session with the real plugins and a store.
//
//   window WAIT WARMUP ACTIVE               first: the schedule
//   infer                                   also first: the loop is inferred, not marked
//   run, ready, end_run REASON
//   step INDEX MICRO_BATCHES, micro INDEX, end_step, mark_step
//   phase KIND NAME, end_phase N            the N-th that began, or the ordinal N where there are not so many
//   phase KIND NAME, end_phase N            the N-th begun, or the ordinal N if there are fewer
//   op KIND NAME, end_op N
//   tensor ROLE ADDRESS BYTES NAME
//   memory ACTION ADDRESS BYTES DEVICE
//   graph ACTION SAVED ADDRESS BYTES
//   activity KIND BEGIN END CORRELATION NAME
//   thread N                                following lines run on that thread
//
// Missing numbers are 0, names are one word. Lines that cannot be parsed are ignored.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "strata/runtime/session.hpp"
#include "tests/fuzz/hands.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"

namespace strata::fuzz {

class EventPlayer {
 public:
  // The run is written into `folder`, which must exist.
  EventPlayer(const std::filesystem::path& folder, const std::string& script);

  // Plays the whole script, and ends the run if the script does not.
  void play();

  // The events of `recording_whole`, which is the last plugin to receive begins.
  std::vector<Heard> heard() const { return sink_.heard(); }
  std::vector<PluginStatus> plugins() const { return plugins_; }

 private:
  struct Line {
    std::string word, name;
    std::array<std::uint64_t, 4> numbers{};
  };

  static Line parse(const std::string& text);
  void set(const Line& line, SessionOptions& options);
  void play(const Line& line);
  void play_range(const Line& line);
  void emit(const Line& line);
  strata_name interned(const std::string& text) const;

  RecordingSink sink_;  // outlives the session, whose plugins write to it
  std::vector<Line> lines_;
  std::unique_ptr<Session> session_;
  std::vector<PluginStatus> plugins_;
  std::vector<std::uint32_t> phases_, modules_;
  std::vector<std::uint64_t> ops_;
};

}  // namespace strata::fuzz
