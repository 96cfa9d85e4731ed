// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/layer_outputs.hpp"

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "sources/torch/host/host_link.hpp"
#include "strata/table.hpp"

namespace strata::torch_source {

struct LayerOutputRow {
  std::int64_t monotonic_ns;
  std::uint64_t output_bytes;
  std::uint32_t thread;
  std::uint32_t name;
};

namespace {

Table<LayerOutputRow> layer_output_table(const Host& host) {
  return {host,
          "layer_output",
          "an outermost operator returned",
          {STRATA_COLUMN(LayerOutputRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", "when it returned"),
           STRATA_COLUMN(LayerOutputRow, thread, STRATA_COLUMN_UINT32, "", "the OS's thread id"),
           STRATA_COLUMN(LayerOutputRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
           STRATA_COLUMN(LayerOutputRow, output_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "bytes of the returned tensors: elements times element size, including views")}};
}

std::uint64_t output_bytes(const at::RecordFunction& function) {
  std::uint64_t bytes = 0;
  for (const c10::IValue& output : function.outputs()) {
    if (output.isTensor() && output.toTensor().defined()) bytes += output.toTensor().nbytes();
  }
  return bytes;
}

thread_local int open_operators = 0;

struct OpenOperator final : at::ObserverContext {
  OpenOperator() { ++open_operators; }
  ~OpenOperator() override { --open_operators; }
  OpenOperator(const OpenOperator&) = delete;
  OpenOperator& operator=(const OpenOperator&) = delete;
};

}  // namespace

class LayerOutputs::Writer {
 public:
  explicit Writer(const Host& host) : host_(host), table_(layer_output_table(host)) {}

  void write(const at::RecordFunction& function) const {
    const Emission emission;  // keeps the host, and so its store
    if (!emission) return;
    table_.append({.monotonic_ns = host_.monotonic_ns(),
                   .output_bytes = output_bytes(function),
                   .thread = static_cast<std::uint32_t>(gettid()),
                   .name = table_.intern(function.name())});
  }

 private:
  Host host_;
  Table<LayerOutputRow> table_;
};

namespace {

// The target of torch's callbacks, which are plain functions. Kept while one of them may run.
std::atomic<const void*> writer{nullptr};

std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction&) {
  return std::make_unique<OpenOperator>();
}

}  // namespace

LayerOutputs::LayerOutputs(const Host& host) : writer_(std::make_unique<Writer>(host)) {}

LayerOutputs::~LayerOutputs() {
  end();
}

void LayerOutputs::begin() {
  if (std::exchange(begun_, true)) return;
  writer.store(writer_.get());
  const auto end_operator = [](const at::RecordFunction& function, at::ObserverContext* context) {
    const auto* const to = static_cast<const Writer*>(writer.load());
    if (context != nullptr && to != nullptr && open_operators == 1) to->write(function);
  };
  handle_ = at::addGlobalCallback(at::RecordFunctionCallback(&begin_operator, end_operator)
                                      .needsOutputs(true)
                                      .scopes({at::RecordScope::FUNCTION}));
}

void LayerOutputs::end() {
  if (handle_ == 0) return;
  at::removeCallback(handle_);
  handle_ = 0;
  writer.store(nullptr);
}

}  // namespace strata::torch_source
