// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/function_name.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace strata::analysis {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";
constexpr std::string_view kOperator = "operator";
constexpr std::string_view kDecltype = "decltype ";

bool is_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

class Shortener {
 public:
  explicit Shortener(std::string_view name) : rest_(name) {}

  std::string shorten() && {
    while (!rest_.empty()) step();
    return std::move(text_);
  }

 private:
  void take(std::size_t letters) {
    text_ += rest_.substr(0, letters);
    rest_.remove_prefix(letters);
  }

  bool at_operator() const {
    return rest_.starts_with(kOperator) && (text_.empty() || !is_name(text_.back())) &&
           (rest_.size() == kOperator.size() || !is_name(rest_[kOperator.size()]));
  }

  void step() {
    if (rest_.starts_with(kAnonymous)) return rest_.remove_prefix(kAnonymous.size());
    if (at_operator()) return take_operator();
    if (rest_.starts_with(kDecltype)) {
      rest_.remove_prefix(kDecltype.size());
      return skip_balanced('(', ')');
    }
    switch (rest_.front()) {
      case '<':
        skip_balanced('<', '>');
        text_ += "<...>";
        return;
      case '(':
        skip_balanced('(', ')');
        return skip_qualifiers();
      case '{':
        return take_braces();
      case '[':
        return skip_balanced('[', ']');  // [abi:cxx11], [clone .cold]
      case ' ':
        text_.clear();  // what came before it was the return type
        return rest_.remove_prefix(1);
      default:
        take(1);
    }
  }

  void take_operator() {
    take(kOperator.size());
    for (const std::string_view sign :
         {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
      if (!rest_.starts_with(sign)) continue;
      take(sign.size());
      if (rest_.starts_with(" <")) rest_.remove_prefix(1);
      return;
    }
    // `operator new`, `operator bool`: a space that ends no type.
    const std::size_t end = rest_.find_first_of("(<");
    take(std::min(end, rest_.size()));
  }

  // From its first letter on; "->" and the operators in a template's arguments close nothing.
  void skip_balanced(char open, char close) {
    std::size_t depth = 0, at = 0;
    for (; at < rest_.size(); ++at) {
      if (rest_[at] == open) ++depth;
      const bool is_arrow = close == '>' && at > 0 && rest_[at - 1] == '-';
      if (rest_[at] == close && !is_arrow && --depth == 0) break;
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
  }

  // {lambda(int)#1}: its number, without its parameters.
  void take_braces() {
    while (!rest_.empty() && rest_.front() != '}') {
      if (rest_.front() == '(')
        skip_balanced('(', ')');
      else
        take(1);
    }
    if (!rest_.empty()) take(1);
  }

  // Skips " const &" and " [clone .part.0]" after the parameters, up to a name defined inside of the
  // function.
  void skip_qualifiers() {
    if (rest_.empty() || rest_.starts_with("::") || rest_.front() != ' ') return;
    rest_.remove_prefix(std::min(rest_.find("::"), rest_.size()));
  }

  std::string_view rest_;
  std::string text_;
};

}  // namespace

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? std::string(name.get()) : symbol;
}

std::string short_name(std::string_view demangled) {
  std::string name = Shortener(demangled).shorten();
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace strata::analysis
