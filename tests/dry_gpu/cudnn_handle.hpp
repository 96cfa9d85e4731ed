// SPDX-License-Identifier: Apache-2.0
// A test with a handle of cuDNN.
#pragma once

#include <cudnn.h>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {

class Cudnn : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ASSERT_EQ(cudnnCreate(&handle_), CUDNN_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cudnnDestroy(handle_), CUDNN_STATUS_SUCCESS); }

  cudnnHandle_t handle_ = nullptr;
};

}  // namespace strata::dry_gpu
