// SPDX-License-Identifier: Apache-2.0
// Sentences made of findings, shapes and differences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/diff/run_diff.hpp"
#include "host/analysis/facts/finding.hpp"
#include "host/analysis/facts/run_facts.hpp"
#include "host/analysis/shapes/shape.hpp"
#include "host/report/words/remedy_words.hpp"

namespace strata::report {

// Why the times of two runs are not comparable; empty if they are.
std::string time_warning(const analysis::RunDiff& diff);

// Why other values may not be comparable.
std::vector<std::string> run_warnings(const analysis::RunDiff& diff);

// Both.
std::vector<std::string> warnings_of(const analysis::RunDiff& diff);

// Which steps recorded operators, if not all did: "operators of 11 of 60 steps, ..."; else empty.
std::string step_detail_text(const analysis::StepDetail& detail);

// The sentence of a finding.
std::string finding_text(const analysis::Finding& finding);

// "aten::index_select in 0"; "a forward" if no operator was recorded.
std::string maker_words(const analysis::Maker& maker);

// "forwards of teacher"; "forwards that no backward follows" if the module is unknown.
std::string forwards_words(std::string_view module);

// What the page, the terminal and the JSON say about a shape.
struct ShapeWords {
  std::string sentence;  // what it is
  std::string remedy;    // how to remove it: the words after "To change it: "
  std::string evidence;  // the facts that prove it
};

ShapeWords words_of(const analysis::Shape& shape, Framework framework);

}  // namespace strata::report
