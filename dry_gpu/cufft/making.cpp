// SPDX-License-Identifier: Apache-2.0
// Functions that make a plan, or query its needs beforehand.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "dry_gpu/cufft/plans.hpp"

using namespace strata::dry_gpu;

namespace {

// Nothing: there is no such type.
std::optional<TransformKind> kind_of(cufftType type) {
  switch (type) {
    case CUFFT_R2C:
    case CUFFT_C2R:
      return TransformKind{.is_real = true};
    case CUFFT_C2C:
      return TransformKind{};
    case CUFFT_D2Z:
    case CUFFT_Z2D:
      return TransformKind{.is_real = true, .complex_bytes = sizeof(cufftDoubleComplex)};
    case CUFFT_Z2Z:
      return TransformKind{.complex_bytes = sizeof(cufftDoubleComplex)};
  }
  return std::nullopt;
}

// Lengths as the functions of 64 bits have them: null, where there can be no transform.
class Widened {
 public:
  Widened(int rank, const int* lengths) : is_known_(rank >= 1 && rank <= 3 && lengths != nullptr) {
    if (is_known_) std::copy_n(lengths, rank, lengths_.begin());
  }
  const long long* data() const { return is_known_ ? lengths_.data() : nullptr; }

 private:
  const bool is_known_;
  std::array<long long, 3> lengths_{};
};

cufftResult make_typed(cufftHandle handle, int rank, const long long* lengths, cufftType type,
                       long long batch, std::size_t* bytes) {
  const std::optional<TransformKind> kind = kind_of(type);
  return kind ? make(handle, {rank, lengths, batch}, *kind, bytes) : CUFFT_INVALID_TYPE;
}

// A new plan, made at once.
cufftResult plan(cufftHandle* result, int rank, const long long* lengths, cufftType type, long long batch) {
  if (const cufftResult created = cufftCreate(result); created != CUFFT_SUCCESS) return created;
  const cufftResult made = make_typed(*result, rank, lengths, type, batch, nullptr);
  if (made != CUFFT_SUCCESS) plans().destroy(*result);
  return made;
}

cufftResult ask(const Shape& shape, std::optional<TransformKind> kind, std::size_t* bytes) {
  if (!kind) return CUFFT_INVALID_TYPE;
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  if (const cufftResult result = check_shape(shape); result != CUFFT_SUCCESS) return result;
  return report_work_area(shape, *kind, bytes);
}

cufftResult ask_plan(cufftHandle handle, const Shape& shape, std::optional<TransformKind> kind,
                     std::size_t* bytes) {
  const cufftResult known = plans().with(handle, [](const Plan&) { return CUFFT_SUCCESS; });
  return known == CUFFT_SUCCESS ? ask(shape, kind, bytes) : known;
}

struct Precision {
  cudaDataType real, complex;
  std::size_t complex_bytes;
};
constexpr std::array<Precision, 4> kPrecisions{{{CUDA_R_16F, CUDA_C_16F, 4},
                                                {CUDA_R_16BF, CUDA_C_16BF, 4},
                                                {CUDA_R_32F, CUDA_C_32F, sizeof(cufftComplex)},
                                                {CUDA_R_64F, CUDA_C_64F, sizeof(cufftDoubleComplex)}}};

// For types accepted by check_types.
TransformKind kind_of(cudaDataType input, cudaDataType output, cudaDataType execution) {
  for (const Precision& precision : kPrecisions) {
    if (execution == precision.complex)
      return {.is_real = input != output, .complex_bytes = precision.complex_bytes};
  }
  return {};
}

// Complex to complex, real to complex and back, all in one precision; half ones only of powers of two.
cufftResult check_types(cudaDataType input, cudaDataType output, cudaDataType execution, int rank,
                        const long long* lengths) {
  for (const Precision& precision : kPrecisions) {
    if (execution != precision.complex) continue;
    const bool is_known = (input == precision.complex || input == precision.real) &&
                          (output == precision.complex || (output == precision.real && input != output));
    if (!is_known) return CUFFT_INVALID_TYPE;
    if (execution == CUDA_C_32F || execution == CUDA_C_64F) return CUFFT_SUCCESS;
    for (int dimension = 0; dimension < rank; ++dimension)
      if (!std::has_single_bit(static_cast<unsigned long long>(lengths[dimension])))
        return CUFFT_INVALID_SIZE;
    return CUFFT_SUCCESS;
  }
  return CUFFT_INVALID_TYPE;
}

cufftResult check(int rank, const long long* lengths, long long batch, cudaDataType input,
                  cudaDataType output, cudaDataType execution) {
  const cufftResult result = check_shape({rank, lengths, batch});
  return result == CUFFT_SUCCESS ? check_types(input, output, execution, rank, lengths) : result;
}

}  // namespace

cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long* lengths, long long*, long long,
                                long long, cudaDataType input, long long*, long long, long long,
                                cudaDataType output, long long batch, std::size_t* bytes,
                                cudaDataType execution) {
  const cufftResult result = check(rank, lengths, batch, input, output, execution);
  if (result != CUFFT_SUCCESS) return result;
  return make(handle, {rank, lengths, batch}, kind_of(input, output, execution), bytes);
}

cufftResult cufftXtGetSizeMany(cufftHandle handle, int rank, long long* lengths, long long*, long long,
                               long long, cudaDataType input, long long*, long long, long long,
                               cudaDataType output, long long batch, std::size_t* bytes,
                               cudaDataType execution) {
  const cufftResult result = check(rank, lengths, batch, input, output, execution);
  if (result != CUFFT_SUCCESS) return result;
  return ask_plan(handle, {rank, lengths, batch}, kind_of(input, output, execution), bytes);
}

cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* lengths, long long*, long long,
                                long long, long long*, long long, long long, cufftType type, long long batch,
                                std::size_t* bytes) {
  return make_typed(handle, rank, lengths, type, batch, bytes);
}

cufftResult cufftGetSizeMany64(cufftHandle handle, int rank, long long* lengths, long long*, long long,
                               long long, long long*, long long, long long, cufftType type, long long batch,
                               std::size_t* bytes) {
  return ask_plan(handle, {rank, lengths, batch}, kind_of(type), bytes);
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* lengths, int*, int, int, int*, int, int,
                              cufftType type, int batch, std::size_t* bytes) {
  return make_typed(handle, rank, Widened(rank, lengths).data(), type, batch, bytes);
}
cufftResult cufftPlanMany(cufftHandle* result, int rank, int* lengths, int*, int, int, int*, int, int,
                          cufftType type, int batch) {
  return plan(result, rank, Widened(rank, lengths).data(), type, batch);
}
cufftResult cufftGetSizeMany(cufftHandle handle, int rank, int* lengths, int*, int, int, int*, int, int,
                             cufftType type, int batch, std::size_t* bytes) {
  return ask_plan(handle, {rank, Widened(rank, lengths).data(), batch}, kind_of(type), bytes);
}
cufftResult cufftEstimateMany(int rank, int* lengths, int*, int, int, int*, int, int, cufftType type,
                              int batch, std::size_t* bytes) {
  return ask({rank, Widened(rank, lengths).data(), batch}, kind_of(type), bytes);
}

cufftResult cufftMakePlan1d(cufftHandle handle, int x, cufftType type, int batch, std::size_t* bytes) {
  return make_typed(handle, 1, std::array<long long, 1>{x}.data(), type, batch, bytes);
}
cufftResult cufftPlan1d(cufftHandle* result, int x, cufftType type, int batch) {
  return plan(result, 1, std::array<long long, 1>{x}.data(), type, batch);
}
cufftResult cufftGetSize1d(cufftHandle handle, int x, cufftType type, int batch, std::size_t* bytes) {
  return ask_plan(handle, {1, std::array<long long, 1>{x}.data(), batch}, kind_of(type), bytes);
}
cufftResult cufftEstimate1d(int x, cufftType type, int batch, std::size_t* bytes) {
  return ask({1, std::array<long long, 1>{x}.data(), batch}, kind_of(type), bytes);
}

cufftResult cufftMakePlan2d(cufftHandle handle, int x, int y, cufftType type, std::size_t* bytes) {
  return make_typed(handle, 2, std::array<long long, 2>{x, y}.data(), type, 1, bytes);
}
cufftResult cufftPlan2d(cufftHandle* result, int x, int y, cufftType type) {
  return plan(result, 2, std::array<long long, 2>{x, y}.data(), type, 1);
}
cufftResult cufftGetSize2d(cufftHandle handle, int x, int y, cufftType type, std::size_t* bytes) {
  return ask_plan(handle, {2, std::array<long long, 2>{x, y}.data(), 1}, kind_of(type), bytes);
}
cufftResult cufftEstimate2d(int x, int y, cufftType type, std::size_t* bytes) {
  return ask({2, std::array<long long, 2>{x, y}.data(), 1}, kind_of(type), bytes);
}

cufftResult cufftMakePlan3d(cufftHandle handle, int x, int y, int z, cufftType type, std::size_t* bytes) {
  return make_typed(handle, 3, std::array<long long, 3>{x, y, z}.data(), type, 1, bytes);
}
cufftResult cufftPlan3d(cufftHandle* result, int x, int y, int z, cufftType type) {
  return plan(result, 3, std::array<long long, 3>{x, y, z}.data(), type, 1);
}
cufftResult cufftGetSize3d(cufftHandle handle, int x, int y, int z, cufftType type, std::size_t* bytes) {
  return ask_plan(handle, {3, std::array<long long, 3>{x, y, z}.data(), 1}, kind_of(type), bytes);
}
cufftResult cufftEstimate3d(int x, int y, int z, cufftType type, std::size_t* bytes) {
  return ask({3, std::array<long long, 3>{x, y, z}.data(), 1}, kind_of(type), bytes);
}
