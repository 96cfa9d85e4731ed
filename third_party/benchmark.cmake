# SPDX-License-Identifier: Apache-2.0
# Google Benchmark, 1.6 or later: the executables in bench/. From the system: libbenchmark-dev.
find_package(benchmark 1.6 REQUIRED)
