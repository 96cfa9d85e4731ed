// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "host/analysis/stacks/function_name.hpp"
#include "strata/ext/activity.h"

namespace strata::analysis {
namespace {

// More words add little.
constexpr std::size_t kMostWords = 2;
// Words that occur everywhere.
constexpr std::array<std::string_view, 8> kWithoutMeaning{"at",   "native", "std",    "detail",
                                                          "cuda", "const",  "lambda", "operator"};

bool is_of_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

// The identifiers of the name, in order, each once. A namespace or class used as a qualifier is less
// informative than the name qualified by it.
std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < name.size();) {
    std::size_t end = begin;
    while (end < name.size() && is_of_word(name[end])) ++end;
    const std::string_view word = name.substr(begin, end - begin);
    const bool is_scope = name.substr(std::min(end, name.size())).starts_with("::");
    const bool is_meant =
        !word.empty() && !is_scope && std::ranges::find(kWithoutMeaning, word) == kWithoutMeaning.end();
    if (is_meant && std::ranges::find(words, word) == words.end()) words.push_back(word);
    begin = end + (word.empty() ? 1 : 0);
  }
  return words;
}

// Lower is more informative: a functor names the computation, a number how it is unrolled.
int rank_of(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kScaffold{
      "TensorIteratorBase",      "Scalar", "array", "char",     "long",  "int",
      "TrivialOffsetCalculator", "bool",   "void",  "unsigned", "short", "OffsetCalculator"};
  if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return 4;
  if (std::ranges::find(kScaffold, word) != kScaffold.end()) return 3;
  if (word.find("unctor") != std::string_view::npos) return 0;
  return word.find("kernel") != std::string_view::npos ? 1 : 2;
}

// The words that not all of them have; from these, how a kernel is built only if nothing else differs.
std::string particulars(const KernelTime& kernel, const std::map<std::string_view, std::size_t>& kernels_with,
                        std::size_t kernels) {
  std::vector<std::string_view> words = words_of(kernel.full_name);
  std::erase_if(words, [&](std::string_view word) { return kernels_with.at(word) == kernels; });
  std::ranges::stable_sort(words, {}, rank_of);
  constexpr int kScaffoldRank = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kMostWords); ++i) {
    if (i > 0 && rank_of(words[i]) >= kScaffoldRank) break;
    text += (text.empty() ? "" : ", ") + std::string(words[i]);
  }
  return text;
}

// "vectorized_elementwise_kernel" of "at::native::vectorized_elementwise_kernel<...>".
std::string_view bare(std::string_view name) {
  constexpr std::string_view kLeftOut = "<...>";
  if (name.ends_with(kLeftOut)) name.remove_suffix(kLeftOut.size());
  const std::size_t end = name.find_first_of("<({ ");
  const std::size_t scope = name.substr(0, end).rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

void number_alike(std::vector<KernelTime*>& alike) {
  std::map<std::string_view, std::size_t> kernels_with;
  for (const KernelTime* const kernel : alike) {
    for (const std::string_view word : words_of(kernel->full_name)) ++kernels_with[word];
  }
  std::map<std::string, std::size_t> taken;
  for (KernelTime* const kernel : alike) {
    const std::string text = particulars(*kernel, kernels_with, alike.size());
    if (!text.empty()) kernel->name = std::string(bare(kernel->name)) + '<' + text + '>';
    if (const std::size_t number = ++taken[kernel->name]; number > 1)
      kernel->name += fmt::format(" #{}", number);
  }
}

std::string direction_of(std::uint32_t detail) {
  std::string text;
  switch (detail & ~STRATA_COPY_PAGEABLE) {
    case STRATA_COPY_HOST_TO_DEVICE:
      text = "Memcpy HtoD";
      break;
    case STRATA_COPY_DEVICE_TO_HOST:
      text = "Memcpy DtoH";
      break;
    case STRATA_COPY_DEVICE_TO_DEVICE:
      text = "Memcpy DtoD";
      break;
    case STRATA_COPY_HOST_TO_HOST:
      text = "Memcpy HtoH";
      break;
    case STRATA_COPY_PEER_TO_PEER:
      text = "Memcpy PtoP";
      break;
    default:
      text = "Memcpy";
      break;
  }
  return (detail & STRATA_COPY_PAGEABLE) != 0 ? text + " (pageable)" : text;
}

}  // namespace

std::string activity_name(const ActivityRow& activity, const std::string& text) {
  if (activity.kind == STRATA_ACTIVITY_COPY) return direction_of(activity.detail);
  if (activity.kind == STRATA_ACTIVITY_SET) return "Memset";
  if (!text.empty()) return demangled(text);
  return activity.kind == STRATA_ACTIVITY_GRAPH ? "CUDA graph " + std::to_string(activity.graph)
                                                : "(no name)";
}

void number_alike_names(std::vector<KernelTime>& kernels) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, std::vector<KernelTime*>> by_name;
  for (KernelTime& kernel : kernels) by_name[{kernel.name, kernel.kind, kernel.device}].push_back(&kernel);
  for (auto& [name, alike] : by_name) {
    if (alike.size() > 1) number_alike(alike);
  }
}

}  // namespace strata::analysis
