// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store_thinner.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "strata/ext/op.h"
#include "strata/ext/step.h"

namespace strata {
namespace {

// A row of a step or a phase with what finds it.
constexpr std::uint64_t kStructureRowBytes = 80;
// The remains of thinned steps may take one part in this many of the file; above that, the oldest of them are
// removed completely.
constexpr std::uint64_t kStructureShare = 4;
// Blocks born in the first steps live on, and their phases identify them.
constexpr StepZone kFirstSteps = 3;
// The maximum distance between a block's birth and the phases that identify it (evidence.cpp: the optimizer
// after next).
constexpr StepZone kReach = 3;
constexpr StepZone kFoldedAtOnce = 4096;
// A program that continues after a failed allocation may have one in every step.
constexpr std::size_t kMostFailedSteps = 8;

}  // namespace

StoreThinner::StoreThinner(SqliteConnection& connection)
    : rows_(connection),
      thinned_(connection),
      used_pages_(connection,
                  "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count") {
  SqliteStatement size(connection, "PRAGMA page_size");
  while (size.next()) page_bytes_ = static_cast<std::uint64_t>(size.integer(0));
}

std::uint64_t StoreThinner::used_bytes() {
  std::uint64_t pages = 0;
  while (used_pages_.next()) pages = static_cast<std::uint64_t>(used_pages_.integer(0));
  return pages * page_bytes_;
}

void StoreThinner::end_round() {
  discover();
  ready_ = std::exchange(next_ready_, discovered_);
}

void StoreThinner::discover() {
  for (const StepBegin& step : rows_.steps_after(discovered_)) {
    zones_[step.zone].begin = step;
    discovered_ = step.zone;
  }
}

std::optional<StepInterval> StoreThinner::interval_of(StepZone zone) {
  const auto begin = zone == 0 ? std::optional<StepBegin>(StepBegin{}) : rows_.step(zone);
  const auto end = rows_.step(zone + 1);
  if (!begin || !end) return std::nullopt;
  return StepInterval{begin->sequence, end->sequence, begin->ns, end->ns};
}

std::set<StepZone> StoreThinner::whole() const {
  std::set<StepZone> zones = failed_;
  for (const auto& [device, highest] : highest_) zones.insert(highest.second);
  return zones;
}

bool StoreThinner::work(std::uint64_t wanted_bytes, std::uint64_t most_bytes, std::uint64_t most_rows,
                        std::chrono::steady_clock::time_point deadline) {
  bool is_left = true;
  for (std::uint64_t used = used_bytes(); is_left && used > wanted_bytes; used = used_bytes()) {
    const bool is_heavy = structure_rows_ * kStructureRowBytes > wanted_bytes / kStructureShare;
    is_left = (is_heavy && fold()) || advance() || (used > most_bytes && fold());
    if (rows_.erased() > most_rows || std::chrono::steady_clock::now() > deadline) break;
  }
  thinned_.save();
  rows_.save_counts();
  return is_left;
}

// Rows before the first step stay: they identify live blocks.
void StoreThinner::add_setup() {
  const auto setup = interval_of(0);
  if (!setup) return;
  ledger_.add(0, setup->begin_sequence, setup->begin_ns, rows_.ledger_rows(*setup));
  has_setup_ = true;
}

// Steps are read one ahead of thinning: the frees in a step show which rows of the previous one can be
// removed.
bool StoreThinner::advance() {
  if (added_ + 1 >= ready_) return false;
  if (!has_setup_) add_setup();
  const StepZone zone = added_ + 1;
  const auto interval = interval_of(zone);
  if (!interval) return false;
  added_ = zone;
  Zone& step = zones_[zone];
  step.peaks = ledger_.add(zone, interval->begin_sequence, interval->begin_ns, rows_.ledger_rows(*interval));
  if (ledger_.has_failure() && failed_.size() < kMostFailedSteps) failed_.insert(zone);
  protect(zone, step);
  if (zone > 1) {
    thinned_to_ = zone - 1;
    if (!whole().contains(thinned_to_)) thin(thinned_to_);
    remove(ledger_.take(thinned_to_, whole()));
    if (!whole().contains(thinned_to_)) forget(thinned_to_);
  }
  return true;
}

// The first of several highest moments counts, as in a report.
void StoreThinner::protect(StepZone zone, const Zone& step) {
  if (step.begin.schedule != STRATA_STEP_ACTIVE) return;
  std::vector<StepZone> lower;
  for (const LedgerPeak& peak : step.peaks) {
    const auto [highest, is_first] = highest_.try_emplace(peak.device, peak.allocated_bytes, zone);
    if (is_first || peak.allocated_bytes <= highest->second.first) continue;
    lower.push_back(highest->second.second);
    highest->second = {peak.allocated_bytes, zone};
  }
  for (const StepZone before : lower) {
    if (before > thinned_to_ || whole().contains(before) || thinned_.contains(before)) continue;
    thin(before);
    ledger_.look_again();
    remove(ledger_.take(thinned_to_, whole()));
    forget(before);
  }
}

void StoreThinner::thin(StepZone zone) {
  const auto interval = interval_of(zone);
  if (!interval) return;
  Zone& step = zones_[zone];
  std::vector<std::uint64_t> ops;
  std::set<std::uint32_t> modules;
  std::unordered_set<std::uint64_t> sequences;
  // Rows removed now are dropped first: they do not refer to anything any more.
  remove(ledger_.take(zone, whole()));
  rows_.erase("allocator_tracer_op", std::move(step.ops_before));
  ledger_.each_mark(zone, [&](const LedgerMark& mark) {
    ++step.marks;
    if (mark.op != 0) ops.push_back(mark.op);
    if (mark.module != 0) modules.insert(mark.module);
    if (mark.sequence != 0) sequences.insert(mark.sequence);
  });
  erase_ops(zone, step, *interval, std::move(ops), modules);
  erase_modules(step, *interval, std::move(modules));
  rows_.erase_moments(*interval);
  rows_.erase_said_of_memory(*interval, sequences);
  if (zone > 1 && thinned_.contains(zone - 1)) {
    if (const auto before = interval_of(zone - 1)) rows_.erase_spans(*before);
  }
  if (thinned_.contains(zone + 1)) rows_.erase_spans(*interval);
  thinned_.add(step.begin, *interval, step.peaks);
  structure_rows_ += rows_.count_structure(*interval);
  step.is_thinned = true;
  step.peaks.clear();
}

// Only its row remains: nothing more need be known of it here.
void StoreThinner::forget(StepZone zone) {
  const auto found = zones_.find(zone);
  if (found != zones_.end() && found->second.is_thinned && found->second.marks == 0) {
    rows_.erase("allocator_tracer_op", std::move(found->second.ops));
    rows_.erase("host_module_begin", std::move(found->second.module_begins));
    rows_.erase("host_module_end", std::move(found->second.module_ends));
    zones_.erase(found);
    const auto first = passed_.lower_bound(zone > kReach ? zone - kReach : 0);
    const auto last = passed_.upper_bound(zone + kReach);
    again_.insert(first, last);
    passed_.erase(first, last);
  }
}

void StoreThinner::remove(const LedgerRemoval& removal) {
  rows_.erase("allocator_tracer_event", removal.events);
  rows_.erase("host_tensor", removal.tensors);
  rows_.erase("allocator_tracer_saved", removal.saves);
  rows_.make_stubs(removal.stubs);
  for (const LedgerMark& mark : removal.marks) drop_mark(mark);
}

void StoreThinner::drop_mark(const LedgerMark& mark) {
  const auto found = zones_.find(mark.zone);
  if (found == zones_.end() || !found->second.is_thinned) return;
  if (mark.sequence != 0) rows_.erase_said_of_event(mark.sequence);
  if (found->second.marks > 0) --found->second.marks;
  forget(mark.zone);
}

// The operators of a step that stay: those referred to, those enclosing them, those called by a node of the
// backward graph, and those that made the node. From all of these, analysis identifies a block.
void StoreThinner::erase_ops(StepZone zone, Zone& step, const StepInterval& interval,
                             std::vector<std::uint64_t> needed, std::set<std::uint32_t>& modules) {
  const std::vector<OpLink> ops = rows_.ops(interval);
  const auto next_interval = interval_of(zone + 1);
  const std::vector<OpLink> next = next_interval ? rows_.ops(*next_interval) : std::vector<OpLink>{};
  using Key = std::pair<std::uint64_t, std::int64_t>;
  std::unordered_map<std::uint64_t, std::size_t> index;
  std::multimap<Key, std::size_t> by_key;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    index.emplace(ops[op].op, op);
    if (ops[op].autograd_sequence >= 0)
      by_key.emplace(Key{ops[op].forward_thread, ops[op].autograd_sequence}, op);
  }
  // The operators that the next step refers to.
  std::unordered_set<std::uint64_t> opened_later;
  for (const OpLink& later : next) opened_later.insert(later.op);
  std::set<Key> made_here;
  for (const OpLink& later : next) {
    if (later.parent != 0 && !opened_later.contains(later.parent)) needed.push_back(later.parent);
    if (later.kind == STRATA_OP_BACKWARD && later.autograd_sequence >= 0)
      made_here.insert({later.forward_thread, later.autograd_sequence});
  }
  std::vector<bool> stays(ops.size()), within_node(ops.size());
  std::vector<std::size_t> open;
  const auto keep = [&](std::size_t op) {
    if (!stays[op]) open.push_back(op);
    stays[op] = true;
  };
  for (const std::uint64_t op : needed) {
    if (const auto found = index.find(op); found != index.end()) keep(found->second);
  }
  while (!open.empty()) {
    const OpLink& op = ops[open.back()];
    open.pop_back();
    if (const auto parent = index.find(op.parent); parent != index.end()) keep(parent->second);
    if (op.autograd_sequence >= 0) {
      // Once: operators that make no node carry the next one's number, however many they are.
      const auto [first, last] = by_key.equal_range({op.forward_thread, op.autograd_sequence});
      for (auto other = first; other != last; ++other) keep(other->second);
      by_key.erase(first, last);
    }
  }
  // An operator begins after the one around it.
  for (std::size_t op = 0; op < ops.size(); ++op) {
    const auto parent = index.find(ops[op].parent);
    within_node[op] = (stays[op] && ops[op].kind == STRATA_OP_BACKWARD) ||
                      (parent != index.end() && parent->second < op && within_node[parent->second]);
    if (within_node[op]) stays[op] = true;
  }
  carry(zone, ops, next);
  std::vector<std::int64_t> rows;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (!stays[op]) {
      if (carried_.contains(ops[op].op)) continue;
      const bool made_next = !thinned_.contains(zone + 1) &&
                             made_here.contains({ops[op].forward_thread, ops[op].autograd_sequence});
      (made_next ? zones_[zone + 1].ops_before : rows).push_back(ops[op].rowid);
      continue;
    }
    if (ops[op].module != 0) modules.insert(ops[op].module);
    if (!carried_.contains(ops[op].op)) step.ops.push_back(ops[op].rowid);
  }
  rows_.erase("allocator_tracer_op", std::move(rows));
}

// Ranges that stay open after their step, derived from the next step: their end has no row.
void StoreThinner::carry(StepZone zone, const std::vector<OpLink>& ops, const std::vector<OpLink>& next) {
  std::unordered_map<std::uint64_t, const OpLink*> here;
  for (const OpLink& op : ops) here.emplace(op.op, &op);
  std::unordered_set<std::uint64_t> used;
  for (const OpLink& later : next) {
    for (std::uint64_t op = later.parent; op != 0 && !used.contains(op);) {
      const auto carried = carried_.find(op);
      const auto found = here.find(op);
      if (carried == carried_.end() && found == here.end()) break;
      used.insert(op);
      if (carried == carried_.end()) {
        carried_.emplace(op, CarriedOp{found->second->rowid, found->second->parent, zone});
        op = found->second->parent;
      } else {
        op = carried->second.parent;
      }
    }
  }
  if (next.empty()) return;
  const std::set<StepZone> steps = whole();
  for (auto op = carried_.begin(); op != carried_.end();) {
    if (used.contains(op->first) || op->second.zone > zone) {
      ++op;
      continue;
    }
    const CarriedOp& row = op->second;
    const auto refers = steps.lower_bound(row.zone);
    const auto step = zones_.find(row.zone);
    if (step != zones_.end() && step->second.is_thinned && step->second.marks > 0) {
      step->second.ops.push_back(row.rowid);
    } else if ((refers == steps.end() || *refers > zone) && row.zone != zone) {
      rows_.erase("allocator_tracer_op", {row.rowid});
    }
    op = carried_.erase(op);
  }
}

// Ranges open at the step's end also stay.
void StoreThinner::erase_modules(Zone& step, const StepInterval& interval, std::set<std::uint32_t> modules) {
  const auto ranges = rows_.modules(interval);
  std::vector<std::uint32_t> open(modules.begin(), modules.end());
  while (!open.empty()) {
    const auto range = ranges.find(open.back());
    open.pop_back();
    if (range != ranges.end() && range->second.parent != 0 && modules.insert(range->second.parent).second)
      open.push_back(range->second.parent);
  }
  std::vector<std::int64_t> begins, ends;
  for (const auto& [module, range] : ranges) {
    if (range.begin_row == 0 || range.end_row == 0) continue;
    const bool stays = modules.contains(module);
    (stays ? step.module_begins : begins).push_back(range.begin_row);
    (stays ? step.module_ends : ends).push_back(range.end_row);
  }
  rows_.erase("host_module_begin", std::move(begins));
  rows_.erase("host_module_end", std::move(ends));
}

// Lets go of the oldest thinned steps themselves, where no block that is still there was born near. The
// others wait for its end.
bool StoreThinner::fold() {
  const StepZone last = thinned_to_ > 2 * kReach ? thinned_to_ - 2 * kReach : 0;
  StepZone tried = 0;
  for (; tried < kFoldedAtOnce && !again_.empty(); ++tried) fold_step(again_.extract(again_.begin()).value());
  if (folded_to_ < kFirstSteps) folded_to_ = kFirstSteps;
  for (; tried < kFoldedAtOnce && folded_to_ < last; ++tried) fold_step(++folded_to_);
  return tried > 0;
}

void StoreThinner::fold_step(StepZone zone) {
  const auto near = zones_.lower_bound(zone > kReach ? zone - kReach : 0);
  if (near != zones_.end() && near->first <= zone + kReach) {
    passed_.insert(zone);
    return;
  }
  const auto step = rows_.step(zone);
  const auto next = rows_.next_step(zone);
  if (!step || !next) return;
  const StepInterval interval{step->sequence, next->sequence, step->ns, next->ns};
  const std::uint64_t rows = rows_.count_structure(interval);
  structure_rows_ -= std::min(structure_rows_, rows);
  rows_.erase_structure(*step, interval);
  thinned_.forget_peaks(*step);
}

}  // namespace strata
