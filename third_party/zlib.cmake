# SPDX-License-Identifier: Apache-2.0
# zlib, 1.2 or later: compressed exports (`strata export --out trace.json.gz`). From the system: zlib1g-dev.
find_package(ZLIB 1.2 REQUIRED)
