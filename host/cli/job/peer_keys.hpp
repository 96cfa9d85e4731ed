// SPDX-License-Identifier: Apache-2.0
// The keys of a job's store when only some of its ranks run. The absent ranks are assumed to do what these
// do, so what they would have written is known from what these wrote:
// - the key of another rank, from a key that this rank wrote and that differs from it only in its numbers
// - a counter: each rank of the job has added the same
// - a key that says that a counter is complete ("<counter>:last_worker"), from the counter
// - the id of an NCCL communicator, because the dry GPU's NCCL accepts any
// Everything else is unknown. The key of an object that one rank has for others begins with
// "strata/from/<rank>/" (python/strata_profiler/trial/job_objects.py); only that rank writes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata::cli {

class PeerKeys {
 public:
  explicit PeerKeys(std::uint32_t world_size) : world_size_(world_size) {}

  void set(const std::string& key, std::string value) { values_[key] = std::move(value); }
  void append(const std::string& key, const std::string& text) { values_[key] += text; }
  // Returns the value that the key then has.
  std::string compare_and_set(const std::string& key, const std::string& expected, std::string desired);
  // Returns the counter's value for that rank. Repeated by other ranks, it changes nothing.
  std::int64_t add(std::uint32_t rank, const std::string& key, std::int64_t amount);
  bool erase(const std::string& key);

  bool has(const std::string& key) const { return values_.contains(key) || counters_.contains(key); }
  std::size_t size() const { return values_.size() + counters_.size(); }
  // The rank of an object's key; empty: the key of something else.
  static std::optional<std::uint32_t> owner(const std::string& key);
  // The rank with which another one exchanges tensors directly: "strata/peer/<rank>". Empty: another key.
  static std::optional<std::uint32_t> peer(const std::string& key);
  // What the key has, or what an absent rank would have written. Empty: unknown.
  std::optional<std::string> value(const std::string& key) const;

 private:
  std::optional<std::string> written(const std::string& key) const;

  std::uint32_t world_size_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::map<std::uint32_t, std::int64_t>> counters_;  // by key and rank
};

}  // namespace strata::cli
