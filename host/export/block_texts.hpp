// What a snapshot says in words of a block, each said once and then recalled.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "host/analysis/facts.hpp"
#include "host/export/pickle.hpp"

namespace strata::exports {

class BlockTexts {
 public:
  BlockTexts(const analysis::Facts& facts, Pickle& pickle) : facts_(facts), pickle_(pickle) {}

  // Writes the list of the frames in which the block was made, innermost first: its op, the module, the
  // phase.
  void frames(const analysis::Block& block);
  // Writes a text of lines: owner, kind, why, and the module that keeps it.
  void metadata(const analysis::Block& block);

 private:
  void frame(std::string_view what, std::string_view name);

  const analysis::Facts& facts_;
  Pickle& pickle_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view>, Pickle::Memo> frames_;
  std::map<std::pair<std::string_view, std::string_view>, Pickle::Memo> single_frames_;
  std::map<std::tuple<std::uint32_t, std::string_view, std::string_view, std::uint32_t>, Pickle::Memo>
      metadata_;
};

}  // namespace strata::exports
