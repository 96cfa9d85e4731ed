// SPDX-License-Identifier: Apache-2.0
#include "host/cli/explain.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>

#include "host/analysis/recording/run_error.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/problem.hpp"
#include "host/grid/grid_folder.hpp"
#include "strata/runtime/session.hpp"

namespace strata::cli {

int explain_current_exception() {
  try {
    throw;
  } catch (const config::NoSuchDevice& error) {  // named in no file
    say(error.what());
    return kUsage;
  } catch (const config::ConfigError& error) {
    // On separate lines in the format of compilers, so that editors find the place.
    complain(std::string(error.what()) + '\n');
    return kUsage;
  } catch (const SessionError& error) {
    for (const std::string& problem : error.problems()) say(problem);
    return kUsage;
  } catch (const UsageError& error) {
    say(error.what());
    return kUsage;
  } catch (const analysis::ChoiceError& error) {
    say(error.what());
    return kUsage;
  } catch (const grid::FolderError& error) {
    say(error.what());
    return kUsage;
  } catch (const std::filesystem::filesystem_error& error) {
    say(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    return kFailed;
  } catch (const std::exception& error) {
    say(error.what());
    return kFailed;
  }
}

}  // namespace strata::cli
