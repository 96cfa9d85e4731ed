// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/op_spans.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "host/analysis/attribution/layers.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/recording/recording.hpp"
#include "strata/ext/module.h"
#include "strata/ext/op.h"

namespace strata::analysis {
namespace {

void link(const std::vector<OpTimeRow>& rows, std::vector<OpSpan>& spans) {
  for (std::size_t index = 0; index < spans.size(); ++index) {
    OpSpan& span = spans[index];
    const auto parent = rows[index].parent == 0 ? std::nullopt : find_op(spans, rows[index].parent);
    if (!parent || *parent >= index) continue;
    OpSpan& around = spans[*parent];
    if (around.thread != span.thread || span.begin_ns < around.begin_ns || span.begin_ns > around.end_ns)
      continue;
    span.parent = *parent;
    span.end_ns = std::min(span.end_ns, around.end_ns);
    span.in_backward |= around.in_backward;
    around.self_ns = std::max<std::int64_t>(0, around.self_ns - span.length_ns());
    span.self_ns = span.length_ns();
  }
}

// Layers are found as for memory, from the same columns.
std::vector<OpRow> as_rows(const std::vector<OpTimeRow>& times) {
  std::vector<OpRow> rows;
  rows.reserve(times.size());
  for (const OpTimeRow& op : times)
    rows.push_back({op.ordinal, op.ordinal, op.parent, op.autograd_sequence, op.forward_thread, op.thread,
                    op.kind, op.name, op.module});
  return rows;
}

void find_layers(const Recording& run, std::vector<OpSpan>& spans) {
  Recording ops_alone;
  ops_alone.texts = run.texts;
  ops_alone.modules = run.modules;
  ops_alone.ops = as_rows(run.time.ops);
  const OpTable table(ops_alone);
  const Layers layers(ops_alone, table);
  std::unordered_map<std::uint32_t, std::uint32_t> directions;
  for (const ModuleRow& module : run.modules) directions.emplace(module.ordinal, module.direction);
  for (std::size_t index = 0; index < spans.size(); ++index) {
    const OpTimeRow& row = run.time.ops[index];
    spans[index].layer = layers.at(row.ordinal, row.module);
    const auto direction = directions.find(row.module);
    spans[index].in_recompute = direction != directions.end() && direction->second == STRATA_MODULE_RECOMPUTE;
  }
}

// If several operators have a node's number, the last one to begin before the node made it.
void find_forward(const std::vector<OpTimeRow>& rows, std::vector<OpSpan>& spans) {
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> makers;
  for (std::uint32_t index = 0; index < spans.size(); ++index) {
    const OpTimeRow& row = rows[index];
    if (row.autograd_sequence < 0) continue;
    const std::pair key{row.forward_thread, row.autograd_sequence};
    if (row.kind == STRATA_OP_FORWARD) {
      makers[key] = index;
    } else if (const auto maker = makers.find(key); row.kind == STRATA_OP_BACKWARD && maker != makers.end()) {
      spans[index].forward = maker->second;
    }
  }
}

}  // namespace

std::vector<OpSpan> op_spans(const Recording& run, const StepMoments& moments) {
  std::vector<OpSpan> spans;
  spans.reserve(run.time.ops.size());
  for (const OpTimeRow& row : run.time.ops) {
    OpSpan span{.begin_ns = row.begin_ns,
                .end_ns = row.end_ns,
                .self_ns = row.end_ns - row.begin_ns,
                .ordinal = row.ordinal,
                .thread = row.thread,
                .kind = row.kind,
                .name = row.name};
    span.phase = moments.phase_at(row.begin_ns).value_or(kNoRow);
    span.step = moments.step_at(row.begin_ns).value_or(kNoRow);
    const bool is_engine = run.texts[row.name].starts_with("autograd::engine::evaluate_function");
    span.in_backward = row.kind == STRATA_OP_BACKWARD || is_engine;
    spans.push_back(span);
  }
  link(run.time.ops, spans);
  find_layers(run, spans);
  find_forward(run.time.ops, spans);
  return spans;
}

std::optional<std::uint32_t> find_op(const std::vector<OpSpan>& spans, std::uint64_t ordinal) {
  const auto found = std::ranges::lower_bound(spans, ordinal, {}, &OpSpan::ordinal);
  if (found == spans.end() || found->ordinal != ordinal) return std::nullopt;
  return static_cast<std::uint32_t>(found - spans.begin());
}

}  // namespace strata::analysis
