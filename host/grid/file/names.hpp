// SPDX-License-Identifier: Apache-2.0
// The names to which a grid gives values: keys of a run, or those of a program's command.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace strata::grid {

class Names {
 public:
  // The keys of a run.
  Names() = default;
  // `placeholders`: in the words of a program. It also has the names of `strata exec`: world, ranks, device,
  // plugins.
  explicit Names(std::set<std::string, std::less<>> placeholders);

  bool has(std::string_view path) const;
  bool has_section(std::string_view path) const;
  // Whether a list, or a mapping, is a single value of that key: files, plugins; {every: 2}, {dry:
  // h100-80gb}.
  bool takes_list(std::string_view path) const;
  bool takes_mapping(std::string_view path) const;

  // "; did you mean 'optimizer'?": the nearest name; empty if none is near.
  std::string meant(std::string_view path) const;
  // "unknown key ...", with the nearest one.
  std::string unknown(std::string_view path) const;
  // "a key of a run".
  std::string_view kind() const;

 private:
  std::set<std::string, std::less<>> names_;  // of a program; empty: those of a run
};

// "lr" of "optimizer.lr".
std::string_view short_name(std::string_view path);

}  // namespace strata::grid
