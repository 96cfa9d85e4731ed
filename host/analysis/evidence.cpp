#include "host/analysis/evidence.hpp"

#include <unordered_map>
#include <unordered_set>

#include "strata/ext/module.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

class Gatherer {
 public:
  Gatherer(const Recording& run, const BlockTable& table, const OpTable& ops, const StepStructure& structure)
      : run_(run), ops_(ops), structure_(structure) {
    for (const BlockHistory& block : table.blocks) {
      if (block.role == STRATA_TENSOR_PARAMETER) parameter_sizes_.insert(block.bytes);
    }
    for (const ModuleRow& module : run.modules) {
      const auto around = recompute_end_.find(module.parent);
      if (around != recompute_end_.end()) {
        recompute_end_.emplace(module.ordinal, around->second);
      } else if (module.direction == STRATA_MODULE_RECOMPUTE) {
        recompute_end_.emplace(module.ordinal, module.end_sequence);
      }
    }
  }

  Evidence of(const BlockHistory& block) const {
    Evidence evidence;
    evidence.birth = block.birth_sequence;
    evidence.death = block.death_sequence;
    evidence.role = block.role;
    evidence.saved = block.saved;
    evidence.held_until = block.held_until_sequence;
    evidence.parameter_sized = parameter_sizes_.contains(block.bytes);
    evidence.run_finished = run_.closed && run_.end == "done";
    add_circumstances(block, evidence);
    add_ops(block, evidence);
    return evidence;
  }

 private:
  void add_circumstances(const BlockHistory& block, Evidence& evidence) const {
    const Moment birth = structure_.at(block.birth_sequence, block.birth_phase);
    evidence.stage = birth.stage;
    evidence.step_end = structure_.step_end(block.birth_sequence);
    evidence.phase_end = birth.phase != nullptr ? birth.phase->end_sequence : evidence.step_end;
    if (birth.stage == Stage::kSetup) evidence.phase_end = structure_.first_step_begin();
    evidence.next_optimizer = structure_.next_optimizer(block.birth_sequence);
    if (birth.pass != nullptr) {
      evidence.backward_begin = birth.pass->backward_begin;
      evidence.backward_end = birth.pass->backward_end;
    }
    const auto recomputed = recompute_end_.find(block.birth_module);
    if (recomputed != recompute_end_.end() && birth.stage == Stage::kBackward) {
      evidence.stage = Stage::kRecompute;
      evidence.phase_end = recomputed->second;
    }
  }

  void add_ops(const BlockHistory& block, Evidence& evidence) const {
    if (const auto op = ops_.find(block.birth_op)) {
      evidence.born_in_ones_like =
          ops_.within(*op, kOnesLike) &&
          block.birth_sequence < ops_.first_backward_node(evidence.backward_begin, evidence.backward_end);
      evidence.born_in_zeros_like = ops_.within(*op, kZerosLike);
      evidence.lived_in_one_matrix_product =
          block.birth_op == block.death_op && ops_.has(*op, kMatrixProduct);
    }
    if (const auto op = ops_.find(block.death_op)) {
      evidence.died_in_gradient_addition = ops_.in_gradient_addition(*op);
    }
  }

  const Recording& run_;
  const OpTable& ops_;
  const StepStructure& structure_;
  std::unordered_set<std::uint64_t> parameter_sizes_;
  std::unordered_map<std::uint32_t, std::uint64_t>
      recompute_end_;  // by module ordinal: of the outermost range
};

}  // namespace

std::vector<Evidence> gather_evidence(const Recording& run, const BlockTable& table, const OpTable& ops,
                                      const StepStructure& structure) {
  const Gatherer gatherer(run, table, ops, structure);
  std::vector<Evidence> all;
  all.reserve(table.blocks.size());
  for (const BlockHistory& block : table.blocks) all.push_back(gatherer.of(block));
  return all;
}

void forget_after(std::uint64_t sequence, std::vector<Evidence>& evidence) {
  for (Evidence& block : evidence) {
    if (block.birth > sequence || block.death <= sequence) continue;
    for (std::uint64_t* const moment : {&block.death, &block.held_until, &block.phase_end, &block.step_end,
                                        &block.backward_begin, &block.backward_end, &block.next_optimizer}) {
      if (*moment > sequence) *moment = kNever;
    }
    block.run_finished = false;
    block.died_in_gradient_addition = block.lived_in_one_matrix_product = false;
  }
}

}  // namespace strata::analysis
