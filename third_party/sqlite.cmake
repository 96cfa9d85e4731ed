# SPDX-License-Identifier: Apache-2.0
# SQLite, 3.36 or later: the run store. From the system: libsqlite3-dev.
find_package(SQLite3 3.36 REQUIRED)
