# SPDX-License-Identifier: Apache-2.0
# spdlog, 1.9 or later, with the same fmt that we use: the log. From the system: libspdlog-dev.
find_package(spdlog 1.9 REQUIRED)
