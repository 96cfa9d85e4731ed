// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/snapshot_notes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
namespace {

// The kind that most of a category is of: a snapshot has no second level.
constexpr std::array<BlockKind, kCategories> kKinds = {
    BlockKind::kParameter, BlockKind::kState,    BlockKind::kInput,          BlockKind::kOpTemp,
    BlockKind::kSaved,     BlockKind::kGradient, BlockKind::kAccumulateTemp, BlockKind::kUnattributed};

// torch writes "optimizer_state" and "OPTIMIZER_STATE".
std::optional<Category> category_of(std::string_view text) {
  for (std::size_t index = 0; index < kCategories; ++index) {
    const auto category = static_cast<Category>(index);
    const std::string_view name = to_string(category);
    const auto same = [](unsigned char left, unsigned char right) {
      return std::tolower(left) == std::tolower(right);
    };
    if (std::ranges::equal(name, text, same)) return category;
  }
  return std::nullopt;
}

// Of a text with several lines, such as Strata's export writes, the first.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

void use_snapshot_notes(const Recording& run, Texts& texts, std::vector<Block>& blocks) {
  auto note = run.snapshot_notes.begin();
  for (Block& block : blocks) {
    while (note != run.snapshot_notes.end() && note->sequence < block.birth_sequence) ++note;
    const bool has_note = note != run.snapshot_notes.end() && note->sequence == block.birth_sequence;
    const std::optional<Category> category =
        has_note ? category_of(run.texts[note->category]) : std::optional<Category>();
    block.category = category.value_or(Category::kUnknown);
    block.kind = kKinds.at(static_cast<std::size_t>(block.category));
    block.reason = category ? Reason::kSnapshotCategory : Reason::kSnapshotWithout;
    if (!has_note) continue;
    const std::uint32_t said = note->user_metadata != 0 ? note->user_metadata : note->compile_context;
    if (said != 0) block.name = texts.add(first_line(run.texts[said]));
  }
}

}  // namespace strata::analysis
