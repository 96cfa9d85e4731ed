// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/messages.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

namespace strata::dry_gpu::real_cudnn {
namespace {

// Whether the socket can be read or written before the deadline.
bool wait_for(int socket, short events, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const auto ms = std::clamp<std::int64_t>(left.count(), 0, INT_MAX);
    pollfd polled{.fd = socket, .events = events, .revents = 0};
    const int ready = poll(&polled, 1, static_cast<int>(ms));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// `move(place, bytes)` sends or receives, and returns how much.
template <typename Byte, typename Move>
bool move_all(int socket, short events, Byte* bytes, std::size_t size, Deadline deadline, Move&& move) {
  while (size > 0) {
    if (!wait_for(socket, events, deadline)) return false;
    const ssize_t moved = move(bytes, size);
    if (moved < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (moved <= 0) return false;
    bytes += moved;
    size -= static_cast<std::size_t>(moved);
  }
  return true;
}

bool receive_all(int socket, char* bytes, std::size_t size, Deadline deadline) {
  return move_all(socket, POLLIN, bytes, size, deadline, [socket](char* place, std::size_t wanted) {
    return recv(socket, place, wanted, MSG_DONTWAIT);
  });
}

}  // namespace

bool send_message(int socket, std::string_view message, Deadline deadline) {
  if (message.size() > kMostMessageBytes) return false;
  const auto size = static_cast<std::uint32_t>(message.size());
  std::string whole(sizeof size, '\0');
  std::memcpy(whole.data(), &size, sizeof size);
  whole += message;
  return move_all(socket, POLLOUT, std::as_const(whole).data(), whole.size(), deadline,
                  [socket](const char* place, std::size_t left) {
                    return send(socket, place, left, MSG_DONTWAIT | MSG_NOSIGNAL);
                  });
}

std::optional<std::string> receive_message(int socket, Deadline deadline) {
  std::uint32_t size = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&size), sizeof size, deadline) || size > kMostMessageBytes)
    return std::nullopt;
  std::string message(size, '\0');
  return receive_all(socket, message.data(), size, deadline) ? std::optional(std::move(message))
                                                             : std::nullopt;
}

}  // namespace strata::dry_gpu::real_cudnn
