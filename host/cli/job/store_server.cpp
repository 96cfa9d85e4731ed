// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job/store_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/cli/job/peer_keys.hpp"
#include "host/cli/job/store_protocol.hpp"
#include "host/cli/terminal.hpp"

namespace strata::cli {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {
    if (value < 0) throw std::system_error(errno, std::generic_category(), "cannot serve the job's store");
  }
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  operator int() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  int value_;
};

struct Listener {
  std::uint32_t rank;
  Descriptor socket;
};

// A client of a rank; one process may have several.
struct Client {
  std::uint32_t rank;
  Descriptor socket;
  std::string arrived;
  std::vector<std::string> awaited;  // keys that it waits for
};

// In 127.0.0.0/8, which is all of this machine.
in_addr_t address_of(std::uint32_t rank) {
  constexpr in_addr_t kFirst = (127U << 24) + (1U << 20);
  return htonl(kFirst + rank);
}

// `port` 0: any.
Descriptor listen_for(std::uint32_t rank, std::uint16_t port) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = address_of(rank);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, SOMAXCONN) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot serve the job's store");
  return listener;
}

std::uint16_t port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

class Server {
 public:
  Server(std::uint32_t world_size, std::vector<Listener> listeners, bool with_peers, int needed)
      : world_size_(world_size),
        with_peers_(with_peers),
        keys_(world_size),
        listeners_(std::move(listeners)),
        needed_(needed) {}

  [[noreturn]] void serve() {
    while (true) {
      std::vector<pollfd> polled;
      polled.reserve(listeners_.size() + clients_.size());
      for (const Listener& listener : listeners_) polled.push_back({listener.socket, POLLIN, 0});
      for (const Client& client : clients_) polled.push_back({client.socket, POLLIN, 0});
      if (poll(polled.data(), polled.size(), -1) < 0) continue;
      const std::size_t first_client = listeners_.size(), served = clients_.size();
      for (std::size_t index = 0; index < served; ++index)
        if (polled[first_client + index].revents != 0 && !receive(clients_[index])) gone_.push_back(index);
      for (std::size_t index = 0; index < first_client; ++index)
        if (polled[index].revents != 0) accept_client(listeners_[index]);
      drop_gone();
      answer_waiting();
      drop_gone();
    }
  }

 private:
  void accept_client(const Listener& listener) {
    const int socket = accept4(listener.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    seen_.insert(listener.rank);
    constexpr int kOn = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
    clients_.push_back({.rank = listener.rank, .socket = Descriptor(socket), .arrived = {}, .awaited = {}});
  }

  void drop_gone() {
    std::ranges::sort(gone_, std::greater<>());
    for (const std::size_t index : gone_)
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(index));
    gone_.clear();
  }

  // False: the client has gone, or sent what no TCPStore sends.
  bool receive(Client& client) {
    char buffer[1 << 16];
    const ssize_t got = recv(client.socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    client.arrived.append(buffer, static_cast<std::size_t>(got));
    try {
      while (!client.arrived.empty()) {
        Arrived request(client.arrived);
        answer(client, request);
        client.arrived.erase(0, request.taken());
      }
    } catch (const Arrived::Incomplete&) {
    } catch (const Malformed&) {
      return false;
    }
    return true;
  }

  static void send(const Client& client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return;  // the next poll says that it has gone
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  template <typename Number>
  static void send_number(const Client& client, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    send(client, {bytes, sizeof number});
  }
  static void send_text(const Client& client, const std::string& text) {
    send_number(client, std::uint64_t{text.size()});
    send(client, text);
  }

  // Reads all of a request before it does anything, because a request that is not complete is read again.
  void answer(Client& client, Arrived& request) {
    switch (static_cast<Query>(request.number<std::uint8_t>())) {
      case Query::kValidate:
        if (request.number<std::uint32_t>() != kMagic) throw Malformed{};
        return;
      case Query::kSet: {
        const std::string key = request.text();
        const std::string value = request.text();
        if (const auto peer = PeerKeys::peer(key)) return start_peer(*peer);
        return keys_.set(key, value);
      }
      case Query::kCompareSet: {
        const std::string key = request.text(), expected = request.text();
        return send_text(client, keys_.compare_and_set(key, expected, request.text()));
      }
      case Query::kGet:
        return send_text(client, keys_.value(request.text()).value_or(""));
      case Query::kAdd: {
        const std::string key = request.text();
        return send_number(client, keys_.add(client.rank, key, request.number<std::int64_t>()));
      }
      case Query::kCheck: {
        const std::vector<std::string> names = request.texts();
        return send(client,
                    {std::ranges::all_of(names, [&](const auto& key) { return keys_.has(key); }) ? &kReady
                                                                                                 : &kNotReady,
                     1});
      }
      case Query::kWait:
        client.awaited = request.texts();
        return;
      case Query::kGetNumKeys:
        return send_number(client, static_cast<std::int64_t>(keys_.size()));
      case Query::kDeleteKey:
        return send_number(client, std::int64_t{keys_.erase(request.text()) ? 1 : 0});
      case Query::kAppend: {
        const std::string key = request.text();
        return keys_.append(key, request.text());
      }
      case Query::kMultiGet:
        for (const std::string& key : request.texts()) send_text(client, keys_.value(key).value_or(""));
        return;
      case Query::kMultiSet: {
        std::vector<std::pair<std::string, std::string>> pairs;
        for (std::uint64_t left = request.length(); left > 0; --left) {
          std::string key = request.text();
          pairs.emplace_back(std::move(key), request.text());
        }
        for (auto& [key, value] : pairs) keys_.set(key, std::move(value));
        return;
      }
      case Query::kCancelWait:
        client.awaited.clear();
        return send(client, {&kWaitCanceled, 1});
      case Query::kPing:
        return send_number(client, request.number<std::uint32_t>());
    }
    throw Malformed{};
  }

  bool runs(std::uint32_t rank) const {
    return std::ranges::find(listeners_, rank, &Listener::rank) != listeners_.end();
  }
  bool has_ended(std::uint32_t rank) const {
    return seen_.contains(rank) && std::ranges::find(clients_, rank, &Client::rank) == clients_.end();
  }

  void start(StoreServer::Needed needed) {
    listeners_.push_back(
        {.rank = needed.rank, .socket = listen_for(needed.rank, port_of(listeners_.front().socket))});
    ask_for(needed);
  }
  void ask_for(StoreServer::Needed needed) const {
    while (write(needed_, &needed, sizeof needed) < 0 && errno == EINTR) {
    }
  }
  // It may be one that is to run when a core is free.
  void hurry(std::uint32_t rank) {
    if (!seen_.contains(rank) && hurried_.insert(rank).second) ask_for({.rank = rank, .is_awaited = true});
  }
  void start_peer(std::uint32_t rank) {
    if (with_peers_ && rank < world_size_ && !runs(rank) && listeners_.size() < kMostRanks)
      start({.rank = rank, .is_awaited = false});
  }

  std::optional<std::string> unknown_of(const Client& client) const {
    for (const std::string& key : client.awaited)
      if (!keys_.value(key)) return key;
    return std::nullopt;
  }

  // Whether it may write a key of which nobody knows the owner: not if it waits for such a key itself.
  bool may_write(std::uint32_t rank) const {
    if (has_ended(rank)) return false;
    return std::ranges::none_of(clients_, [&](const Client& client) {
      if (client.rank != rank) return false;
      const auto unknown = unknown_of(client);
      return unknown && !PeerKeys::owner(*unknown);
    });
  }

  // Whether a rank that runs, or that is started here, may write it.
  bool may_come(const Client& client, const std::string& key) {
    const std::optional<std::uint32_t> owner = PeerKeys::owner(key);
    const bool is_ours = owner == client.rank;
    const std::uint32_t usual = owner.value_or(0);
    if (!is_ours && usual < world_size_ && !runs(usual)) {
      start({.rank = usual, .is_awaited = true});
      return true;
    }
    if (owner) {
      const bool may_come = !is_ours && usual < world_size_ && !has_ended(usual);
      if (may_come) hurry(usual);
      return may_come;
    }
    bool may_come = false;
    for (const Listener& other : listeners_) {
      if (other.rank == client.rank || !may_write(other.rank)) continue;
      hurry(other.rank);
      may_come = true;
    }
    return may_come;
  }

  void answer_waiting() {
    for (std::size_t index = 0; index < clients_.size(); ++index) {
      Client& client = clients_[index];
      if (client.awaited.empty()) continue;
      const std::optional<std::string> unknown = unknown_of(client);
      if (!unknown) {
        client.awaited.clear();
        send(client, {&kStopWaiting, 1});
      } else if (!may_come(client, *unknown)) {
        say(fmt::format(
            "rank {} waits for the key '{}' of the job's store, which only another rank writes; add "
            "that rank to --rank",
            client.rank, unknown->substr(unknown->starts_with('/') ? 1 : 0)));
        gone_.push_back(index);
      }
    }
  }

  std::uint32_t world_size_;
  bool with_peers_;
  PeerKeys keys_;
  std::vector<Listener> listeners_;
  std::vector<Client> clients_;
  std::vector<std::size_t> gone_;
  std::set<std::uint32_t> seen_;     // ranks that have connected
  std::set<std::uint32_t> hurried_;  // ranks that another one waited for before they had
  int needed_;                       // where ranks to start are written
};

}  // namespace

StoreServer::StoreServer(std::uint32_t world_size, const std::vector<std::uint32_t>& ranks, bool with_peers)
    : owner_(getpid()) {
  std::vector<Listener> listeners;
  for (const std::uint32_t rank : ranks) {
    listeners.push_back({.rank = rank, .socket = listen_for(rank, port_)});
    port_ = port_of(listeners.back().socket);
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot start the job's store");
  const Descriptor writing(ends[1]);
  needed_ = ends[0];
  fcntl(needed_, F_SETFL, O_NONBLOCK);
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "cannot start the job's store");
  if (process_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner_) _exit(1);
  std::signal(SIGINT, SIG_IGN);  // of the terminal: the ranks may still need it
  try {
    Server(world_size, std::move(listeners), with_peers, writing).serve();
  } catch (const std::exception& error) {
    say(error.what());
  }
  _exit(1);
}

StoreServer::~StoreServer() {
  if (getpid() != owner_) return;
  close(needed_);
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string StoreServer::address(std::uint32_t rank) {
  char text[INET_ADDRSTRLEN];
  const in_addr address{.s_addr = address_of(rank)};
  return inet_ntop(AF_INET, &address, text, sizeof text);
}

std::vector<StoreServer::Needed> StoreServer::needed() const {
  std::vector<Needed> ranks;
  for (Needed rank; read(needed_, &rank, sizeof rank) == sizeof rank;) ranks.push_back(rank);
  return ranks;
}

}  // namespace strata::cli
