// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/absent_peers.hpp"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace strata::torch_source {
namespace {

using Tensors = std::vector<at::Tensor>;
using Stack = torch::jit::Stack;

class DoneWork : public c10d::Work {
 public:
  explicit DoneWork(Tensors results) : results_(std::move(results)) { finish(); }

  Tensors result() override { return results_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
    future->markCompleted(c10::IValue(results_));
    return future;
  }

 private:
  Tensors results_;
};

// Each argument is a tensor, a list of tensors or a list of lists.
std::vector<Tensors> tensors_in(const c10::IValue& value) {
  if (value.isTensor()) return {{value.toTensor()}};
  if (value.isTensorList()) return {value.toTensorVector()};
  std::vector<Tensors> lists;
  for (const c10::IValue& list : value.toListRef()) lists.push_back(list.toTensorVector());
  return lists;
}

struct Membership {
  std::int64_t size, rank;
};

// What is the same on all ranks, reduced over them.
void reduce_over(const at::Tensor& tensor, const c10d::ReduceOp& operation, Membership member) {
  switch (operation.op_) {
    case c10d::ReduceOp::SUM:
      tensor.mul_(member.size);
      return;
    case c10d::ReduceOp::PRODUCT:
      tensor.pow_(member.size);
      return;
    case c10d::ReduceOp::BXOR:
      if (member.size % 2 == 0) tensor.zero_();
      return;
    default:
      return;
  }
}

// As far as it goes: the shares of all-to-all may differ.
void copy_into(const at::Tensor& to, const at::Tensor& from) {
  const at::Tensor target = to.reshape(-1), source = from.reshape(-1);
  const std::int64_t count = std::min(target.numel(), source.numel());
  target.narrow(0, 0, count).copy_(source.narrow(0, 0, count));
  if (!to.is_contiguous()) to.copy_(target.view(to.sizes()));
}

// The parts of all ranks in one tensor.
Tensors parts_of(const at::Tensor& all, Membership member, at::IntArrayRef sizes = {}) {
  return sizes.empty() ? all.tensor_split(member.size) : all.split_with_sizes(sizes);
}

void copy_to_each(const Tensors& to, const at::Tensor& from) {
  for (const at::Tensor& each : to) copy_into(each, from);
}

// The part for this rank, of a list or of one tensor with the parts of all.
at::Tensor own_part(const Tensors& parts, Membership member) {
  if (parts.size() == 1 && member.size > 1)
    return parts_of(parts.front(), member)[static_cast<std::size_t>(member.rank)];
  return parts.at(static_cast<std::size_t>(member.rank));
}

// `to` and `from`: the first two arguments.
void answer(std::string_view name, const std::vector<Tensors>& to, const c10::IValue* arguments,
            Membership member) {
  const auto reduce_op = [&](int at) -> const c10d::ReduceOp& {
    return *arguments[at].toCustomClass<c10d::ReduceOp>();
  };
  if (name.starts_with("allreduce_")) {
    for (const at::Tensor& tensor : to.front()) reduce_over(tensor, reduce_op(2), member);
  } else if (name == "reduce_") {
    if (arguments[3].toInt() != member.rank) return;
    for (const at::Tensor& tensor : to.front()) reduce_over(tensor, reduce_op(2), member);
  } else if (name == "allgather_" || name == "allgather_coalesced_" || name == "gather_") {
    const Tensors from = tensors_in(arguments[1]).front();
    for (std::size_t index = 0; index < to.size(); ++index) copy_to_each(to[index], from.at(index));
  } else if (name == "_allgather_base_" || name == "allgather_into_tensor_coalesced_") {
    const Tensors from = tensors_in(arguments[1]).front();
    for (std::size_t index = 0; index < from.size(); ++index)
      copy_to_each(parts_of(to.front().at(index).reshape(-1), member), from[index]);
  } else if (name.find("scatter_") != name.npos) {
    const std::vector<Tensors> from = tensors_in(arguments[1]);
    const bool reduces = name.find("reduce") != name.npos;
    const bool has_lists = name == "scatter_" || name == "reduce_scatter_";
    if (from.empty() || from.front().empty()) return;  // another rank scatters
    for (std::size_t index = 0; index < to.front().size(); ++index) {
      const Tensors& parts = has_lists ? from.at(index) : Tensors{from.front().at(index)};
      copy_into(to.front()[index], own_part(parts, member));
      if (reduces) reduce_over(to.front()[index], reduce_op(3), member);
    }
  } else if (name == "alltoall_") {
    copy_to_each(to.front(), own_part(tensors_in(arguments[1]).front(), member));
  } else if (name == "alltoall_base_") {
    const Tensors outputs = parts_of(to.front().front(), member, arguments[3].toIntVector());
    const Tensors inputs = parts_of(arguments[1].toTensor(), member, arguments[4].toIntVector());
    copy_to_each(outputs, own_part(inputs, member));
  }
}

void collective(const c10::OperatorHandle& operation, Stack* stack) {
  const c10::FunctionSchema& schema = operation.schema();
  const std::size_t first = stack->size() - schema.arguments().size();
  const c10::IValue* const arguments = stack->data() + first;
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  for (std::size_t index = 0; index < schema.arguments().size(); ++index) {
    if (schema.arguments()[index].name() == "process_group")
      group = arguments[index].toCustomClass<c10d::ProcessGroup>();
  }
  group->getBackend(c10::DeviceType::CPU);  // throws as torch does if the group has none
  const std::string_view name = std::string_view(schema.name()).substr(std::string_view("c10d::").size());
  const std::vector<Tensors> to = tensors_in(arguments[0]);
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    answer(name, to, arguments, {.size = group->getSize(), .rank = group->getRank()});
  }
  const c10::IValue result = arguments[0];
  stack->erase(stack->begin() + static_cast<std::ptrdiff_t>(first), stack->end());
  const auto work = c10::make_intrusive<DoneWork>(to.empty() ? Tensors{} : to.front());
  if (schema.returns().size() == 2) stack->push_back(result);
  if (!schema.returns().empty()) stack->emplace_back(c10::intrusive_ptr<c10d::Work>(work));
}

// Replacing what torch registered is the purpose.
class NoWarnings : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

constexpr const char* kCollectives[] = {
    "broadcast_",
    "allreduce_",
    "allreduce_coalesced_",
    "allgather_",
    "_allgather_base_",
    "allgather_coalesced_",
    "allgather_into_tensor_coalesced_",
    "reduce_scatter_",
    "_reduce_scatter_base_",
    "reduce_scatter_tensor_coalesced_",
    "reduce_",
    "gather_",
    "scatter_",
    "alltoall_",
    "alltoall_base_",
    "barrier",
    "monitored_barrier_",
    "send",
    "recv_",
    "recv_any_source_",
};

}  // namespace

AbsentPeers::AbsentPeers()
    : library_(torch::Library::IMPL, "c10d", c10::DispatchKey::CPU, __FILE__, __LINE__) {
  NoWarnings quiet;
  const c10::WarningUtils::WarningHandlerGuard guard(&quiet);
  for (const char* const name : kCollectives)
    library_.impl(name, torch::CppFunction::makeFromBoxedFunction<&collective>());
}

}  // namespace strata::torch_source
