// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/kinds.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace strata::cupti {
namespace {

struct Word {
  std::string_view text;
  bool Kinds::*member;
};

constexpr std::array kWords = {
    Word{"kernel", &Kinds::kernel},
    Word{"copy", &Kinds::copy},
    Word{"set", &Kinds::set},
    Word{"api", &Kinds::api},
    Word{"driver", &Kinds::driver},
    Word{"synchronize", &Kinds::synchronize},
    Word{"overhead", &Kinds::overhead},
    Word{"memory", &Kinds::memory},
    Word{"memory_pool", &Kinds::memory_pool},
    Word{"module", &Kinds::module},
    Word{"jit", &Kinds::jit},
};

std::string_view trimmed(std::string_view word) {
  const auto is_blank = [](char each) { return each == ' ' || each == '\t'; };
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
  return word;
}

std::string known_words() {
  std::string text;
  for (const Word& word : kWords) text += (text.empty() ? "" : ", ") + std::string(word.text);
  return text;
}

struct NamedKind {
  CUpti_ActivityKind kind;
  const char* name;
};

constexpr std::array kNames = {
    NamedKind{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
    NamedKind{CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs"},
    NamedKind{CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
    NamedKind{CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices"},
    NamedKind{CUPTI_ACTIVITY_KIND_MEMSET, "sets"},
    NamedKind{CUPTI_ACTIVITY_KIND_RUNTIME, "calls of the runtime"},
    NamedKind{CUPTI_ACTIVITY_KIND_DRIVER, "calls of the driver"},
    NamedKind{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "what calls were made under"},
    NamedKind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronisations"},
    NamedKind{CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead"},
    NamedKind{CUPTI_ACTIVITY_KIND_MEMORY2, "device memory"},
    NamedKind{CUPTI_ACTIVITY_KIND_MEMORY_POOL, "memory pools"},
    NamedKind{CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, "launches outside of calls"},
    NamedKind{CUPTI_ACTIVITY_KIND_JIT, "compilation"},
    NamedKind{CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
};

}  // namespace

Kinds parse_kinds(std::string_view words, bool graph_nodes) {
  Kinds kinds;
  kinds.graph_nodes = graph_nodes;
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    const std::string_view text = trimmed(words.substr(0, comma));
    words.remove_prefix(std::min(comma + 1, words.size()));
    if (text.empty()) continue;
    const auto* const known = std::ranges::find(kWords, text, &Word::text);
    if (known == kWords.end()) {
      throw std::runtime_error("kinds: '" + std::string(text) + "' is not one of " + known_words());
    }
    kinds.*known->member = true;
  }
  return kinds;
}

std::vector<CUpti_ActivityKind> activity_kinds(const Kinds& kinds, bool is_dry) {
  const std::array choices = {
      // First, because the records of the others refer to it.
      std::pair(CUPTI_ACTIVITY_KIND_CONTEXT, !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, kinds.api || kinds.driver),
      std::pair(CUPTI_ACTIVITY_KIND_RUNTIME, kinds.api),
      std::pair(CUPTI_ACTIVITY_KIND_DRIVER, kinds.api || kinds.driver),
      std::pair(CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, (kinds.api || kinds.driver) && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, kinds.kernel),
      std::pair(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, kinds.kernel && !kinds.graph_nodes && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_MEMCPY, kinds.copy),
      std::pair(CUPTI_ACTIVITY_KIND_MEMCPY2, kinds.copy && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_MEMSET, kinds.set),
      std::pair(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, kinds.synchronize && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_OVERHEAD, kinds.overhead),
      std::pair(CUPTI_ACTIVITY_KIND_MEMORY2, kinds.memory && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_MEMORY_POOL, kinds.memory_pool && !is_dry),
      std::pair(CUPTI_ACTIVITY_KIND_JIT, kinds.jit && !is_dry),
  };
  std::vector<CUpti_ActivityKind> wanted;
  for (const auto& [kind, is_wanted] : choices) {
    if (is_wanted) wanted.push_back(kind);
  }
  return wanted;
}

bool may_be_refused(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API;
}

const char* kind_name(CUpti_ActivityKind kind) {
  const auto* const known = std::ranges::find(kNames, kind, &NamedKind::kind);
  return known == kNames.end() ? "other activities" : known->name;
}

}  // namespace strata::cupti
