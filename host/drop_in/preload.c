/* SPDX-License-Identifier: Apache-2.0 */
/* What `strata exec` preloads into a program and into all that it starts. It needs libc alone and does
 * nothing until torch is there: in a process that never loads torch, nothing is opened.
 *
 * Torch is there when this library's constructor runs (a program linked to LibTorch), when Python initialises
 * torch (it calls `initModule`, which is ours first), or when torch reports the first use of its API
 * (LibTorch opened late; c10::detail::LogAPIUsageFakeReturn, likewise). Whatever comes first opens
 * STRATA_ATTACH and has it attach. Python's interpreter is held in the second case; nothing of Python is
 * called.
 *
 * Children of multiprocessing leave by _exit, which runs no handlers: so what is recorded is closed here,
 * unless it is a signal's handler that leaves: that may have come in the middle of anything, and what was
 * recorded by then is recovered as a killed process's is. And handlers of exit that a constructor registers
 * run after the libraries are finished: so where a session was opened before main, main tells it that it
 * begins. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_flag attached = ATOMIC_FLAG_INIT;
static void (*leave)(int);
static void (*begin_main)(void);

static int is_torch(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  (void)found;
  const char* const slash = strrchr(info->dlpi_name, '/');
  return strcmp(slash == NULL ? info->dlpi_name : slash + 1, "libtorch_cpu.so") == 0;
}

typedef void (*function)(void);

/* POSIX has dlsym return functions as it does objects; C would have them kept apart. */
static function function_in(void* library, const char* name) {
  function found;
  *(void**)(&found) = dlsym(library, name);
  return found;
}

static void attach(void) {
  const char* const library = secure_getenv("STRATA_ATTACH");
  if (library == NULL || atomic_flag_test_and_set(&attached)) return;
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (opened == NULL) {
    fprintf(stderr, "strata: nothing of this process is recorded: %s\n", dlerror());
    return;
  }
  const function begin = function_in(opened, "strata_attach");
  leave = (void (*)(int))function_in(opened, "strata_leave");
  begin_main = (void (*)(void))function_in(opened, "strata_begin_main");
  if (begin != NULL) begin();
}

/* For the child of a process that was started without STRATA_ATTACH, once it has set it: it is attached where
 * it stands. */
EXPORTED void strata_attach_now(void);
void strata_attach_now(void) {
  attach();
}

__attribute__((constructor)) static void look_for_torch(void) {
  if (dl_iterate_phdr(is_torch, NULL) != 0) attach();
}

/* The function of that name in a library that is loaded, other than ours. */
static function behind(const char* library, const char* name, function ours) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  const function found = function_in(opened == NULL ? RTLD_NEXT : opened, name);
  return found == ours ? NULL : found;
}

EXPORTED void* initModule(void);
void* initModule(void) {
  const function torchs = behind("libtorch_python.so", "initModule", (function)&initModule);
  if (torchs == NULL) {
    fprintf(stderr,
            "strata: torch cannot be initialised under strata exec: libtorch_python.so has no initModule\n");
    return NULL;
  }
  attach();
  return ((void* (*)(void))torchs)();
}

/* c10::detail::LogAPIUsageFakeReturn(const std::string&) */
#define LOG_API_USAGE \
  "_ZN3c106detail21LogAPIUsageFakeReturnERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

EXPORTED _Bool log_api_usage(const void* event) __asm__(LOG_API_USAGE);
_Bool log_api_usage(const void* event) {
  attach();
  const function torchs = behind("libc10.so", LOG_API_USAGE, (function)&log_api_usage);
  return torchs == NULL ? 1 : ((_Bool(*)(const void*))torchs)(event);
}

/* A handler runs with its own signal blocked, unless the program asked otherwise (SA_NODEFER). A thread that
 * blocks a signal which has a handler looks the same, and loses no more than its run's proper end. */
static _Bool may_be_in_a_handler(void) {
  sigset_t blocked;
  if (sigprocmask(SIG_BLOCK, NULL, &blocked) != 0) return 0;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    if (sigismember(&blocked, number) != 1 || sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) return 1;
  }
  return 0;
}

/* The system call and not the C library's _exit: to look that one up takes a lock. */
EXPORTED void _exit(int status) {
  if (leave != NULL && !may_be_in_a_handler()) leave(status);
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

typedef int main_function(int, char**, char**);
static main_function* programs_main;

static int run_main(int count, char** words, char** variables) {
  if (begin_main != NULL) begin_main();
  return programs_main(count, words, variables);
}

EXPORTED int __libc_start_main(main_function* main, int count, char** words, void (*begin)(void),
                               void (*end)(void), void (*end_of_libraries)(void), void* stack);
int __libc_start_main(main_function* main, int count, char** words, void (*begin)(void), void (*end)(void),
                      void (*end_of_libraries)(void), void* stack) {
  typedef int start(main_function*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  programs_main = main;
  return ((start*)function_in(RTLD_NEXT, "__libc_start_main"))(run_main, count, words, begin, end,
                                                               end_of_libraries, stack);
}
