// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/line_mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::uint8_t* data, std::size_t size) {
  Lines lines;
  std::istringstream stream(text_of(data, size));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t put(const Lines& lines, std::uint8_t* data, std::size_t max_size) {
  std::string text;
  for (const std::string& line : lines) {
    if (text.size() + line.size() + 1 <= max_size) text += line + "\n";
  }
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

std::size_t below(Random& random, std::size_t end) {
  return random() % end;
}

void change_a_number(std::string& line, Random& random) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(line[at])) != 0 && line[at - 1] == ' ') begins.push_back(at);
  }
  if (begins.empty()) return;
  const std::size_t begin = begins[below(random, begins.size())];
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  line.replace(begin, end - begin, std::to_string(odd_number(random)));
}

}  // namespace

std::uint64_t odd_number(Random& random) {
  constexpr std::array kEdges{
      std::uint64_t{127},        std::uint64_t{255},     std::uint64_t{4095},      std::uint64_t{INT32_MAX},
      std::uint64_t{UINT32_MAX}, std::uint64_t{1} << 40, std::uint64_t{INT64_MAX}, UINT64_MAX};
  switch (below(random, 4)) {
    case 0:
      return kEdges[below(random, kEdges.size())];
    case 1:
      return random();
    default:
      return below(random, 12);
  }
}

std::size_t mutate_lines(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed,
                         const std::function<std::string(Random&)>& new_line) {
  Random random(seed);
  Lines lines = lines_of(data, size);
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    const auto any = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size())); };
    const std::size_t change = lines.empty() ? 0 : below(random, 6);
    if (change <= 1) {
      lines.insert(lines.empty() ? lines.end() : any(), new_line(random));
    } else if (change == 2) {
      lines.erase(any());
    } else if (change == 3) {
      const std::string copy = *any();
      lines.insert(any(), copy);
    } else if (change == 4) {
      std::iter_swap(any(), any());
    } else {
      change_a_number(*any(), random);
    }
  }
  return put(lines, data, max_size);
}

}  // namespace strata::fuzz

// The start of one input followed by the end of the other.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t max_out_size,
                                                 unsigned int seed) {
  using namespace strata::fuzz;
  Random random(seed);
  Lines first = lines_of(data1, size1);
  const Lines second = lines_of(data2, size2);
  first.resize(first.empty() ? 0 : below(random, first.size() + 1));
  const std::size_t from = second.empty() ? 0 : below(random, second.size());
  first.insert(first.end(), second.begin() + static_cast<std::ptrdiff_t>(from), second.end());
  return put(first, out, max_out_size);
}
