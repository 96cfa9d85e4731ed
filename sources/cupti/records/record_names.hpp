// SPDX-License-Identifier: Apache-2.0
// Names of CUPTI records in the run's form: demangled kernel names, and calls without the runtime's version
// suffix. Each name is converted once.
//
// For one thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sources/cupti/api/cupti_api.hpp"
#include "strata/events.h"

namespace strata::cupti {

using Intern = std::function<strata_name(std::string_view)>;
// Like cuptiGetCallbackName; null if there is none.
using CallbackName = decltype(&::cuptiGetCallbackName);

class RecordNames {
 public:
  RecordNames(Intern intern, CallbackName callback_name)
      : intern_(std::move(intern)), callback_name_(callback_name) {}

  // Null: unnamed.
  strata_name of(const char* mangled);
  strata_name of_call(CUpti_ActivityKind kind, CUpti_CallbackId function);

 private:
  Intern intern_;
  CallbackName callback_name_;
  std::map<std::string, strata_name, std::less<>> by_text_;
  std::map<std::pair<CUpti_ActivityKind, CUpti_CallbackId>, strata_name> by_function_;
};

// "cudaLaunchKernel" for "cudaLaunchKernel_ptsz_v7000".
std::string_view without_version(std::string_view runtime_function);

}  // namespace strata::cupti
