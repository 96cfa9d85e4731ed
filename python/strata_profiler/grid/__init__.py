# SPDX-License-Identifier: Apache-2.0
"""Hands the cells of a grid out as jobs of a scheduler with an interface in Python: `python -m strata_profiler.grid DIR --through ray`.

`strata grid` plans the cells and reads their results; each job is one `strata grid cell`. This package imports submitit or Ray when it is asked to.
"""
