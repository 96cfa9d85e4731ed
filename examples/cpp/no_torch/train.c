/* SPDX-License-Identifier: Apache-2.0 */
/* no_torch [steps]: a network of two layers that learns a sine, in C, with no torch. Steps, phases, warm-up
 * and NVTX ranges work as in any other program; of memory Strata knows what LibTorch's and CUDA's allocators
 * tell, and here is none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <strata/trainer.h>

#include "device_copy.h"

enum { batch_size = 256, hidden = 512 };

static double in_weight[hidden], in_bias[hidden], out_weight[hidden];
static double activation[batch_size][hidden];
static double in_weight_gradient[hidden], in_bias_gradient[hidden], out_weight_gradient[hidden];

static double uniform(void) {
  static unsigned long long state = 1;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 40) / (double)(1 << 24) * 2 - 1;
}

static double forward(const double* x, double* error) {
  double loss = 0;
  for (int i = 0; i < batch_size; ++i) {
    double y = 0;
    for (int j = 0; j < hidden; ++j) {
      activation[i][j] = tanh(in_weight[j] * x[i] + in_bias[j]);
      y += out_weight[j] * activation[i][j];
    }
    error[i] = y - sin(3 * x[i]);
    loss += error[i] * error[i] / batch_size;
  }
  return loss;
}

static void backward(const double* x, const double* error) {
  for (int j = 0; j < hidden; ++j) in_weight_gradient[j] = in_bias_gradient[j] = out_weight_gradient[j] = 0;
  for (int i = 0; i < batch_size; ++i) {
    for (int j = 0; j < hidden; ++j) {
      const double before = error[i] * out_weight[j] * (1 - activation[i][j] * activation[i][j]);
      out_weight_gradient[j] += error[i] * activation[i][j] / batch_size;
      in_weight_gradient[j] += before * x[i] / batch_size;
      in_bias_gradient[j] += before / batch_size;
    }
  }
}

static void descend(double rate) {
  for (int j = 0; j < hidden; ++j) {
    in_weight[j] -= rate * in_weight_gradient[j];
    in_bias[j] -= rate * in_bias_gradient[j];
    out_weight[j] -= rate * out_weight_gradient[j];
  }
}

int main(int count, char** words) {
  const int steps = count > 1 ? atoi(words[1]) : 20;
  for (int j = 0; j < hidden; ++j) {
    in_weight[j] = 3 * uniform();
    in_bias[j] = uniform();
    out_weight[j] = uniform() / hidden;
  }
  double x[batch_size], error[batch_size];
  device_copy* const device = device_copy_open(sizeof x);

  for (int step = 0; step < steps; ++step) {
    STRATA_STEP_BEGIN();

    strata_mark phase = STRATA_PHASE_BEGIN("data");
    for (int i = 0; i < batch_size; ++i) x[i] = uniform();
    device_copy_of(device, x, sizeof x);
    STRATA_PHASE_END(phase);

    phase = STRATA_PHASE_BEGIN("forward");
    strata_mark layers = STRATA_MODULE_BEGIN("layers", "Sine");
    const double loss = forward(x, error);
    STRATA_MODULE_END(layers);
    STRATA_PHASE_END(phase);

    phase = STRATA_PHASE_BEGIN("backward");
    backward(x, error);
    STRATA_PHASE_END(phase);

    phase = STRATA_PHASE_BEGIN("optimizer");
    descend(0.01);
    STRATA_PHASE_END(phase);

    STRATA_STEP_RESULT(loss, batch_size);
    STRATA_STEP_END();
    printf("%.9f\n", loss);
  }
  device_copy_close(device);
  return 0;
}
