// SPDX-License-Identifier: Apache-2.0
// Wraps one object of a plugin class as a C instance: provides the C listener tables for the methods that the
// class defines. The functions in the tables never throw.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "strata/ext/activity.h"
#include "strata/ext/flush.h"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "strata/fault_guard.hpp"
#include "strata/listener_methods.hpp"
#include "strata/plugin.h"

namespace strata {

template <typename Class>
class PluginObject {
  static_assert(
      listener_methods::has_any<Class>,
      "the class listens to nothing: see strata/listener_methods.hpp for the methods' names and forms");

 public:
  // Throws what the constructor of Class throws.
  explicit PluginObject(const Host& host)
      : abi_{sizeof(strata_plugin), 0, this, &find_listener, &destroy}, guard_(host), object_(host) {}
  PluginObject(const PluginObject&) = delete;
  PluginObject& operator=(const PluginObject&) = delete;

  strata_plugin* abi() noexcept { return &abi_; }

 private:
  static void destroy(strata_plugin* plugin) noexcept { delete static_cast<PluginObject*>(plugin->self); }

  // The token of a begin that arrived after the instance was switched off: its end is not owed.
  static constexpr std::uint64_t kNotBegun = UINT64_MAX;

  template <Call kind = Call::kNew, Surroundings surroundings = Surroundings::kFree, typename Body>
  static auto call(void* self, const char* method, Body&& body) noexcept {
    auto& plugin = *static_cast<PluginObject*>(self);
    return plugin.guard_.template run<kind, surroundings>(method, [&] { return body(plugin.object_); });
  }

  static bool is_off(void* self) noexcept { return static_cast<PluginObject*>(self)->guard_.off(); }

  // A begin that returns nothing has token 0.
  template <typename Body>
  static std::uint64_t call_begin(void* self, const char* method, Body&& body) noexcept {
    if (is_off(self)) return kNotBegun;
    return call(self, method, [&](Class& object) -> std::uint64_t {
      if constexpr (std::is_void_v<std::invoke_result_t<Body, Class&>>) {
        body(object);
        return 0;
      } else {
        return body(object);
      }
    });
  }

  // An end without a token parameter is called without it.
  template <typename Method, typename... Event>
  static void call_end(void* self, const char* name, Method method, std::uint64_t token,
                       const Event&... event) noexcept {
    if (token == kNotBegun && is_off(self)) return;
    call<Call::kOwed>(self, name, [&](Class& object) {
      if constexpr (std::is_invocable_v<Method, Class&, const Event&..., std::uint64_t>) {
        (object.*method)(event..., token);
      } else {
        (object.*method)(event...);
      }
    });
  }

  static const strata_run_listener& run_listener() noexcept {
    static const strata_run_listener table = [] {
      strata_run_listener run{};
      run.struct_size = sizeof run;
      if constexpr (listener_methods::has_begin_run<Class>::value) {
        run.begin = [](void* self, const strata_when* when, const strata_run_info* info) noexcept {
          auto& plugin = *static_cast<PluginObject*>(self);
          plugin.guard_.run_begin([&] { plugin.object_.begin_run(*when, *info); });
        };
      }
      if constexpr (listener_methods::has_ready<Class>::value) {
        run.ready = [](void* self, const strata_when* when) noexcept {
          call(self, "ready", [&](Class& object) { object.ready(*when); });
        };
      }
      if constexpr (listener_methods::has_end_run<Class>::value) {
        run.end = [](void* self, const strata_when* when, std::uint32_t reason) noexcept {
          call<Call::kOwed>(self, "end_run", [&](Class& object) { object.end_run(*when, reason); });
        };
      }
      return run;
    }();
    return table;
  }

  static const strata_step_listener& step_listener() noexcept {
    static const strata_step_listener table = [] {
      strata_step_listener step{};
      step.struct_size = sizeof step;
      if constexpr (listener_methods::has_begin_step<Class>::value) {
        step.begin = [](void* self, const strata_when* when, const strata_step_info* info) noexcept {
          return call_begin(self, "begin_step",
                            [&](Class& object) { return object.begin_step(*when, *info); });
        };
      }
      if constexpr (listener_methods::has_end_step<Class>::value) {
        step.end = [](void* self, const strata_when* when, const strata_step_info* info,
                      const strata_step_result* result, std::uint64_t token) noexcept {
          call_end(self, "end_step", &Class::end_step, token, *when, *info, *result);
        };
      }
      return step;
    }();
    return table;
  }

// The listener of a range: begin_<range> and end_<range>, if the class has them.
#define STRATA_RANGE_LISTENER(range)                                                                       \
  static const strata_##range##_listener& range##_listener() noexcept {                                    \
    static const strata_##range##_listener table = [] {                                                    \
      strata_##range##_listener made{};                                                                    \
      made.struct_size = sizeof made;                                                                      \
      if constexpr (listener_methods::has_begin_##range<Class>::value) {                                   \
        made.begin = [](void* self, const strata_when* when, const strata_##range##_info* info) noexcept { \
          return call_begin(self, "begin_" #range,                                                         \
                            [&](Class& object) { return object.begin_##range(*when, *info); });            \
        };                                                                                                 \
      }                                                                                                    \
      if constexpr (listener_methods::has_end_##range<Class>::value) {                                     \
        made.end = [](void* self, const strata_when* when, const strata_##range##_info* info,              \
                      std::uint64_t token) noexcept {                                                      \
          call_end(self, "end_" #range, &Class::end_##range, token, *when, *info);                         \
        };                                                                                                 \
      }                                                                                                    \
      return made;                                                                                         \
    }();                                                                                                   \
    return table;                                                                                          \
  }

  STRATA_RANGE_LISTENER(phase)
  STRATA_RANGE_LISTENER(module)
  STRATA_RANGE_LISTENER(op)
#undef STRATA_RANGE_LISTENER

// The listener of single events: on_<event>, if the class has it.
#define STRATA_EVENT_LISTENER(event, surroundings)                                                 \
  static const strata_##event##_listener& event##_listener() noexcept {                            \
    static const strata_##event##_listener table = [] {                                            \
      strata_##event##_listener made{};                                                            \
      made.struct_size = sizeof made;                                                              \
      if constexpr (listener_methods::has_on_##event<Class>::value) {                              \
        made.on_##event = [](void* self, const strata_when* when,                                  \
                             const strata_##event##_event* told) noexcept {                        \
          call<Call::kNew, surroundings>(self, "on_" #event,                                       \
                                         [&](Class& object) { object.on_##event(*when, *told); }); \
        };                                                                                         \
      }                                                                                            \
      return made;                                                                                 \
    }();                                                                                           \
    return table;                                                                                  \
  }

  STRATA_EVENT_LISTENER(tensor, Surroundings::kFree)
  STRATA_EVENT_LISTENER(memory, Surroundings::kAllocatorLock)
  STRATA_EVENT_LISTENER(graph, Surroundings::kFree)
  STRATA_EVENT_LISTENER(activity, Surroundings::kFree)
#undef STRATA_EVENT_LISTENER

  static const strata_flush_listener& flush_listener() noexcept {
    static const strata_flush_listener table = [] {
      strata_flush_listener flush{};
      flush.struct_size = sizeof flush;
      if constexpr (listener_methods::has_flush<Class>::value) {
        flush.flush = [](void* self, std::uint32_t reason, std::int64_t deadline_ns) noexcept {
          call<Call::kOwed>(self, "flush", [&](Class& object) { object.flush(reason, deadline_ns); });
        };
      }
      return flush;
    }();
    return table;
  }

  static const void* find_listener(strata_plugin* plugin, const char* id) noexcept {
    if constexpr (listener_methods::has_listens_to<Class>::value) {
      if (!call(plugin->self, "listens_to", [id](Class& object) { return object.listens_to(id); }))
        return nullptr;
    }
    const auto is = [id](const char* known) { return std::strcmp(id, known) == 0; };
    if (is(STRATA_EXT_RUN)) return &run_listener();
    if (is(STRATA_EXT_STEP)) return &step_listener();
    if (is(STRATA_EXT_PHASE)) return &phase_listener();
    if (is(STRATA_EXT_MODULE)) return &module_listener();
    if (is(STRATA_EXT_OP)) return &op_listener();
    if (is(STRATA_EXT_TENSOR)) return &tensor_listener();
    if (is(STRATA_EXT_MEMORY)) return &memory_listener();
    if (is(STRATA_EXT_GRAPH)) return &graph_listener();
    if (is(STRATA_EXT_ACTIVITY)) return &activity_listener();
    if (is(STRATA_EXT_FLUSH)) return &flush_listener();
    return nullptr;
  }

  strata_plugin abi_;
  FaultGuard guard_;
  Class object_;
};

}  // namespace strata
