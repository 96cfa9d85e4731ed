// SPDX-License-Identifier: Apache-2.0
// A separate program: whether the kernel's barrier is available is decided once per process.
#include "host/runtime/process_barrier.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace strata {
namespace {

constexpr int kNoFilters = 77;

// As in a sandbox: from here on membarrier fails. Exits if filters are unavailable.
void refuse_membarrier() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(kNoFilters);
}

// The exit code of a child that runs `body`, which returns whether it succeeded.
template <typename Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool threads_fence_themselves() {
  return process_barrier::threads_fence_themselves.load();
}

TEST(ProcessBarrier, IsTheThreadsOwnWhereTheKernelsIsRefused) {
  const int code = in_child([] {
    refuse_membarrier();
    prepare_process_barrier();
    light_barrier();
    return threads_fence_themselves() && order_all_threads();
  });
  if (code == kNoFilters) GTEST_SKIP() << "this machine allows no filter on system calls";
  EXPECT_EQ(code, 0);
}

TEST(ProcessBarrier, SaysSoWhenTheKernelsIsRefusedLater) {
  const int code = in_child([] {
    prepare_process_barrier();
    if (threads_fence_themselves()) return true;  // refused already
    if (!order_all_threads()) return false;
    refuse_membarrier();
    return !order_all_threads();
  });
  if (code == kNoFilters) GTEST_SKIP() << "this machine allows no filter on system calls";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace strata
