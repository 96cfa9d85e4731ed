// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/block_ledger.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "strata/events.h"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata {
namespace {

// c10's kMinBlockSize, as used by analysis if no next event gives a block's size.
constexpr std::uint64_t kBlockUnit = 512;

bool is_of_host(const LedgerDevice& device) {
  return device.type != STRATA_DEVICE_CUDA;
}

bool is_free_of_whole_steps(StepZone first, StepZone last, const std::set<StepZone>& whole) {
  const auto next = whole.lower_bound(first);
  return next == whole.end() || *next > last;
}

// By the device's next event, as analysis finds them (use_whole_blocks).
std::vector<std::uint64_t> whole_bytes_of(const LedgerRows& rows) {
  std::vector<std::uint64_t> whole(rows.events.size());
  std::map<LedgerDevice, std::uint64_t> next = rows.next_handed_out;
  for (std::size_t index = rows.events.size(); index-- > 0;) {
    const LedgerEvent& event = rows.events[index];
    std::uint64_t bytes = event.bytes;
    const auto after = next.find(event.device);
    if (event.handed_out_bytes != 0 || (after != next.end() && after->second != 0)) {
      bytes = (event.bytes + kBlockUnit - 1) / kBlockUnit * kBlockUnit;
      if (after != next.end() && after->second >= event.handed_out_bytes &&
          after->second - event.handed_out_bytes >= event.bytes)
        bytes = after->second - event.handed_out_bytes;
    }
    whole[index] = bytes;
    next[event.device] = event.handed_out_bytes;
  }
  return whole;
}

}  // namespace

std::vector<LedgerPeak> BlockLedger::add(StepZone zone, std::uint64_t begin_sequence, std::int64_t begin_ns,
                                         const LedgerRows& rows) {
  has_failure_ = false;
  for (auto& [device, account] : accounts_)
    account.peak = {device, account.allocated_bytes, account.reserved_bytes, begin_sequence, begin_ns};
  const std::vector<std::uint64_t> whole = whole_bytes_of(rows);
  auto tensor = rows.tensors.begin();
  auto saved = rows.saves.begin();
  const auto others_before = [&](std::uint64_t sequence) {
    for (; tensor != rows.tensors.end() && tensor->sequence < sequence; ++tensor) bind(zone, *tensor);
    for (; saved != rows.saves.end() && saved->sequence < sequence; ++saved) save(zone, *saved);
  };
  for (std::size_t index = 0; index < rows.events.size(); ++index) {
    others_before(rows.events[index].sequence);
    event(zone, rows.events[index], whole[index]);
  }
  others_before(UINT64_MAX);
  std::vector<LedgerPeak> peaks;
  for (auto& [device, account] : accounts_) {
    account.peak.device = device;
    if (!account.has_segments)
      account.peak.reserved_bytes = std::max(account.peak.reserved_bytes, account.peak.allocated_bytes);
    peaks.push_back(account.peak);
  }
  return peaks;
}

void BlockLedger::event(StepZone zone, const LedgerEvent& event, std::uint64_t whole_bytes) {
  Account& account = accounts_[event.device];
  const EventRef row{event.rowid, account.last_allocation};
  account.last_allocation = 0;
  if (account.has_freed &&
      !(event.action == STRATA_MEMORY_FREE_DEFERRED && event.address == account.freed.address))
    settle_freed(account);
  switch (event.action) {
    case STRATA_MEMORY_ALLOCATE:
      allocate(zone, account, event, row, whole_bytes);
      break;
    case STRATA_MEMORY_FREE:
      release(zone, account, event, row);
      break;
    case STRATA_MEMORY_SEGMENT_ALLOCATE:
    case STRATA_MEMORY_SEGMENT_FREE:
      segment(zone, account, event, row);
      break;
    case STRATA_MEMORY_RESERVED:
      if (account.reserved.row.rowid != 0) {
        account.reserved.last = zone;
        loose_.push_back(account.reserved);
      }
      account.reserved = {Of::kEvents, row, zone, zone};
      account.reserved_bytes = event.bytes;
      account.has_segments = true;
      break;
    case STRATA_MEMORY_FREE_DEFERRED:
      if (account.has_freed) {
        account.has_freed = false;
        account.freed.others.push_back(row);
        account.deferred.insert_or_assign(event.address, std::move(account.freed));
      }
      break;
    case STRATA_MEMORY_FREE_COMPLETED:
      if (const auto found = account.deferred.find(event.address); found != account.deferred.end()) {
        Lifetime lifetime = std::move(found->second);
        account.deferred.erase(found);
        lifetime.others.push_back(row);
        lifetime.last = zone;
        finish(std::move(lifetime));
      }
      break;
    case STRATA_MEMORY_OUT_OF_MEMORY:
      has_failure_ = true;
      loose_.push_back({Of::kEvents, row, zone, zone});
      break;
    default:
      break;
  }
  LedgerPeak& peak = account.peak;
  if (account.allocated_bytes > peak.allocated_bytes) {
    peak.allocated_bytes = account.allocated_bytes;
    peak.sequence = event.sequence;
    peak.ns = event.ns;
  }
  peak.reserved_bytes = std::max(peak.reserved_bytes, account.reserved_bytes);
}

void BlockLedger::allocate(StepZone zone, Account& account, const LedgerEvent& event, EventRef row,
                           std::uint64_t bytes) {
  if (event.handed_out_bytes != 0) {
    sized_by_next_.emplace(event.rowid, 0);
    account.last_allocation = event.rowid;
  }
  Lifetime lifetime;
  lifetime.born = row;
  lifetime.birth = {zone, event.sequence, event.op, event.module};
  lifetime.first = lifetime.last = zone;
  lifetime.address = event.address;
  lifetime.bytes = bytes;
  if (event.address == 0) return finish(std::move(lifetime));  // nothing was asked for
  if (const auto found = account.blocks.find(event.address); found != account.blocks.end()) {
    // The free before it is missing, and only this allocation implies it: it must not be removed first.
    Lifetime& before = slots_[found->second];
    account.allocated_bytes -= std::min(account.allocated_bytes, before.bytes);
    lifetime.first = before.first;
    before.last = zone;
    finish(std::exchange(before, {}));
    free_slots_.push_back(found->second);
    account.blocks.erase(found);
  }
  account.allocated_bytes += bytes;
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    slots_.push_back(std::move(lifetime));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = std::move(lifetime);
  }
  account.blocks.emplace(event.address, slot);
}

void BlockLedger::release(StepZone zone, Account& account, const LedgerEvent& event, EventRef row) {
  const auto found = account.blocks.find(event.address);
  if (found == account.blocks.end()) return;  // older than the run; their number is limited
  const std::uint32_t slot = found->second;
  Lifetime lifetime = std::exchange(slots_[slot], {});
  account.blocks.erase(found);
  free_slots_.push_back(slot);
  account.allocated_bytes -= std::min(account.allocated_bytes, lifetime.bytes);
  lifetime.died = row;
  lifetime.death = {zone, event.sequence, event.op, event.module};
  lifetime.last = zone;
  account.freed = std::move(lifetime);
  account.has_freed = true;
}

void BlockLedger::settle_freed(Account& account) {
  account.has_freed = false;
  finish(std::exchange(account.freed, {}));
}

void BlockLedger::segment(StepZone zone, Account& account, const LedgerEvent& event, EventRef row) {
  account.has_segments = true;
  if (event.action == STRATA_MEMORY_SEGMENT_ALLOCATE) {
    account.reserved_bytes += event.bytes;
    Lifetime lifetime;
    lifetime.born = row;
    lifetime.birth = {zone, event.sequence, event.op, event.module};
    lifetime.first = lifetime.last = zone;
    lifetime.bytes = event.bytes;
    account.segments.insert_or_assign(event.address, std::move(lifetime));
    return;
  }
  account.reserved_bytes -= std::min(account.reserved_bytes, event.bytes);
  const auto found = account.segments.find(event.address);
  // One that is given back in other pieces than it was taken in: all of that stays.
  if (found == account.segments.end() || found->second.bytes != event.bytes) return;
  Lifetime lifetime = std::move(found->second);
  account.segments.erase(found);
  lifetime.died = row;
  lifetime.death = {zone, event.sequence, event.op, event.module};
  lifetime.last = zone;
  finish(std::move(lifetime));
}

void BlockLedger::finish(Lifetime lifetime) {
  if (!lifetime.stays && lifetime.last > 0) ended_.push_back(std::move(lifetime));
}

BlockLedger::Lifetime* BlockLedger::holder_of(Account& account, std::uint64_t address, std::uint32_t* slot) {
  const auto after = account.blocks.upper_bound(address);
  if (after == account.blocks.begin()) return nullptr;
  const auto [begin, index] = *std::prev(after);
  Lifetime& lifetime = slots_[index];
  if (address != begin && address - begin >= lifetime.bytes) return nullptr;
  if (slot != nullptr) *slot = index;
  return &lifetime;
}

// Pinned memory may be registered as the host's.
BlockLedger::Lifetime* BlockLedger::holder(const LedgerDevice& device, std::uint64_t address,
                                           std::uint32_t* slot) {
  if (address == 0) return nullptr;
  if (const auto own = accounts_.find(device); own != accounts_.end()) {
    if (Lifetime* found = holder_of(own->second, address, slot)) return found;
  }
  if (!is_of_host(device)) return nullptr;
  for (auto& [other, account] : accounts_) {
    if (other == device || !is_of_host(other)) continue;
    if (Lifetime* found = holder_of(account, address, slot)) return found;
  }
  return nullptr;
}

// Among several registrations in one role the first one counts.
void BlockLedger::bind(StepZone zone, const LedgerTensor& tensor) {
  Lifetime* block = holder(tensor.device, tensor.address);
  const auto is_same = [&](const Registration& other) { return other.role == tensor.role; };
  if (block == nullptr || std::ranges::any_of(block->registrations, is_same)) {
    loose_.push_back({Of::kTensors, {tensor.rowid, 0}, zone, zone});
    return;
  }
  block->registrations.push_back({tensor.rowid, tensor.role});
  // Its size identifies the role of other blocks, and its name their owner.
  if (tensor.role == STRATA_TENSOR_PARAMETER) block->stays = true;
}

void BlockLedger::save(StepZone zone, const LedgerSave& row) {
  if (row.action == STRATA_GRAPH_SAVE) {
    OpenHold open;
    if (const Lifetime* block = holder(row.device, row.address, &open.slot))
      open.birth_sequence = block->birth.sequence;
    open.hold = {row.rowid, 0, zone, 0, row.module};
    open_holds_.insert_or_assign(row.saved, open);
    if (open.birth_sequence != 0 && slots_[open.slot].holds.empty())
      slots_[open.slot].holds.push_back(open.hold);
    return;
  }
  const auto found = open_holds_.find(row.saved);
  if (found == open_holds_.end()) return;
  OpenHold open = found->second;
  open_holds_.erase(found);
  open.hold.release_row = row.rowid;
  open.hold.release_zone = zone;
  const auto let_go = [&](const Hold& hold) {
    loose_.push_back({Of::kSaves, {hold.save_row, 0}, hold.save_zone, hold.release_zone});
    loose_.push_back({Of::kSaves, {hold.release_row, 0}, hold.save_zone, hold.release_zone});
  };
  if (open.birth_sequence == 0 || slots_[open.slot].birth.sequence != open.birth_sequence)
    return let_go(open.hold);
  std::vector<Hold>& holds = slots_[open.slot].holds;
  if (holds.front().save_row == open.hold.save_row) {
    holds.front() = open.hold;
  } else if (holds.size() == 1) {
    holds.push_back(open.hold);
  } else {
    let_go(std::exchange(holds.back(), open.hold));
  }
}

void BlockLedger::take_event(EventRef row, LedgerRemoval& removal) {
  if (row.rowid == 0) return;
  const auto before = row.follows == 0 ? sized_by_next_.end() : sized_by_next_.find(row.follows);
  if (before == sized_by_next_.end()) {
    removal.events.push_back(row.rowid);
  } else {
    before->second = row.rowid;
    removal.stubs.push_back(row.rowid);
  }
}

void BlockLedger::take_loose(StepZone last, const std::set<StepZone>& whole, std::vector<Loose>& taken) {
  std::vector<Loose> rest;
  for (const Loose& row : loose_) {
    if (row.last > last) {
      rest.push_back(row);
    } else if (is_free_of_whole_steps(row.first, row.last, whole)) {
      taken.push_back(row);
    } else {
      blocked_loose_.push_back(row);
    }
  }
  loose_ = std::move(rest);
}

LedgerRemoval BlockLedger::take(StepZone last, const std::set<StepZone>& whole) {
  std::vector<Lifetime> rest, taken;
  for (Lifetime& lifetime : ended_) {
    const bool is_over = lifetime.last <= last;
    const bool goes =
        is_over && lifetime.first > 0 && is_free_of_whole_steps(lifetime.first, lifetime.last, whole);
    (goes ? taken : is_over ? blocked_ : rest).push_back(std::move(lifetime));
  }
  ended_ = std::move(rest);
  std::vector<Loose> loose;
  take_loose(last, whole, loose);

  LedgerRemoval removal;
  for (const Lifetime& lifetime : taken) {
    const auto sized = sized_by_next_.find(lifetime.born.rowid);
    if (sized == sized_by_next_.end()) continue;
    if (sized->second != 0) removal.events.push_back(sized->second);
    sized_by_next_.erase(sized);
  }
  for (const Lifetime& lifetime : taken) {
    take_event(lifetime.born, removal);
    take_event(lifetime.died, removal);
    for (const EventRef other : lifetime.others) take_event(other, removal);
    for (const Registration& registration : lifetime.registrations)
      removal.tensors.push_back(registration.rowid);
    for (const Hold& hold : lifetime.holds) {
      removal.saves.push_back(hold.save_row);
      if (hold.release_row != 0) removal.saves.push_back(hold.release_row);
    }
    removal.marks.push_back(lifetime.birth);
    if (lifetime.died.rowid != 0) removal.marks.push_back(lifetime.death);
    if (!lifetime.holds.empty()) removal.marks.push_back({lifetime.holds.front().save_zone, 0, 0, 0});
  }
  for (const Loose& row : loose) {
    if (row.of == Of::kEvents) {
      take_event(row.row, removal);
    } else {
      (row.of == Of::kTensors ? removal.tensors : removal.saves).push_back(row.row.rowid);
    }
  }
  return removal;
}

void BlockLedger::look_again() {
  std::ranges::move(std::exchange(blocked_, {}), std::back_inserter(ended_));
  std::ranges::move(std::exchange(blocked_loose_, {}), std::back_inserter(loose_));
}

void BlockLedger::each_mark(StepZone zone, const std::function<void(const LedgerMark&)>& use) const {
  const auto look_at = [&](const Lifetime& lifetime) {
    if (lifetime.birth.zone == zone && lifetime.born.rowid != 0) use(lifetime.birth);
    if (lifetime.death.zone == zone && lifetime.died.rowid != 0) use(lifetime.death);
    if (!lifetime.holds.empty() && lifetime.holds.front().save_zone == zone)
      use({zone, 0, 0, lifetime.holds.front().module});
  };
  for (const Lifetime& lifetime : slots_) look_at(lifetime);
  for (const Lifetime& lifetime : ended_) look_at(lifetime);
  for (const Lifetime& lifetime : blocked_) look_at(lifetime);
  for (const auto& [device, account] : accounts_) {
    if (account.has_freed) look_at(account.freed);
    for (const auto& [address, lifetime] : account.deferred) look_at(lifetime);
    for (const auto& [address, lifetime] : account.segments) look_at(lifetime);
  }
}

}  // namespace strata
