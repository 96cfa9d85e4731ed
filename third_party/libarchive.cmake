# SPDX-License-Identifier: Apache-2.0
# libarchive, 3.4 or later: `strata bundle` writes its .tar.gz with it. From the system: libarchive-dev.
find_package(LibArchive 3.4 REQUIRED)
