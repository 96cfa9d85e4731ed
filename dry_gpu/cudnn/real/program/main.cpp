// SPDX-License-Identifier: Apache-2.0
// strata_real_cudnn: opens the cuDNN of the user's torch for a dry process, and answers its questions on a
// socket until that process ends (messages.hpp). It is a process of its own because a dry one has the dry GPU
// where cuDNN's place is.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "dry_gpu/cudnn/real/messages.hpp"
#include "dry_gpu/cudnn/real/program/library.hpp"
#include "dry_gpu/cudnn/real/words.hpp"
#include "strata/dry_gpu.h"

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr int kSocket = 3;

// Closes files inherited from the other process.
void close_others() {
  if (syscall(SYS_close_range, kSocket + 1, ~0U, 0) == 0) return;
  for (int descriptor = kSocket + 1; descriptor < 1024; ++descriptor) close(descriptor);
}

// Ends this process when the other one does, or has hung up, whatever this one is doing: cuDNN may hang.
void end_with(pid_t other) {
#ifdef SYS_pidfd_open
  const int process = static_cast<int>(syscall(SYS_pidfd_open, other, 0));
#else
  const int process = -1;
#endif
  std::thread([process] {
    pollfd polled[] = {{.fd = kSocket, .events = POLLRDHUP, .revents = 0},
                       {.fd = process, .events = POLLIN, .revents = 0}};
    while (poll(polled, 2, -1) <= 0) {
    }
    _exit(0);
  }).detach();
}

// cuDNN has engines based on cuBLASLt. If cuBLASLt cannot start because there is no driver, cuDNN silently
// omits them, and another engine's workspace results. The dry cuBLASLt starts.
void open_dry_cublaslt(const std::string& profile) {
  const auto facade = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cublasLt.facade.so";
  void* const library = dlopen(facade.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto choose =
      reinterpret_cast<decltype(&strata_dry_gpu_choose)>(dlsym(library, "strata_dry_gpu_choose"));
  char problem[512] = "it has no strata_dry_gpu_choose";
  if (choose == nullptr || choose(profile.c_str(), problem, sizeof problem) != 0)
    throw std::runtime_error(problem);
}

std::string answer(Library& library, std::string_view request) {
  std::string_view line = take_until(request, '\n');
  const std::string_view asked = take_until(line, ' ');
  const auto mode = number_in<std::int32_t>(take_until(line, ' '), 0, 100);
  if (!mode) throw std::runtime_error("it is not a valid question");
  if (asked == kGraph)
    return std::string(kConfigurations) + '\n' + text_of(library.configurations(*mode, std::string(request)));
  const auto place = number_in<std::size_t>(line, 0, 1'000'000);
  if (asked != kPlan || !place) throw std::runtime_error("it is not a valid question");
  return std::string(kPlan) + ' ' + text_of(library.plan(*mode, *place, std::string(request)));
}

std::string refusal(const std::exception& error) {
  return std::string(kNo) + ' ' + error.what();
}

constexpr Deadline kNever = Deadline::max();

// The other process waits no longer than it likes, and hangs up then.
void serve() {
  const auto library_file = receive_message(kSocket, kNever);
  const auto device = receive_message(kSocket, kNever);
  const auto profile = receive_message(kSocket, kNever);
  if (!library_file || !device || !profile) return;
  std::unique_ptr<Library> library;
  try {
    open_dry_cublaslt(*profile);
    library = std::make_unique<Library>(*library_file, *device);
  } catch (const std::exception& error) {
    send_message(kSocket, refusal(error), kNever);
    return;
  }
  if (!send_message(kSocket, kReady, kNever)) return;
  while (const auto request = receive_message(kSocket, kNever)) {
    std::string text;
    try {
      text = answer(*library, *request);
    } catch (const std::exception& error) {
      text = refusal(error);
    }
    if (!send_message(kSocket, text, kNever)) return;
  }
}

}  // namespace
}  // namespace strata::dry_gpu::real_cudnn

int main(int count, char** words) {
  using namespace strata::dry_gpu::real_cudnn;
  if (count != 3 || words[1] != kProtocol) return 2;
  const auto other = number_in<pid_t>(words[2], 1, 1 << 30);
  if (!other) return 2;
  close_others();
  if (fork() != 0) return 0;  // so that it is not a child of the other process
  setsid();
  end_with(*other);
  try {
    serve();
  } catch (...) {
    _exit(1);
  }
  _exit(0);  // without cuDNN's destructors
}
