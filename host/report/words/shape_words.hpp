// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/shapes/shape.hpp"
#include "host/report/words/remedy_words.hpp"

namespace strata::report {

// What the page, the terminal and the JSON say about a shape.
struct ShapeWords {
  std::string sentence;  // what it is
  std::string remedy;    // how to remove it: the words after "To change it: "
  std::string evidence;  // the facts that prove it
};

ShapeWords words_of(const analysis::Shape& shape, Framework framework);

}  // namespace strata::report
