# SPDX-License-Identifier: Apache-2.0
# CLI11, 2.1 or later: the command line of `strata`. Headers only. From the system: libcli11-dev.
find_package(CLI11 2.1 REQUIRED)
