// SPDX-License-Identifier: Apache-2.0
// Products of a structured matrix and a dense one: their description, the one algorithm for them, and plans.
#include <variant>

#include "dry_gpu/cusparselt/opaque.hpp"

using namespace strata::dry_gpu;

namespace {

cusparseStatus_t execute(const cusparseLtHandle_t* handle, const cusparseLtMatmulPlan_t* plan,
                         const cudaStream_t* streams, std::int32_t count) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!content<SparsePlan>(plan) || count < 0 || (count > 0 && streams == nullptr))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const cudaStream_t stream_handle = count > 0 ? *streams : nullptr;
  const cudaError_t error = call_on(stream_handle, [](Machine& machine, ThreadState&, CUstream_st& stream) {
    return submit_library_call(machine, stream);
  });
  return error == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

using Member =
    std::variant<std::monostate, int SparseAlgorithm::*, cusparseLtSplitKMode_t SparseAlgorithm::*>;

Member member_of(cusparseLtMatmulAlgAttribute_t attribute) {
  switch (attribute) {
    case CUSPARSELT_MATMUL_ALG_CONFIG_ID:
      return &SparseAlgorithm::id;
    case CUSPARSELT_MATMUL_SEARCH_ITERATIONS:
      return &SparseAlgorithm::search_iterations;
    case CUSPARSELT_MATMUL_SPLIT_K:
      return &SparseAlgorithm::split_k;
    case CUSPARSELT_MATMUL_SPLIT_K_MODE:
      return &SparseAlgorithm::split_k_mode;
    case CUSPARSELT_MATMUL_SPLIT_K_BUFFERS:
      return &SparseAlgorithm::split_k_buffers;
    case CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID:
      break;
  }
  return {};
}

// Calls `body` with the attribute's location; false if there is none of that size.
template <typename Body>
bool with_attribute(SparseAlgorithm& algorithm, cusparseLtMatmulAlgAttribute_t attribute, std::size_t bytes,
                    Body&& body) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          return false;
        } else {
          if (bytes != sizeof(algorithm.*member)) return false;
          body(algorithm.*member);
          return true;
        }
      },
      member_of(attribute));
}

}  // namespace

cusparseStatus_t cusparseLtMatmulDescriptorInit(
    const cusparseLtHandle_t* handle, cusparseLtMatmulDescriptor_t* result, cusparseOperation_t,
    cusparseOperation_t, const cusparseLtMatDescriptor_t* a_opaque, const cusparseLtMatDescriptor_t* b_opaque,
    const cusparseLtMatDescriptor_t* c_opaque, const cusparseLtMatDescriptor_t* d_opaque,
    cusparseComputeType) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const auto a = content<SparseMatrix>(a_opaque), b = content<SparseMatrix>(b_opaque);
  const auto c = content<SparseMatrix>(c_opaque), d = content<SparseMatrix>(d_opaque);
  if (!a || !b || !c || !d) return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->is_structured == b->is_structured || c->is_structured || d->is_structured)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return put(result, SparseMatmul{.structured = a->is_structured ? *a : *b});
}

// Their values only concern kernels.
cusparseStatus_t cusparseLtMatmulDescSetAttribute(const cusparseLtHandle_t* handle,
                                                  cusparseLtMatmulDescriptor_t* product,
                                                  cusparseLtMatmulDescAttribute_t, const void* data,
                                                  std::size_t bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return content<SparseMatmul>(product) && data != nullptr && bytes > 0 ? CUSPARSE_STATUS_SUCCESS
                                                                        : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseLtMatmulAlgSelectionInit(const cusparseLtHandle_t* handle,
                                                  cusparseLtMatmulAlgSelection_t* result,
                                                  const cusparseLtMatmulDescriptor_t* product,
                                                  cusparseLtMatmulAlg_t algorithm) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!content<SparseMatmul>(product) || algorithm != CUSPARSELT_MATMUL_ALG_DEFAULT)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return put(result, SparseAlgorithm{});
}

cusparseStatus_t cusparseLtMatmulAlgSelectionDestroy(const cusparseLtMatmulAlgSelection_t* selection) {
  return erase<SparseAlgorithm>(selection);
}

cusparseStatus_t cusparseLtMatmulAlgSetAttribute(const cusparseLtHandle_t* handle,
                                                 cusparseLtMatmulAlgSelection_t* selection,
                                                 cusparseLtMatmulAlgAttribute_t attribute, const void* data,
                                                 std::size_t bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  std::optional<SparseAlgorithm> algorithm = content<SparseAlgorithm>(selection);
  if (!algorithm || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool is_set = with_attribute(*algorithm, attribute, bytes,
                                     [&](auto& value) { std::memcpy(&value, data, sizeof value); });
  return is_set ? put(selection, *algorithm) : CUSPARSE_STATUS_INVALID_VALUE;
}

// How many algorithms the real one has depends on the device and the product: here there is one.
cusparseStatus_t cusparseLtMatmulAlgGetAttribute(const cusparseLtHandle_t* handle,
                                                 const cusparseLtMatmulAlgSelection_t* selection,
                                                 cusparseLtMatmulAlgAttribute_t attribute, void* data,
                                                 std::size_t bytes) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  std::optional<SparseAlgorithm> algorithm = content<SparseAlgorithm>(selection);
  if (!algorithm || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (attribute == CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID && bytes == sizeof(int)) {
    *static_cast<int*>(data) = 1;
    return CUSPARSE_STATUS_SUCCESS;
  }
  const bool is_reported = with_attribute(
      *algorithm, attribute, bytes, [&](const auto& value) { std::memcpy(data, &value, sizeof value); });
  return is_reported ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseLtMatmulPlanInit(const cusparseLtHandle_t* handle, cusparseLtMatmulPlan_t* result,
                                          const cusparseLtMatmulDescriptor_t* opaque,
                                          const cusparseLtMatmulAlgSelection_t* selection) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const std::optional<SparseMatmul> product = content<SparseMatmul>(opaque);
  if (!product || !content<SparseAlgorithm>(selection)) return CUSPARSE_STATUS_INVALID_VALUE;
  return put(result, SparsePlan{.structured = product->structured});
}

cusparseStatus_t cusparseLtMatmulPlanDestroy(const cusparseLtMatmulPlan_t* plan) {
  return erase<SparsePlan>(plan);
}

// Not documented: zero, the least, and counted.
cusparseStatus_t cusparseLtMatmulGetWorkspace(const cusparseLtHandle_t* handle,
                                              const cusparseLtMatmulPlan_t* plan, std::size_t* bytes) {
  const MachineState state = machine();
  if (!is_handle(handle) || state.machine == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!content<SparsePlan>(plan) || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  state.machine->counts().unknown_workspaces.add();
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLtMatmul(const cusparseLtHandle_t* handle, const cusparseLtMatmulPlan_t* plan,
                                  const void*, const void*, const void*, const void*, const void*, void*,
                                  void*, cudaStream_t* streams, std::int32_t count) {
  return execute(handle, plan, streams, count);
}

// One algorithm is the best one.
cusparseStatus_t cusparseLtMatmulSearch(const cusparseLtHandle_t* handle, cusparseLtMatmulPlan_t* plan,
                                        const void*, const void*, const void*, const void*, const void*,
                                        void*, void*, cudaStream_t* streams, std::int32_t count) {
  return execute(handle, plan, streams, count);
}
