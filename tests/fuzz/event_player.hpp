// SPDX-License-Identifier: Apache-2.0
// A run that a text tells of, one event a line, played to a session with the real plugins and a store.
//
//   window WAIT WARMUP ACTIVE               before all others: the schedule
//   infer                                   the same: the loop is concluded, not marked
//   run, ready, end_run REASON
//   step INDEX MICRO_BATCHES, micro INDEX, end_step, mark_step
//   phase KIND NAME, end_phase N            the N-th that began, or the ordinal N where there are not so many
//   module DIRECTION PATH, end_module N
//   op KIND NAME, end_op N
//   tensor ROLE ADDRESS BYTES NAME
//   memory ACTION ADDRESS BYTES DEVICE
//   graph ACTION SAVED ADDRESS BYTES
//   activity KIND BEGIN END CORRELATION NAME
//   thread N                                what follows is done by that thread
//
// Numbers that are missing are 0, names are one word. What cannot be read is passed over.
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
  // The run is written into `folder`, which exists.
  EventPlayer(const std::filesystem::path& folder, const std::string& script);

  // Plays all of it, and ends the run where the script does not.
  void play();

  // What `recording_whole` heard, which was the last to be told of begins.
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
