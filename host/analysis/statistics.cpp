#include "host/analysis/statistics.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "host/analysis/timeline.hpp"

namespace strata::analysis {
namespace {

using KindKey = std::pair<Category, std::string_view>;

// Numbers the kinds that occur, so that the sweep over events needs no search.
struct Kinds {
  std::map<KindKey, std::size_t> index;
  std::vector<std::size_t> of_block;
};

Kinds number_kinds(const std::vector<Block>& blocks) {
  Kinds kinds;
  kinds.of_block.reserve(blocks.size());
  for (const Block& block : blocks) {
    const std::size_t next = kinds.index.size();
    kinds.of_block.push_back(kinds.index.try_emplace({block.category, block.kind}, next).first->second);
  }
  return kinds;
}

void apply(const Change& change, const std::vector<Block>& blocks,
           const std::vector<std::size_t>& series_of_block, std::vector<std::uint64_t>& levels) {
  if (change.died != kNoBlock) levels[series_of_block[change.died]] -= blocks[change.died].bytes;
  if (change.born != kNoBlock) levels[series_of_block[change.born]] += blocks[change.born].bytes;
}

}  // namespace

void LevelStatistics::close(std::uint64_t event, std::int64_t ns) {
  pieces_.push_back({bytes_, event - since_event_, std::max<std::int64_t>(0, ns - since_ns_)});
  since_event_ = event;
  since_ns_ = std::max(ns, since_ns_);
}

void LevelStatistics::change(std::uint64_t bytes, std::uint64_t event, std::int64_t ns) {
  if (bytes == bytes_) return;
  close(event, ns);
  bytes_ = bytes;
}

CategoryStatistics LevelStatistics::finish(std::uint64_t events, std::int64_t window_end_ns) {
  close(events, window_end_ns);
  long double over_time = 0.0L;
  std::int64_t time_ns = 0;
  for (const Piece& piece : pieces_) {
    over_time += static_cast<long double>(piece.bytes) * static_cast<long double>(piece.ns);
    time_ns += piece.ns;
  }
  CategoryStatistics result;
  result.mean_over_time = static_cast<double>(time_ns > 0 ? over_time / static_cast<long double>(time_ns)
                                                          : static_cast<long double>(bytes_));
  if (events == 0) {
    result.min = result.median = result.max = bytes_;
    result.mean_over_events = static_cast<double>(bytes_);
    return result;
  }

  std::erase_if(pieces_, [](const Piece& piece) { return piece.events == 0; });
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece& left, const Piece& right) { return left.bytes < right.bytes; });
  const auto level_of = [&](std::uint64_t rank) {
    auto piece = pieces_.begin();
    for (; rank >= piece->events; ++piece) rank -= piece->events;
    return piece->bytes;
  };
  long double over_events = 0.0L;
  for (const Piece& piece : pieces_) {
    over_events += static_cast<long double>(piece.bytes) * static_cast<long double>(piece.events);
  }
  result.min = pieces_.front().bytes;
  result.max = pieces_.back().bytes;
  const std::uint64_t below = level_of((events - 1) / 2);
  result.median = below + (level_of(events / 2) - below) / 2;
  result.mean_over_events = static_cast<double>(over_events / static_cast<long double>(events));
  return result;
}

WindowStatistics window_statistics(const std::vector<Block>& blocks, const std::vector<Change>& changes,
                                   const std::vector<Point>& points, const Window& window) {
  const Kinds kinds = number_kinds(blocks);
  std::vector<std::uint64_t> kind_levels(kinds.index.size(), 0);
  const PointRange range = points_within(points, window.begin_sequence, window.end_sequence);
  for (std::size_t point = 0; point < range.first; ++point)
    apply(changes[point], blocks, kinds.of_block, kind_levels);

  const Point initial = range.first > 0 ? points[range.first - 1] : Point{};
  std::vector<LevelStatistics> by_kind, by_category;
  for (const std::uint64_t level : kind_levels) by_kind.emplace_back(level, window.begin_ns);
  for (const std::uint64_t level : initial.bytes) by_category.emplace_back(level, window.begin_ns);
  LevelStatistics total(allocated_bytes(initial), window.begin_ns);

  for (std::size_t point = range.first; point < range.last; ++point) {
    const std::uint64_t event = point - range.first;
    const std::int64_t ns = points[point].ns;
    const Change& change = changes[point];
    apply(change, blocks, kinds.of_block, kind_levels);
    for (const BlockIndex block : {change.died, change.born}) {
      if (block == kNoBlock) continue;
      const std::size_t kind = kinds.of_block[block];
      by_kind[kind].change(kind_levels[kind], event, ns);
      const auto category = static_cast<std::size_t>(blocks[block].category);
      by_category[category].change(points[point].bytes[category], event, ns);
    }
    total.change(allocated_bytes(points[point]), event, ns);
  }

  const std::uint64_t events = range.last - range.first;
  WindowStatistics result;
  for (std::size_t category = 0; category < kCategories; ++category) {
    result.categories[category] = by_category[category].finish(events, window.end_ns);
  }
  result.total = total.finish(events, window.end_ns);
  for (const auto& [key, kind] : kinds.index) {
    const CategoryStatistics statistics = by_kind[kind].finish(events, window.end_ns);
    if (statistics.max > 0) result.kinds.push_back({key.first, key.second, statistics});
  }
  std::stable_sort(result.kinds.begin(), result.kinds.end(), [](const KindFact& left, const KindFact& right) {
    return left.category != right.category ? left.category < right.category
                                           : left.statistics.max > right.statistics.max;
  });
  return result;
}

}  // namespace strata::analysis
