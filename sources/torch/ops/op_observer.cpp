// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/op_observer.hpp"

#include <ATen/record_function.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sources/torch/host/host_link.hpp"
#include "sources/torch/ops/op_names.hpp"
#include "sources/torch/ops/product_shape.hpp"
#include "sources/torch/python/python_stack_log.hpp"
#include "sources/torch/training/cast_watch.hpp"

namespace strata::torch_source {
namespace {

static_assert(std::is_same_v<at::CallbackHandle, unsigned long>, "OpObserver::handle_ keeps one");

// Operators nest a few deep; a thread that once nested deeper gives the rest back.
constexpr std::size_t kKept = 32;

class KeptMemory {
 public:
  KeptMemory() = default;
  ~KeptMemory() {
    while (count_ != 0) ::operator delete(blocks_[--count_]);
    closed_ = true;
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  void* take() noexcept { return count_ == 0 ? nullptr : blocks_[--count_]; }
  bool keep(void* memory) noexcept {
    if (closed_ || count_ == kKept) return false;
    blocks_[count_++] = memory;
    return true;
  }

 private:
  std::array<void*, kKept> blocks_{};
  std::size_t count_ = 0;
  bool closed_ = false;  // a record may end in a destructor that runs at the thread's end, after this one
};

thread_local KeptMemory kept;

// RecordFunction passes this from an operator's begin to its end. Torch requires a unique_ptr on the heap;
// each thread caches the memory of a few.
struct OpRange final : at::ObserverContext {
  // Null if there is no memory.
  static std::unique_ptr<OpRange> make() noexcept {
    return std::unique_ptr<OpRange>(new (std::nothrow) OpRange());
  }

  std::uint64_t op = 0;   // for the host's op_end
  std::uint64_t run = 0;  // the run in which it began
  std::optional<CastWatch> casts;
  std::optional<PythonOperator> python;

  static void* operator new(std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
    void* const memory = kept.take();
    return memory != nullptr ? memory : ::operator new(bytes, nothrow);
  }
  static void operator delete(void* memory) noexcept {
    if (!kept.keep(memory)) ::operator delete(memory);
  }
  static void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
};

std::uint32_t kind_of(at::RecordScope scope) {
  switch (scope) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return STRATA_OP_BACKWARD;
    case at::RecordScope::USER_SCOPE:
      return STRATA_OP_USER;
    default:
      return STRATA_OP_FORWARD;
  }
}

void watch_casts(const at::RecordFunction& function, OpRange& range) noexcept try {
  if (clone_begins(function)) range.casts.emplace(Watched::kClone);
  if (casts_begin(function)) range.casts.emplace(Watched::kCasts);
} catch (...) {
  // No memory: this operator's copies go without a name.
}

// Whether it may run Python: not torch's own operators, but a node of the backward graph, and things recorded
// as operators that are not torch's: autograd's engine, and functions that the program wrote in Python for
// autograd or the dispatcher.
bool may_run_python(const at::RecordFunction& function) {
  return function.scope() != at::RecordScope::FUNCTION ||
         !std::string_view(function.name()).starts_with("aten::");
}

// False too in a forked child, which is to take no lock.
bool are_operators_wanted() noexcept {
  const Emission emission;
  return emission && emission.wanted(STRATA_INTEREST_OP);
}

// With no emission open. A range that the program named does not take part: it would hide where in it
// something is called.
void take_python(const at::RecordFunction& function, OpRange& range) noexcept {
  if (function.scope() != at::RecordScope::USER_SCOPE && are_operators_wanted())
    range.python.emplace(!may_run_python(function));
}

template <bool with_shapes>
std::unique_ptr<at::ObserverContext> begin_op(const at::RecordFunction& function) noexcept {
  if (function.isAsync()) return nullptr;
  auto range = OpRange::make();
  if (range == nullptr) return nullptr;
  if (python_stacks_are_wanted()) take_python(function, *range);
  const Emission emission;
  if (!emission || !emission.wanted(STRATA_INTEREST_OP)) return nullptr;
  range->run = emission.run();
  if (range->python) range->python->tell();
  const bool backward = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  strata_op_info op{};
  op.struct_size = sizeof op;
  op.kind = kind_of(function.scope());
  op.name = interned_op_name(emission, function.name());
  op.autograd_sequence = function.seqNr();
  op.forward_thread = backward ? function.forwardThreadId() : function.threadId();
  if constexpr (with_shapes) describe_product(function, op);
  range->op = emission.op_begin(op);
  watch_casts(function, *range);
  return range;
}

void end_op(const at::RecordFunction&, at::ObserverContext* context) noexcept {
  const auto* range = static_cast<const OpRange*>(context);
  if (range == nullptr) return;
  const Emission emission;
  if (emission && emission.run() == range->run) emission.op_end(range->op);
}

// A forked child inherits its parent's callback without an observer that would remove it: the child's own
// operators would be reported twice.
struct Registration {
  at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;
  pid_t process = 0;
} registration;

at::CallbackHandle register_callback(Shapes shapes) {
  if (registration.process != getpid() && registration.handle != at::INVALID_CALLBACK_HANDLE)
    at::removeCallback(std::exchange(registration.handle, at::INVALID_CALLBACK_HANDLE));
  const bool with_shapes = shapes == Shapes::kReported;
  registration.handle = at::addGlobalCallback(
      at::RecordFunctionCallback(with_shapes ? &begin_op<true> : &begin_op<false>, &end_op)
          .needsInputs(with_shapes)
          .scopes(
              {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE}));
  registration.process = getpid();
  return registration.handle;
}

}  // namespace

OpObserver::OpObserver(Shapes shapes) : handle_(register_callback(shapes)) {
  follow_interest(true);
}

OpObserver::~OpObserver() {
  at::removeCallback(handle_);
  registration.handle = at::INVALID_CALLBACK_HANDLE;
}

void OpObserver::follow_interest(bool looking) {
  const Emission emission;
  const bool wanted = looking && emission && emission.wanted(STRATA_INTEREST_OP);
  if (wanted == enabled_) return;
  wanted ? at::reenableCallback(handle_) : at::disableCallback(handle_);
  enabled_ = wanted;
}

}  // namespace strata::torch_source
