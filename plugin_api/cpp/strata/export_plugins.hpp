// SPDX-License-Identifier: Apache-2.0
// The exported symbol of a plugin file, generated from its plugin classes.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>

#include "strata/entry.h"
#include "strata/plugin_object.hpp"

namespace strata {

// Each class has a `static constexpr strata_descriptor kDescriptor` and a constructor that takes `const
// Host&`.
template <typename... Classes>
class PluginExport {
 public:
  static constexpr strata_entry entry() noexcept {
    return {sizeof(strata_entry), STRATA_ABI_MAJOR, STRATA_ABI_MINOR, &init, &deinit, &count,
            &descriptor,          &create};
  }

 private:
  static std::int32_t init(const char*, char*, std::size_t) noexcept { return 0; }
  static void deinit() noexcept {}
  static std::uint32_t count() noexcept { return sizeof...(Classes); }

  static const strata_descriptor* descriptor(std::uint32_t index) noexcept {
    static constexpr std::array<const strata_descriptor*, sizeof...(Classes)> kDescriptors = {
        &Classes::kDescriptor...};
    return index < kDescriptors.size() ? kDescriptors[index] : nullptr;
  }

  static strata_plugin* create(const strata_host* host, const char* id, char* reason,
                               std::size_t reason_bytes) noexcept {
    std::snprintf(reason, reason_bytes, "this file holds no plugin '%s'", id);
    strata_plugin* made = nullptr;
    static_cast<void>((try_create<Classes>(host, id, reason, reason_bytes, made) || ...));
    return made;
  }

  // Returns whether `id` is the id of this class.
  template <typename Class>
  static bool try_create(const strata_host* host, const char* id, char* reason, std::size_t reason_bytes,
                         strata_plugin*& made) noexcept {
    if (std::strcmp(id, Class::kDescriptor.id) != 0) return false;
    try {
      made = std::make_unique<PluginObject<Class>>(Host(host)).release()->abi();
    } catch (const std::exception& error) {
      std::snprintf(reason, reason_bytes, "%s", error.what());
    } catch (...) {
      std::snprintf(reason, reason_bytes, "its constructor threw what is no std::exception");
    }
    return true;
  }
};

}  // namespace strata

// At namespace scope, once per file: STRATA_EXPORT_PLUGINS(PhaseTimer)
#define STRATA_EXPORT_PLUGINS(...) \
  const strata_entry strata_plugin_entry = ::strata::PluginExport<__VA_ARGS__>::entry();
