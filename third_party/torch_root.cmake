# SPDX-License-Identifier: Apache-2.0
# The folder of LibTorch: STRATA_TORCH_ROOT, the `torch` folder of a wheel or an unpacked LibTorch; by default
# the wheel's in .venv (third_party/requirements.txt). Sets torch_root; it is empty if there is none.

set(STRATA_TORCH_ROOT "" CACHE PATH "LibTorch: the folder that has include/ and lib/. Empty: the checkout's .venv")

set(torch_root ${STRATA_TORCH_ROOT})
if(NOT torch_root)
  file(GLOB wheels ${PROJECT_SOURCE_DIR}/.venv/lib/python3.*/site-packages/torch)
  list(POP_FRONT wheels torch_root)
endif()
