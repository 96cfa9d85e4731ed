// SPDX-License-Identifier: Apache-2.0
// cuSPARSE and cuSPARSELt as programs call them: descriptors that store their values, buffers of unknown
// size, and numbers that the device would have computed.
#include <cusparse.h>
#include <cusparseLt.h>

#include <array>
#include <memory>
#include <new>

#include "dry_gpu/library_object.hpp"
#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class Cusparse : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ASSERT_EQ(cusparseCreate(&handle_), CUSPARSE_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cusparseDestroy(handle_), CUSPARSE_STATUS_SUCCESS); }

  static cusparseSpMatDescr_t rows_of(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    cusparseSpMatDescr_t matrix = nullptr;
    EXPECT_EQ(cusparseCreateCsr(&matrix, rows, columns, entries, nullptr, nullptr, nullptr,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
              CUSPARSE_STATUS_SUCCESS);
    return matrix;
  }

  cusparseHandle_t handle_ = nullptr;
  std::array<int, 4> offsets_{}, indices_{}, values_{};
};

TEST_F(Cusparse, KeepsItsSettings) {
  cusparsePointerMode_t mode{};
  EXPECT_EQ(cusparseSetPointerMode(handle_, CUSPARSE_POINTER_MODE_DEVICE), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseGetPointerMode(handle_, &mode), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUSPARSE_POINTER_MODE_DEVICE);
  EXPECT_EQ(cusparseGetPointerMode(nullptr, &mode), CUSPARSE_STATUS_NOT_INITIALIZED);
  int version = 0;
  EXPECT_EQ(cusparseGetVersion(handle_, &version), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(version, CUSPARSE_VERSION);

  cusparseMatDescr_t kind = nullptr;
  ASSERT_EQ(cusparseCreateMatDescr(&kind), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseGetMatType(kind), CUSPARSE_MATRIX_TYPE_GENERAL);
  EXPECT_EQ(cusparseGetMatIndexBase(kind), CUSPARSE_INDEX_BASE_ZERO);
  EXPECT_EQ(cusparseSetMatType(kind, CUSPARSE_MATRIX_TYPE_TRIANGULAR), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSetMatFillMode(kind, CUSPARSE_FILL_MODE_UPPER), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSetMatDiagType(kind, CUSPARSE_DIAG_TYPE_UNIT), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSetMatIndexBase(kind, CUSPARSE_INDEX_BASE_ONE), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSetMatIndexBase(nullptr, CUSPARSE_INDEX_BASE_ONE), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusparseGetMatType(kind), CUSPARSE_MATRIX_TYPE_TRIANGULAR);
  EXPECT_EQ(cusparseGetMatFillMode(kind), CUSPARSE_FILL_MODE_UPPER);
  EXPECT_EQ(cusparseGetMatDiagType(kind), CUSPARSE_DIAG_TYPE_UNIT);
  EXPECT_EQ(cusparseGetMatIndexBase(kind), CUSPARSE_INDEX_BASE_ONE);
  EXPECT_EQ(cusparseDestroyMatDescr(kind), CUSPARSE_STATUS_SUCCESS);
}

TEST_F(Cusparse, DescribesSparseMatrices) {
  cusparseSpMatDescr_t matrix = nullptr;
  ASSERT_EQ(cusparseCreateCsc(&matrix, 3, 2, 4, offsets_.data(), indices_.data(), values_.data(),
                              CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F),
            CUSPARSE_STATUS_SUCCESS);
  std::int64_t rows = 0, columns = 0, entries = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;
  cusparseIndexType_t offset_type{}, index_type{};
  cusparseIndexBase_t base{};
  cudaDataType type{};
  EXPECT_EQ(cusparseCscGet(matrix, &rows, &columns, &entries, &offsets, &indices, &values, &offset_type,
                           &index_type, &base, &type),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ((std::array{rows, columns, entries}), (std::array<std::int64_t, 3>{3, 2, 4}));
  EXPECT_EQ((std::array{offsets, indices, values}),
            (std::array<void*, 3>{offsets_.data(), indices_.data(), values_.data()}));
  EXPECT_EQ((std::array{offset_type, index_type}), (std::array{CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I}));
  EXPECT_EQ(base, CUSPARSE_INDEX_BASE_ONE);
  EXPECT_EQ(type, CUDA_C_32F);
  EXPECT_EQ(cusparseCsrGet(matrix, &rows, &columns, &entries, &offsets, &indices, &values, &offset_type,
                           &index_type, &base, &type),
            CUSPARSE_STATUS_INVALID_VALUE)
      << "it is by columns";
  cusparseFormat_t format{};
  EXPECT_EQ(cusparseSpMatGetFormat(matrix, &format), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(format, CUSPARSE_FORMAT_CSC);

  EXPECT_EQ(cusparseCscSetPointers(matrix, values_.data(), offsets_.data(), indices_.data()),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSpMatGetValues(matrix, &values), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(values, indices_.data());
  EXPECT_EQ(cusparseCooSetPointers(matrix, nullptr, nullptr, nullptr), CUSPARSE_STATUS_INVALID_VALUE);

  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
  EXPECT_EQ(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSpMatSetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, 1),
            CUSPARSE_STATUS_INVALID_VALUE);
  fill = CUSPARSE_FILL_MODE_LOWER;
  EXPECT_EQ(cusparseSpMatGetAttribute(matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(fill, CUSPARSE_FILL_MODE_UPPER);

  int batches = 0;
  EXPECT_EQ(cusparseCsrSetStridedBatch(matrix, 5, 3, 4), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSpMatGetStridedBatch(matrix, &batches), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(batches, 5);
  EXPECT_EQ(cusparseCsrSetStridedBatch(matrix, 0, 3, 4), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);

  EXPECT_EQ(cusparseCreateCoo(&matrix, -1, 2, 4, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            CUSPARSE_STATUS_INVALID_VALUE);
  ASSERT_EQ(cusparseCreateBsr(&matrix, 3, 2, 4, 8, 16, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, CUSPARSE_ORDER_COL),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseSpMatGetSize(matrix, &rows, &columns, &entries), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ((std::array{rows, columns, entries}), (std::array<std::int64_t, 3>{24, 32, 512}));
  EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);
}

TEST_F(Cusparse, DescribesDenseOnes) {
  cusparseConstDnMatDescr_t matrix = nullptr;
  EXPECT_EQ(cusparseCreateConstDnMat(&matrix, 4, 3, 3, values_.data(), CUDA_R_32F, CUSPARSE_ORDER_COL),
            CUSPARSE_STATUS_INVALID_VALUE)
      << "a column has four";
  ASSERT_EQ(cusparseCreateConstDnMat(&matrix, 4, 3, 3, values_.data(), CUDA_R_32F, CUSPARSE_ORDER_ROW),
            CUSPARSE_STATUS_SUCCESS);
  std::int64_t rows = 0, columns = 0, leading = 0;
  const void* values = nullptr;
  cudaDataType type{};
  cusparseOrder_t order{};
  EXPECT_EQ(cusparseConstDnMatGet(matrix, &rows, &columns, &leading, &values, &type, &order),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ((std::array{rows, columns, leading}), (std::array<std::int64_t, 3>{4, 3, 3}));
  EXPECT_EQ(values, values_.data());
  EXPECT_EQ(order, CUSPARSE_ORDER_ROW);
  EXPECT_EQ(cusparseDestroyDnMat(matrix), CUSPARSE_STATUS_SUCCESS);

  cusparseDnMatDescr_t batch = nullptr;
  ASSERT_EQ(cusparseCreateDnMat(&batch, 2, 2, 2, values_.data(), CUDA_R_32F, CUSPARSE_ORDER_COL),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDnMatSetStridedBatch(batch, 3, 12), CUSPARSE_STATUS_SUCCESS);
  int batches = 0;
  std::int64_t stride = 0;
  EXPECT_EQ(cusparseDnMatGetStridedBatch(batch, &batches, &stride), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(stride, 12);
  EXPECT_EQ(cusparseDestroyDnMat(batch), CUSPARSE_STATUS_SUCCESS);

  cusparseDnVecDescr_t vector = nullptr;
  EXPECT_EQ(cusparseCreateDnVec(&vector, -1, nullptr, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
  ASSERT_EQ(cusparseCreateDnVec(&vector, 4, nullptr, CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDnVecSetValues(vector, values_.data()), CUSPARSE_STATUS_SUCCESS);
  void* kept = nullptr;
  EXPECT_EQ(cusparseDnVecGet(vector, &rows, &kept, &type), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(kept, values_.data());
  EXPECT_EQ(cusparseDestroyDnVec(vector), CUSPARSE_STATUS_SUCCESS);
}

TEST_F(Cusparse, AsksForTheLeastAndSaysThatItDoesNotKnow) {
  cusparseSpMatDescr_t matrix = rows_of(4, 4, 2);
  cusparseDnVecDescr_t vector = nullptr;
  ASSERT_EQ(cusparseCreateDnVec(&vector, 4, nullptr, CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  const float one = 1;
  std::size_t bytes = 7;
  EXPECT_EQ(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &one,
                                    vector, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, nullptr, vector, &one,
                                    vector, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
            CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &one, vector,
                         CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.unknown_workspaces - before.unknown_workspaces, 1u);
  EXPECT_EQ(after.library_calls - before.library_calls, 1u);
  EXPECT_EQ(cusparseDestroyDnVec(vector), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);
}

TEST_F(Cusparse, WorksInNoStreamThatWasDestroyed) {
  cusparseSpMatDescr_t matrix = rows_of(4, 4, 2);
  cusparseDnVecDescr_t vector = nullptr;
  ASSERT_EQ(cusparseCreateDnVec(&vector, 4, nullptr, CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
  const float one = 1;
  const auto multiply = [&] {
    return cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector, &one, vector,
                        CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  };
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cusparseSetStream(handle_, stream), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(multiply(), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(multiply(), CUSPARSE_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(cusparseDestroyDnVec(vector), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);
}

// Creates the descriptors of every library.
TEST(LibraryObject, AnswersThatTheHostHasNoRoom) {
  struct Large {
    Large() = default;
    Large(const Large&) { throw std::bad_alloc(); }
  };
  Large* made = nullptr;
  EXPECT_EQ(give_new<CUSPARSE_STATUS_ALLOC_FAILED>(&made, Large()), CUSPARSE_STATUS_ALLOC_FAILED);
  EXPECT_EQ(made, nullptr);
  const int* number = nullptr;
  ASSERT_EQ(give_new<CUSPARSE_STATUS_ALLOC_FAILED>(&number, 5), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(*number, 5);
  const std::unique_ptr<const int> owned(number);
}

// The device's count is unknown; a sum has at least the entries of either matrix.
TEST_F(Cusparse, TellsHowManyEntriesThereAreAtLeast) {
  cusparseMatDescr_t kind = nullptr;
  ASSERT_EQ(cusparseCreateMatDescr(&kind), CUSPARSE_STATUS_SUCCESS);
  strata_dry_gpu_counts before = strata_dry_gpu_count();
  int entries = -1;
  EXPECT_EQ(cusparseXcsrgeam2Nnz(handle_, 4, 4, kind, 3, nullptr, nullptr, kind, 5, nullptr, nullptr, kind,
                                 nullptr, &entries, nullptr),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(entries, 5);
  EXPECT_EQ(strata_dry_gpu_count().unknown_reads - before.unknown_reads, 1u);
  EXPECT_EQ(cusparseDestroyMatDescr(kind), CUSPARSE_STATUS_SUCCESS);

  cusparseSpMatDescr_t a = rows_of(4, 3, 2), b = rows_of(3, 5, 2), c = rows_of(4, 5, 0);
  cusparseSpGEMMDescr_t product = nullptr;
  ASSERT_EQ(cusparseSpGEMM_createDescr(&product), CUSPARSE_STATUS_SUCCESS);
  const float one = 1;
  const auto kNone = CUSPARSE_OPERATION_NON_TRANSPOSE;
  before = strata_dry_gpu_count();
  // Each stage is called for its size and then for its work, and the descriptor is used for two products.
  for (const auto stage : {&cusparseSpGEMM_workEstimation, &cusparseSpGEMM_compute,
                           &cusparseSpGEMM_workEstimation, &cusparseSpGEMM_compute}) {
    for (int call = 0; call < 2; ++call) {
      std::size_t bytes = 7;
      EXPECT_EQ(stage(handle_, kNone, kNone, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                      product, &bytes, nullptr),
                CUSPARSE_STATUS_SUCCESS);
      EXPECT_EQ(bytes, 0u);
    }
  }
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.unknown_workspaces - before.unknown_workspaces, 2u * 2u);
  EXPECT_EQ(after.unknown_reads - before.unknown_reads, 2u);
  EXPECT_EQ(after.library_calls - before.library_calls, 2u * 2u);
  std::int64_t rows = 0, columns = 0, found = -1;
  EXPECT_EQ(cusparseSpMatGetSize(c, &rows, &columns, &found), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ((std::array{rows, columns, found}), (std::array<std::int64_t, 3>{4, 5, 0}));
  EXPECT_EQ(cusparseSpGEMM_destroyDescr(product), CUSPARSE_STATUS_SUCCESS);
  for (cusparseSpMatDescr_t matrix : {a, b, c})
    EXPECT_EQ(cusparseDestroySpMat(matrix), CUSPARSE_STATUS_SUCCESS);
}

TEST(CusparseLt, KnowsHowLargeHalfAMatrixIs) {
  cusparseLtHandle_t handle{};
  cusparseLtMatDescriptor_t matrix{};
  EXPECT_EQ(cusparseLtStructuredDescriptorInit(&handle, &matrix, 64, 128, 128, 16, CUDA_R_16BF,
                                               CUSPARSE_ORDER_ROW, CUSPARSELT_SPARSITY_50_PERCENT),
            CUSPARSE_STATUS_NOT_INITIALIZED);
  ASSERT_EQ(cusparseLtInit(&handle), CUSPARSE_STATUS_SUCCESS);
  // For 64 x 128: 4,096 values are kept, with two bits for each; four bits if one of two is kept.
  struct Case {
    cudaDataType type;
    std::size_t bytes;
  };
  for (const auto& [type, expected] : {Case{CUDA_R_16BF, 4096 * 2 + 1024}, Case{CUDA_R_8I, 4096 + 1024},
                                       Case{CUDA_R_32F, 4096 * 4 + 2048}}) {
    ASSERT_EQ(cusparseLtStructuredDescriptorInit(&handle, &matrix, 64, 128, 128, 16, type, CUSPARSE_ORDER_ROW,
                                                 CUSPARSELT_SPARSITY_50_PERCENT),
              CUSPARSE_STATUS_SUCCESS);
    std::size_t bytes = 0, buffer_bytes = 7;
    EXPECT_EQ(cusparseLtSpMMACompressedSize2(&handle, &matrix, &bytes, &buffer_bytes),
              CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(buffer_bytes, 0u);
    EXPECT_EQ(cusparseLtMatDescriptorDestroy(&matrix), CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(cusparseLtSpMMACompressedSize2(&handle, &matrix, &bytes, &buffer_bytes),
              CUSPARSE_STATUS_INVALID_VALUE)
        << "it was destroyed";
  }
  EXPECT_EQ(cusparseLtStructuredDescriptorInit(&handle, &matrix, 64, 128, 128, 16, CUDA_R_64F,
                                               CUSPARSE_ORDER_ROW, CUSPARSELT_SPARSITY_50_PERCENT),
            CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusparseLtDestroy(&handle), CUSPARSE_STATUS_SUCCESS);
  EXPECT_STREQ(cusparseLtGetErrorName(CUSPARSE_STATUS_NOT_SUPPORTED), "CUSPARSE_STATUS_NOT_SUPPORTED");
}

TEST(CusparseLt, PlansAndChooses) {
  cusparseLtHandle_t handle{};
  ASSERT_EQ(cusparseLtInit(&handle), CUSPARSE_STATUS_SUCCESS);
  cusparseLtMatDescriptor_t sparse{}, dense{};
  ASSERT_EQ(cusparseLtStructuredDescriptorInit(&handle, &sparse, 64, 64, 64, 16, CUDA_R_16F,
                                               CUSPARSE_ORDER_ROW, CUSPARSELT_SPARSITY_50_PERCENT),
            CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseLtDenseDescriptorInit(&handle, &dense, 64, 64, 64, 16, CUDA_R_16F, CUSPARSE_ORDER_ROW),
            CUSPARSE_STATUS_SUCCESS);
  cusparseLtMatmulDescriptor_t product{};
  const auto kNone = CUSPARSE_OPERATION_NON_TRANSPOSE;
  EXPECT_EQ(cusparseLtMatmulDescriptorInit(&handle, &product, kNone, kNone, &dense, &dense, &dense, &dense,
                                           CUSPARSE_COMPUTE_32F),
            CUSPARSE_STATUS_NOT_SUPPORTED)
      << "none is sparse";
  ASSERT_EQ(cusparseLtMatmulDescriptorInit(&handle, &product, kNone, kNone, &sparse, &dense, &dense, &dense,
                                           CUSPARSE_COMPUTE_32F),
            CUSPARSE_STATUS_SUCCESS);
  cusparseLtMatmulAlgSelection_t choice{};
  ASSERT_EQ(cusparseLtMatmulAlgSelectionInit(&handle, &choice, &product, CUSPARSELT_MATMUL_ALG_DEFAULT),
            CUSPARSE_STATUS_SUCCESS);
  int split = 3, kept = 0, algorithms = 0;
  EXPECT_EQ(
      cusparseLtMatmulAlgSetAttribute(&handle, &choice, CUSPARSELT_MATMUL_SPLIT_K, &split, sizeof split),
      CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusparseLtMatmulAlgGetAttribute(&handle, &choice, CUSPARSELT_MATMUL_SPLIT_K, &kept, sizeof kept),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(kept, 3);
  EXPECT_EQ(cusparseLtMatmulAlgSetAttribute(&handle, &choice, CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID, &split,
                                            sizeof split),
            CUSPARSE_STATUS_INVALID_VALUE)
      << "it is to be read only";
  EXPECT_EQ(cusparseLtMatmulAlgGetAttribute(&handle, &choice, CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID,
                                            &algorithms, sizeof algorithms),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(algorithms, 1);
  cusparseLtMatmulPlan_t plan{};
  std::size_t bytes = 7;
  EXPECT_EQ(cusparseLtMatmulGetWorkspace(&handle, &plan, &bytes), CUSPARSE_STATUS_INVALID_VALUE);
  ASSERT_EQ(cusparseLtMatmulPlanInit(&handle, &plan, &product, &choice), CUSPARSE_STATUS_SUCCESS);
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  EXPECT_EQ(cusparseLtMatmulGetWorkspace(&handle, &plan, &bytes), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cusparseLtMatmul(&handle, &plan, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             &stream, 1),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(strata_dry_gpu_count().unknown_workspaces - before.unknown_workspaces, 1u);
  EXPECT_EQ(strata_dry_gpu_count().library_calls - before.library_calls, 1u);
}

}  // namespace
}  // namespace strata::dry_gpu
