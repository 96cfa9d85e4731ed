# SPDX-License-Identifier: Apache-2.0
"""The cells of a grid as jobs of submitit: on a cluster that the machines' own submitit settings lead to, or here.

    strata grid run grid.yaml --out grids/mine --engine manifest > cells.txt    # one command a cell; nothing is started
    python examples/python/submitit_grid.py cells.txt --cluster slurm --slurm_partition gpu
    strata grid report grids/mine
"""

import argparse
import pathlib

import submitit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cells", type=pathlib.Path)
    parser.add_argument("--cluster", default=None, help="slurm, local or debug; submitit finds Slurm by itself")
    parser.add_argument("--slurm_partition")
    settings = parser.parse_args()
    executor = submitit.AutoExecutor(settings.cells.with_suffix(".jobs"), cluster=settings.cluster)
    executor.update_parameters(timeout_min=60, slurm_partition=settings.slurm_partition, slurm_array_parallelism=16)
    cells = settings.cells.read_text().splitlines()
    with executor.batch():  # one array
        jobs = [executor.submit(submitit.helpers.CommandFunction(["sh", "-c", cell])) for cell in cells]
    for cell, job in zip(cells, jobs):
        job.result()  # raises where the cell failed; one that ran out of memory has a result
        print(f"{cell.split()[-1]}: job {job.job_id}")


if __name__ == "__main__":
    main()
