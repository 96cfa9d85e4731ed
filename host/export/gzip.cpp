// SPDX-License-Identifier: Apache-2.0
#include "host/export/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace strata::exports {
namespace {

constexpr int kLevel = 3;  // of 9: a third of the time of the usual 6, for a fifth more bytes
constexpr int kGzipWindow = 15 + 16;
constexpr int kMemoryLevel = 8;

}  // namespace

struct Gzip::Stream {
  z_stream state{};
  std::array<char, 64 << 10> piece{};
};

Gzip::Gzip(Output& under) : under_(under), stream_(std::make_unique<Stream>()) {
  const int result =
      deflateInit2(&stream_->state, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (result != Z_OK) throw std::bad_alloc();
}

Gzip::~Gzip() {
  deflateEnd(&stream_->state);
}

void Gzip::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    deflate(bytes.substr(0, count), false);
    bytes.remove_prefix(count);
  }
}

void Gzip::finish() {
  deflate({}, true);
}

void Gzip::deflate(std::string_view bytes, bool last) {
  z_stream& state = stream_->state;
  // zlib only reads through this pointer.
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  do {
    state.next_out = reinterpret_cast<Bytef*>(stream_->piece.data());
    state.avail_out = static_cast<uInt>(stream_->piece.size());
    ::deflate(&state, last ? Z_FINISH : Z_NO_FLUSH);
    under_.write({stream_->piece.data(), stream_->piece.size() - state.avail_out});
  } while (state.avail_out == 0);
}

}  // namespace strata::exports
