// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/span_kinds.hpp"
#include "host/report/lanes/lanes.hpp"

namespace strata::report {
namespace {

using analysis::kNoRow;
using analysis::ModuleSpan;
using analysis::OpSpan;
using Path = std::vector<std::uint32_t>;

// For a layer's path: the paths of enclosing modules, outermost first, and its own, among modules whose
// forward was reported.
class ModulePaths {
 public:
  explicit ModulePaths(const analysis::Facts& facts) : facts_(facts) {
    for (const ModuleSpan& module : facts.time->modules)
      reported_.emplace(facts.texts[module.path], module.path);
  }

  const Path& of(std::uint32_t layer) {
    const auto [found, is_new] = paths_.try_emplace(layer);
    if (is_new) {
      const std::string& text = facts_.texts[layer];
      for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
        if (const auto around = reported_.find(text.substr(0, dot)); around != reported_.end())
          found->second.push_back(around->second);
      }
      found->second.push_back(layer);
    }
    return found->second;
  }

 private:
  const analysis::Facts& facts_;
  std::unordered_map<std::string, std::uint32_t> reported_;
  std::unordered_map<std::uint32_t, Path> paths_;
};

// For one thread, in the order in which nodes begin.
class BackwardModules {
 public:
  BackwardModules(ModulePaths& paths, std::uint32_t thread, std::vector<ModuleSpan>& found)
      : paths_(paths), thread_(thread), found_(found) {}

  void add(const OpSpan& node) {
    if (node.layer == 0) return;  // for example a gradient accumulated by its module
    const Path& path = paths_.of(node.layer);
    std::size_t same = 0;
    while (same < open_.size() && same < path.size() && open_[same].path == path[same]) ++same;
    close(same);
    for (std::size_t i = open_.size(); i < path.size(); ++i)
      open_.push_back(analysis::backward_module(node.begin_ns, node.end_ns, thread_, path[i]));
    for (ModuleSpan& module : open_) module.end_ns = std::max(module.end_ns, node.end_ns);
  }

  void close(std::size_t left = 0) {
    // Outermost first, because it may be no longer than those inside it.
    for (std::size_t i = left; i < open_.size(); ++i) found_.push_back(open_[i]);
    open_.resize(std::min(left, open_.size()));
  }

 private:
  ModulePaths& paths_;
  std::uint32_t thread_;
  std::vector<ModuleSpan>& found_;
  std::vector<ModuleSpan> open_;
};

bool is_node(const OpSpan& op) {
  return analysis::kind_of(op) == analysis::OpKind::kBackwardNode;
}

bool is_outermost_node(const analysis::TimeFacts& time, const OpSpan& op) {
  if (!is_node(op)) return false;
  for (std::uint32_t at = op.parent; at != kNoRow; at = time.spans[at].parent)
    if (is_node(time.spans[at])) return false;
  return true;
}

}  // namespace

std::vector<ModuleSpan> module_intervals(const analysis::Facts& facts) {
  const analysis::TimeFacts& time = *facts.time;
  std::vector<ModuleSpan> modules = time.modules;
  std::set<std::uint32_t> told;  // threads that reported backward modules
  for (const ModuleSpan& module : modules)
    if (analysis::direction_of(module) == analysis::ModuleDirection::kBackward) told.insert(module.thread);
  ModulePaths paths(facts);
  std::unordered_map<std::uint32_t, BackwardModules> threads;
  std::unordered_map<std::uint32_t, std::uint32_t> phases;  // a module reaches from no backward to the next
  for (const OpSpan& op : time.spans) {
    if (told.contains(op.thread) || !is_outermost_node(time, op)) continue;
    BackwardModules& thread = threads.try_emplace(op.thread, paths, op.thread, modules).first->second;
    const auto [phase, is_first] = phases.try_emplace(op.thread, op.phase);
    if (phase->second != op.phase) thread.close();
    phase->second = op.phase;
    thread.add(op);
  }
  for (auto& [unused, thread] : threads) thread.close();
  std::ranges::stable_sort(modules, {}, &ModuleSpan::begin_ns);
  return modules;
}

}  // namespace strata::report
