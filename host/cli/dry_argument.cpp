#include "host/cli/dry_argument.hpp"

namespace strata::cli {

DryArgument parse_dry_argument(std::string_view text) {
  const auto colon = text.rfind(':');
  const std::string_view count = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (count.empty() || count.find_first_not_of("0123456789") != std::string_view::npos)
    return {std::string(text), "1"};
  return {std::string(text.substr(0, colon)), std::string(count)};
}

}  // namespace strata::cli
