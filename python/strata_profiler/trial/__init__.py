# SPDX-License-Identifier: Apache-2.0
"""What `strata fit -- python train.py` does within the program that it tries.

`at_start` is put first in PYTHONPATH: Python runs its sitecustomize.py before the program.
"""
