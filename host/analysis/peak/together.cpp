// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/together.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "host/analysis/peak/room_needed.hpp"

namespace strata::analysis {
namespace {

// Of a run that was cut short nobody knows what 16 bits gain, nor what an evaluation would have gathered.
bool is_told_of_what_ran_out(Saving saving) {
  return saving != Saving::kHalfPrecision && saving != Saving::kHalfEvaluation;
}

// What is computed is the same, but for rounding: not in 16 bits nor 8.
bool trains_as_before(const SavingSet& set) {
  return std::ranges::none_of(set, [](Saving saving) {
    return saving == Saving::kHalfPrecision || saving == Saving::kEightBitMoments ||
           saving == Saving::kFrozenIn16Bits;
  });
}

class TogetherFinder {
 public:
  TogetherFinder(const Facts& facts, const std::vector<AskedAbout>& asked, const Lack& lack)
      : facts_(facts), asked_(asked), lack_(lack) {
    if (went_on()) of_no_block_.emplace(facts);
    for (const AskedAbout& each : asked) saved_.at(static_cast<std::size_t>(each.saving)) = each.bytes;
  }

  std::optional<EnoughTogether> find(std::size_t count) const {
    const std::vector<SavingSet> sets = sets_of(count);
    std::vector<Left> left;
    if (of_no_block_) left = highest_left(facts_, *of_no_block_, sets);
    std::optional<EnoughTogether> best;
    bool is_best_as_before = false;
    for (std::size_t index = 0; index < sets.size(); ++index) {
      EnoughTogether found{
          .set = sets[index], .bytes = bytes_together(sets[index], lack_.savings, saved_), .left = {}};
      if (went_on()) {
        found.left = left[index];
        found.bytes = lack_.peak_bytes - std::min(left[index].bytes, lack_.peak_bytes);
      }
      const std::uint64_t missing = missing_with(found.set);
      if (found.bytes < missing) continue;
      const bool is_as_before = trains_as_before(found.set) && found.bytes >= missing + missing / 20;
      if (best && std::pair(is_as_before, found.bytes) <= std::pair(is_best_as_before, best->bytes)) continue;
      best = std::move(found);
      is_best_as_before = is_as_before;
    }
    return best;
  }

 private:
  bool went_on() const { return lack_.peak_bytes > 0; }

  std::vector<SavingSet> sets_of(std::size_t count) const {
    std::vector<SavingSet> sets{{}};
    for (const AskedAbout& each : asked_) {
      if (!went_on() && (each.bytes == 0 || !is_told_of_what_ran_out(each.saving))) continue;
      for (std::size_t index = sets.size(); index-- > 0;) {
        SavingSet more = sets[index];
        more.push_back(each.saving);
        if (more.size() <= count && are_of_different_memory(more)) sets.push_back(std::move(more));
      }
    }
    std::erase_if(sets, [&](const SavingSet& set) { return set.size() != count; });
    return sets;
  }

  std::uint64_t missing_with(const SavingSet& set) const {
    std::uint64_t missing = lack_.missing_bytes;
    SavingSet of_blocks;
    for (const Saving saving : set) {
      const std::uint64_t alone = std::ranges::find(asked_, saving, &AskedAbout::saving)->missing_bytes;
      missing -= std::min(missing, lack_.missing_bytes - std::min(alone, lack_.missing_bytes));
      if (saving == Saving::kHalfBatch) missing += lack_.savings.untold_gradients();
      if (spares_blocks_to_come(saving)) of_blocks.push_back(saving);
    }
    if (std::ranges::find(set, Saving::kHalfPrecision) != set.end()) missing = with_room_for_copies(missing);
    const std::uint64_t of_forwards = bytes_together(of_blocks, lack_.savings, saved_);
    return missing - std::min(missing, lack_.savings.spared_to_come(of_forwards, lack_.to_come_bytes));
  }

  const Facts& facts_;
  const std::vector<AskedAbout>& asked_;
  const Lack& lack_;
  std::optional<Savings> of_no_block_;  // of a run that went on
  SavedBytes saved_{};
};

}  // namespace

std::optional<EnoughTogether> enough_together(const Facts& facts, const std::vector<AskedAbout>& asked,
                                              const Lack& lack) {
  const TogetherFinder finder(facts, asked, lack);
  std::optional<EnoughTogether> two = finder.find(2);
  return two ? two : finder.find(3);
}

}  // namespace strata::analysis
