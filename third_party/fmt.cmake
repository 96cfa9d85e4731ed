# SPDX-License-Identifier: Apache-2.0
# fmt, 8.1 or later: formats messages and tables (g++ 12 has no std::format). From the system: libfmt-dev.
find_package(fmt 8.1 REQUIRED)
