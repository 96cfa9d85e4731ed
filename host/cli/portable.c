// SPDX-License-Identifier: Apache-2.0
// What the portable program needs beside its archives (host/cli/CMakeLists.txt): it runs on a glibc that is
// older than the one it was linked on, and links libarchive without the libraries of formats that nothing
// here writes.
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

// glibc has it from 2.36 on; expat takes the seed of its hash tables from it.
void arc4random_buf(void* bytes, size_t count);
void arc4random_buf(void* bytes, size_t count) {
  uint8_t* at = bytes;
  while (count > 0) {
    const ssize_t got = getrandom(at, count, 0);
    if (got <= 0) continue;  // interrupted
    at += got;
    count -= (size_t)got;
  }
}

// libarchive's table of formats names them all. Defined here, these bring neither libxml2 nor ciphers: a call
// fails with ARCHIVE_FATAL, and none is made.
struct archive;
enum { kFatal = -30 };
#define STRATA_NOT_WRITTEN(format)                                 \
  int archive_write_set_format_##format(struct archive*);          \
  int archive_write_set_format_##format(struct archive* archive) { \
    (void)archive;                                                 \
    return kFatal;                                                 \
  }
STRATA_NOT_WRITTEN(7zip)
STRATA_NOT_WRITTEN(iso9660)
STRATA_NOT_WRITTEN(mtree)
STRATA_NOT_WRITTEN(mtree_classic)
STRATA_NOT_WRITTEN(warc)
STRATA_NOT_WRITTEN(xar)
STRATA_NOT_WRITTEN(zip)
