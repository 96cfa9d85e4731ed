// SPDX-License-Identifier: Apache-2.0
#include "host/replay/entry.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "host/replay/replayer.hpp"

namespace strata::replay {
namespace {

std::string first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  return std::string(text.substr(0, text.find('\n')));
}

Result refused(std::string problem) {
  Result result;
  result.problem = std::move(problem);
  return result;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Result strata_replay_calls(const Request& request) {
  try {
    return Replayer(request).run();
  } catch (const c10::Error& error) {
    return refused(first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    return refused(first_line(error.what()));
  }
}

}  // namespace strata::replay
