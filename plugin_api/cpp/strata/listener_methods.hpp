// SPDX-License-Identifier: Apache-2.0
// The listener methods of a plugin class, and detection of those that a class defines.
//
// clang-format off
//   void begin_run(const strata_when&, const strata_run_info&)             strata.run/1
//   void ready(const strata_when&)
//   void end_run(const strata_when&, std::uint32_t reason)
//   T    begin_step(const strata_when&, const strata_step_info&)           strata.step/1
//   void end_step(const strata_when&, const strata_step_info&, const strata_step_result&, std::uint64_t token)
//   T    begin_phase(const strata_when&, const strata_phase_info&)         strata.phase/1; module and op likewise
//   void end_phase(const strata_when&, const strata_phase_info&, std::uint64_t token)
//   void on_tensor(const strata_when&, const strata_tensor_event&)         strata.tensor/1
//   void on_memory(const strata_when&, const strata_memory_event&)         strata.memory/1
//   void on_graph(const strata_when&, const strata_graph_event&)           strata.graph/1
//   void on_activity(const strata_when&, const strata_activity_event&)     strata.activity/1
//   void flush(std::uint32_t reason, std::int64_t deadline_ns)             strata.flush/1
// clang-format on
//
// T is void, or std::uint64_t: the token passed to the end (not UINT64_MAX). Ends may omit the token. Each
// name must have exactly one public method: an overloaded or private one is not found.
//
// A class whose options decide what it listens to also has
//   bool listens_to(const char* id) const
// It is called after construction, once for each id above. False leaves out that interface, as if the class
// had no methods for it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace strata::listener_methods {

#define STRATA_LISTENER_METHOD(method)       \
  template <typename Class, typename = void> \
  struct has_##method : std::false_type {};  \
  template <typename Class>                  \
  struct has_##method<Class, std::void_t<decltype(&Class::method)>> : std::true_type {};

STRATA_LISTENER_METHOD(begin_run)
STRATA_LISTENER_METHOD(ready)
STRATA_LISTENER_METHOD(end_run)
STRATA_LISTENER_METHOD(begin_step)
STRATA_LISTENER_METHOD(end_step)
STRATA_LISTENER_METHOD(begin_phase)
STRATA_LISTENER_METHOD(end_phase)
STRATA_LISTENER_METHOD(begin_module)
STRATA_LISTENER_METHOD(end_module)
STRATA_LISTENER_METHOD(begin_op)
STRATA_LISTENER_METHOD(end_op)
STRATA_LISTENER_METHOD(on_tensor)
STRATA_LISTENER_METHOD(on_memory)
STRATA_LISTENER_METHOD(on_graph)
STRATA_LISTENER_METHOD(on_activity)
STRATA_LISTENER_METHOD(flush)
STRATA_LISTENER_METHOD(listens_to)

#undef STRATA_LISTENER_METHOD

template <typename Class>
inline constexpr bool has_any =
    has_begin_run<Class>::value || has_ready<Class>::value || has_end_run<Class>::value ||
    has_begin_step<Class>::value || has_end_step<Class>::value || has_begin_phase<Class>::value ||
    has_end_phase<Class>::value || has_begin_module<Class>::value || has_end_module<Class>::value ||
    has_begin_op<Class>::value || has_end_op<Class>::value || has_on_tensor<Class>::value ||
    has_on_memory<Class>::value || has_on_graph<Class>::value || has_on_activity<Class>::value ||
    has_flush<Class>::value;

}  // namespace strata::listener_methods
