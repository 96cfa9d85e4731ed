// SPDX-License-Identifier: Apache-2.0
#include "host/bundle/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

namespace strata::bundle {

struct Archive::Writer {
  explicit Writer(exports::Output& target) : output(target), handle(archive_write_new()) {
    if (handle == nullptr) throw std::bad_alloc();
  }
  ~Writer() { archive_write_free(handle); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void check(int answer, std::string_view what) {
    // What the output threw cannot pass through C.
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    if (answer >= ARCHIVE_OK) return;
    const char* const reason = archive_error_string(handle);
    throw std::runtime_error(fmt::format("{}: {}", what, reason == nullptr ? "libarchive failed" : reason));
  }

  exports::Output& output;
  archive* handle;
  std::exception_ptr thrown;
};

Archive::Archive(exports::Output& output) : writer_(std::make_unique<Writer>(output)) {
  archive* const handle = writer_->handle;
  writer_->check(archive_write_set_format_pax_restricted(handle), "a tar archive");
  writer_->check(archive_write_add_filter_gzip(handle), "a gzip archive");
  // Without the time at which it was packed.
  writer_->check(archive_write_set_filter_option(handle, "gzip", "timestamp", nullptr), "a gzip archive");
  const auto write = [](archive* written, void* data, const void* bytes, std::size_t count) -> la_ssize_t {
    auto& writer = *static_cast<Writer*>(data);
    try {
      writer.output.write({static_cast<const char*>(bytes), count});
      return static_cast<la_ssize_t>(count);
    } catch (...) {
      if (!writer.thrown) writer.thrown = std::current_exception();
      archive_set_error(written, EIO, "cannot be written");
      return -1;
    }
  };
  writer_->check(archive_write_open(handle, writer_.get(), nullptr, write, nullptr), "the archive");
}

Archive::~Archive() {
  // Not finished: what is left is not to be written any more.
  if (writer_) archive_write_fail(writer_->handle);
}

void Archive::add(const std::string& name, std::string_view content, std::int64_t modified) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                       archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), modified, 0);
  writer_->check(archive_write_header(writer_->handle, entry.get()), name);
  while (!content.empty()) {
    const la_ssize_t count = archive_write_data(writer_->handle, content.data(), content.size());
    writer_->check(count <= 0 ? ARCHIVE_FATAL : ARCHIVE_OK, name);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Archive::finish() {
  writer_->check(archive_write_close(writer_->handle), "the archive's end");
}

}  // namespace strata::bundle
