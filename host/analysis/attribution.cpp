#include "host/analysis/attribution.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

namespace strata::analysis {
namespace {

// Names of owners, and the layers that they stand in.
class OwnerNames {
 public:
  OwnerNames(const BlockTable& table, Texts& texts) : table_(table), texts_(texts) {}

  // "layers.0.norm.weight" for a parameter, with ".exp_avg" after it for its optimizer state.
  std::uint32_t name(const BlockHistory& block) {
    if (block.parameter == kNoBlock) return block.name;
    const std::uint32_t parameter = table_.blocks[block.parameter].name;
    const auto [place, is_new] = names_.try_emplace(key(parameter, block.name), 0);
    if (is_new) place->second = join(parameter, block.name);
    return place->second;
  }

  // A path without its last part: of a parameter's name, also for its gradient and its state.
  std::uint32_t layer(const BlockHistory& block) {
    const std::uint32_t owner =
        block.parameter == kNoBlock ? block.name : table_.blocks[block.parameter].name;
    const auto [place, is_new] = layers_.try_emplace(owner, 0);
    if (is_new) {
      const std::string& path = texts_[owner];
      const std::size_t dot = path.rfind('.');
      place->second = dot == std::string::npos ? 0 : texts_.add(path.substr(0, dot));
    }
    return place->second;
  }

 private:
  static std::uint64_t key(std::uint32_t parameter, std::uint32_t own) {
    return std::uint64_t{parameter} << 32 | own;
  }

  std::uint32_t join(std::uint32_t parameter, std::uint32_t own) {
    if (own == 0 || std::string_view(texts_[own]).starts_with(texts_[parameter]))
      return own == 0 ? parameter : own;
    return texts_.add(texts_[parameter] + "." + texts_[own]);
  }

  const BlockTable& table_;
  Texts& texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> layers_;
};

}  // namespace

std::vector<Block> attribute(const BlockTable& table, const OpTable& ops, const StepStructure& structure,
                             const std::vector<Evidence>& evidence, const Layers& layers,
                             const Method& method, Texts& texts) {
  OwnerNames owners(table, texts);
  std::vector<Block> blocks;
  blocks.reserve(table.blocks.size());
  for (std::size_t index = 0; index < table.blocks.size(); ++index) {
    const BlockHistory& history = table.blocks[index];
    const Rule& rule = decide(method.rules, evidence[index]);
    Block block;
    block.address = history.address;
    block.bytes = history.bytes;
    block.birth_sequence = history.birth_sequence;
    block.death_sequence = history.death_sequence;
    block.birth_ns = history.birth_ns;
    block.death_ns = history.death_ns;
    block.category = rule.category;
    block.kind = rule.kind;
    block.reason = rule.sentence;
    block.layer = layers.at(history.birth_op, history.birth_module);
    if (history.role != 0) {
      block.name = owners.name(history);
      if (const std::uint32_t layer = owners.layer(history); layer != 0) block.layer = layer;
    }
    if (const auto op = ops.find(history.birth_op)) block.op = ops.maker(*op);
    block.saver = layers.path_of(history.saver_module);
    if (const auto phase = structure.find_phase(history.birth_phase)) {
      block.phase = static_cast<std::uint32_t>(*phase) + 1;
    }
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace strata::analysis
