// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/summed_losses.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/module_path.hpp"
#include "host/analysis/memory/alive.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

using Blocks = std::vector<const Block*>;
using MakerKey = std::pair<std::uint32_t, std::uint32_t>;  // op, layer

constexpr std::size_t kLeastForwards = 2;
// Of a number.
constexpr std::uint64_t kNumberBytes = 8;
// These add, scale and collect numbers; the last one makes the gradient that backward begins with.
constexpr std::array<std::string_view, 10> kOfSums{"aten::add", "aten::sub",      "aten::mul",  "aten::div",
                                                   "aten::neg", "aten::sum",      "aten::mean", "aten::stack",
                                                   "aten::cat", "aten::ones_like"};

// The backward that is open then, or the first to begin after it; null if there is none.
const PhaseFact* backward_at(const MemoryFacts& facts, std::uint64_t sequence) {
  for (const PhaseFact& phase : facts.phases)
    if (phase.kind == STRATA_PHASE_BACKWARD && phase.end_sequence > sequence) return &phase;
  return nullptr;
}

bool is_kept_for_backward(const Block& block) {
  return block.category == Category::kActivation &&
         (block.kind == BlockKind::kSaved || block.kind == BlockKind::kCheckpointInput ||
          block.kind == BlockKind::kLogits);
}

bool is_gradient(const Block& block) {
  return block.category == Category::kAutogradDetail ||
         (block.category == Category::kGradient && block.kind != BlockKind::kBucket);
}

// The times in a backward at which no gradient is alive except numbers and at most one for each parameter, or
// for each of autocast's copies: of its size, made in its module or around it.
class QuietTimes {
 public:
  QuietTimes(const MemoryFacts& facts, const PhaseFact& backward, std::uint64_t number_bytes)
      : facts_(facts) {
    for (const Block& block : facts.blocks) {
      const bool is_leaf = block.kind == BlockKind::kParameter || block.kind == BlockKind::kAutocastCopy;
      if (is_leaf && block.is_alive_at(backward.begin_sequence)) leaves_.emplace(block.bytes, block.layer);
      const bool is_of_backward =
          block.birth_sequence > backward.begin_sequence && block.birth_sequence < backward.end_sequence;
      if (!is_of_backward || !is_gradient(block) || requested_bytes(block) <= number_bytes) continue;
      changes_.push_back({block.birth_sequence, {block.bytes, block.layer}, 1});
      changes_.push_back({block.death_sequence, {block.bytes, block.layer}, -1});
    }
    std::ranges::sort(changes_, {}, &Change::sequence);
    find(backward);
  }

  // Whether there is one that begins before `end` and lasts beyond `begin`.
  bool is_between(std::uint64_t begin, std::uint64_t end) const {
    const auto next = std::ranges::lower_bound(times_, end, {}, &Time::begin);
    return next != times_.begin() && (next - 1)->end > begin;
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // bytes, layer
  struct Change {
    std::uint64_t sequence = 0;
    Key key;
    std::int64_t count = 0;
  };
  struct Time {
    std::uint64_t begin = 0, end = UINT64_MAX;
  };

  std::int64_t leaves_of(const Key& key) const {
    const auto [begin, end] = leaves_.equal_range(key.first);
    return std::count_if(begin, end, [&](const auto& leaf) {
      return key.second == 0 || is_within(facts_.texts[leaf.second], facts_.texts[key.second]);
    });
  }

  void find(const PhaseFact& backward) {
    struct Alive {
      std::int64_t count = 0, leaves = 0;
      std::int64_t others() const { return std::max<std::int64_t>(0, count - leaves); }
    };
    std::map<Key, Alive> alive;
    std::int64_t others = 0;
    times_.push_back({.begin = backward.begin_sequence});
    for (const Change& change : changes_) {
      const auto [found, is_new] = alive.try_emplace(change.key);
      Alive& of_key = found->second;
      if (is_new) of_key.leaves = leaves_of(change.key);
      others -= of_key.others();
      of_key.count += change.count;
      others += of_key.others();
      const bool was_quiet = times_.back().end == UINT64_MAX;
      if (was_quiet && others > 0) times_.back().end = change.sequence;
      if (!was_quiet && others == 0) times_.push_back({.begin = change.sequence});
    }
  }

  const MemoryFacts& facts_;
  std::multimap<std::uint64_t, std::uint32_t> leaves_;  // layers of them, by bytes
  std::vector<Change> changes_;
  std::vector<Time> times_;  // by begin
};

class SumFinder {
 public:
  SumFinder(const MemoryFacts& facts, const PhaseFact& backward) : facts_(facts), backward_(backward) {
    for (const Block& block : facts.blocks) {
      if (block.birth_sequence >= backward.begin_sequence) break;
      const bool dies_in_it =
          block.death_sequence > backward.begin_sequence && block.death_sequence <= backward.end_sequence;
      if (dies_in_it && is_kept_for_backward(block)) kept_.push_back(&block);
      if (dies_in_it && block.category == Category::kInput) inputs_.push_back(&block);
    }
  }

  SummedLosses find(std::uint64_t sequence) {
    split();
    keep_alike();
    if (parts_.size() < kLeastForwards || !only_adds()) return {};
    take_inputs();
    SummedLosses sum{.forwards = parts_.size(), .beyond = {}};
    for (const Blocks& part : parts_) {
      if (&part == largest_) continue;
      std::ranges::copy_if(part, std::back_inserter(sum.beyond),
                           [&](const Block* block) { return block->is_alive_at(sequence); });
    }
    return sum;
  }

 private:
  // How often the same operator of the same module made a block of the same size.
  std::uint64_t most_repetitions() const {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint64_t> times;
    std::uint64_t most = 0;
    for (const Block* block : kept_) most = std::max(most, ++times[{block->op, block->layer, block->bytes}]);
    return most;
  }

  // Into parts that only numbers connect.
  void split() {
    const std::uint64_t repetitions = most_repetitions();
    if (repetitions < kLeastForwards) return;
    const QuietTimes quiet(facts_, backward_, kNumberBytes * repetitions);
    std::vector<std::uint64_t> last_death(kept_.size() + 1, 0);  // of this one and those after it
    for (std::size_t index = kept_.size(); index-- > 0;)
      last_death[index] = std::max(last_death[index + 1], kept_[index]->death_sequence);
    std::uint64_t first_death = UINT64_MAX;  // of those before
    std::set<MakerKey> makers;               // of the part
    for (std::size_t index = 0; index < kept_.size(); ++index) {
      const MakerKey maker{kept_[index]->op, kept_[index]->layer};
      // A forward begins where another did: what makes this block made one of the part before.
      const bool begins = index == 0 || (makers.contains(maker) && last_death[index] < first_death &&
                                         quiet.is_between(last_death[index], first_death));
      if (begins) {
        parts_.emplace_back();
        makers.clear();
      }
      makers.insert(maker);
      parts_.back().push_back(kept_[index]);
      first_death = std::min(first_death, kept_[index]->death_sequence);
    }
  }

  // Those that are forwards of the model that made the largest.
  void keep_alike() {
    if (parts_.empty()) return;
    const auto largest_of = [](const std::vector<Blocks>& parts) {
      return std::ranges::max_element(parts, {}, [](const Blocks& part) { return bytes_of(part); });
    };
    std::set<MakerKey> makers;
    for (const Block* block : *largest_of(parts_)) makers.insert({block->op, block->layer});
    std::erase_if(parts_, [&](const Blocks& part) {
      std::uint64_t alike = 0;
      for (const Block* block : part) alike += makers.contains({block->op, block->layer}) ? block->bytes : 0;
      return alike * 2 < bytes_of(part);
    });
    largest_ = &*largest_of(parts_);
  }

  // What runs behind the last forward is also part of another one, or adds numbers.
  bool only_adds() const {
    std::set<std::uint32_t> of_others;
    for (const Block* block : between(parts_.front().front(), parts_.back().front()))
      of_others.insert(block->op);
    return std::ranges::all_of(between(parts_.back().back(), nullptr), [&](const Block* block) {
      const std::string_view op = facts_.texts[block->op];
      return of_others.contains(block->op) || std::ranges::find(kOfSums, op) != kOfSums.end();
    });
  }

  // Each forward's: backward frees the last forward first, and its input with it.
  void take_inputs() {
    std::vector<std::pair<std::uint64_t, Blocks*>> begins;  // of each part's deaths
    begins.reserve(parts_.size());
    for (Blocks& part : parts_)
      begins.emplace_back(
          (*std::ranges::min_element(part, {}, [](const Block* block) { return block->death_sequence; }))
              ->death_sequence,
          &part);
    for (const Block* input : inputs_) {
      Blocks* of = nullptr;
      for (const auto& [begin, part] : begins)
        if (begin <= input->death_sequence && of == nullptr) of = part;
      if (of != nullptr) of->push_back(input);
    }
  }

  // Born after `begin`, and before `end` or the backward.
  Blocks between(const Block* begin, const Block* end) const {
    const std::uint64_t until = end == nullptr ? backward_.begin_sequence : end->birth_sequence;
    Blocks blocks;
    for (const Block* block = begin + 1; block != facts_.blocks.data() + facts_.blocks.size(); ++block) {
      if (block->birth_sequence >= until) break;
      blocks.push_back(block);
    }
    return blocks;
  }

  const MemoryFacts& facts_;
  const PhaseFact& backward_;
  Blocks kept_;                // for this backward, by birth
  Blocks inputs_;              // that only the graph held
  std::vector<Blocks> parts_;  // of them, in order
  const Blocks* largest_ = nullptr;
};

}  // namespace

SummedLosses summed_losses_at(const MemoryFacts& facts, std::uint64_t sequence) {
  const PhaseFact* const backward = backward_at(facts, sequence);
  return backward == nullptr ? SummedLosses{} : SumFinder(facts, *backward).find(sequence);
}

}  // namespace strata::analysis
