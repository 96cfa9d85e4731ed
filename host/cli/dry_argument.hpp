// The command line's `--dry PROFILE[:N]`.
#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

struct DryArgument {
  std::string profile;
  std::string count;  // digits; "1" when it does not say
};

DryArgument parse_dry_argument(std::string_view text);

}  // namespace strata::cli
