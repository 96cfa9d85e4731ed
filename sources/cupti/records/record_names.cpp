// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/record_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace strata::cupti {
namespace {

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, FreeText> text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? text.get() : name;
}

}  // namespace

std::string_view without_version(std::string_view name) {
  const std::size_t version = name.rfind("_v");
  if (version == std::string_view::npos || version + 2 == name.size()) return name;
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  if (!std::ranges::all_of(name.substr(version + 2), is_digit)) return name;
  name = name.substr(0, version);
  constexpr std::string_view kPerThread = "_ptsz";
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  return name;
}

strata_name RecordNames::of(const char* mangled) {
  if (mangled == nullptr || *mangled == '\0') return {"", 0, 0};
  const auto known = by_text_.find(std::string_view(mangled));
  if (known != by_text_.end()) return known->second;
  return by_text_.emplace(mangled, intern_(demangled(mangled))).first->second;
}

strata_name RecordNames::of_call(CUpti_ActivityKind kind, CUpti_CallbackId function) {
  const std::pair key(kind, function);
  if (const auto known = by_function_.find(key); known != by_function_.end()) return known->second;
  if (kind == CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API)
    return by_function_.emplace(key, intern_("launch within the driver")).first->second;
  const bool is_runtime = kind == CUPTI_ACTIVITY_KIND_RUNTIME;
  const char* name = nullptr;
  std::string text;
  if (callback_name_ != nullptr &&
      callback_name_(is_runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, function,
                     &name) == CUPTI_SUCCESS &&
      name != nullptr) {
    text = is_runtime ? without_version(name) : name;
  } else {
    text = (is_runtime ? "runtime function " : "driver function ") + std::to_string(function);
  }
  return by_function_.emplace(key, intern_(text)).first->second;
}

}  // namespace strata::cupti
