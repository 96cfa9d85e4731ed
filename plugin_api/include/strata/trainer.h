/* SPDX-License-Identifier: Apache-2.0 */
/* Marks for your own training loop, in C11 and C++17: include this header, link nothing.
 *
 *     for (auto& batch : loader) {
 *       STRATA_STEP();                                        // until the end of this scope
 *       { STRATA_PHASE("forward"); loss = model(batch); }
 *       { STRATA_PHASE("backward"); loss.backward(); }
 *       { STRATA_PHASE("optimizer"); optimizer.step(); }
 *     }
 *
 * C has no scopes that end by themselves:
 *
 *     STRATA_STEP_BEGIN();
 *     strata_mark forward = STRATA_PHASE_BEGIN("forward");
 *     ...
 *     STRATA_PHASE_END(forward);
 *     STRATA_STEP_END();
 *
 * Without Strata a mark costs a load and a comparison. The first mark of a program reads the environment: if
 * STRATA_ATTACH names a library, as under `strata exec` or after `strata exec --environment`, the library is
 * opened and all later marks are recorded. Marked parts are not inferred a second time; unmarked parts still
 * are, in programs that use LibTorch.
 *
 * Arguments are evaluated only while marks are recorded. For threads, errors and phase names see
 * trainer_calls.h. A mark never throws, and never changes what the program computes or how it ends.
 * glibc before 2.34 has dlopen in libdl: link it there. */
#ifndef STRATA_TRAINER_H
#define STRATA_TRAINER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "ext/module.h"
#include "trainer_calls.h"

/* One binding for the whole program in C++, one per file in C. Each is bound independently. */
#ifdef __cplusplus
#define STRATA_MARK_INLINE inline
#define STRATA_MARK_VARIABLE inline
#define STRATA_MARK_TABLE(address) static_cast<const strata_trainer_calls*>(address)
#else
#define STRATA_MARK_INLINE static inline
#define STRATA_MARK_VARIABLE static
#define STRATA_MARK_TABLE(address) ((const strata_trainer_calls*)(address))
#endif

/* The table. Null before the first look-up. If nothing is recorded, the variable's own address, which is no
 * table's. */
STRATA_MARK_VARIABLE const void* strata_trainer_binding = 0;

/* An open phase or module. All zero if none was opened. */
typedef struct strata_mark {
  const strata_trainer_calls* calls;
  uint32_t ordinal;
  uint32_t reserved;
} strata_mark;

/* Usually called once per program: two threads that call it at the same time find the same table. */
__attribute__((cold, unused)) STRATA_MARK_INLINE const strata_trainer_calls* strata_trainer_look(void) {
  const strata_trainer_calls* calls = 0;
  /* Not in a setuid program, which has rights that its caller does not have. */
  const char* const path = getauxval(AT_SECURE) == 0 ? getenv(STRATA_ATTACH_VARIABLE) : 0;
  void* const library = path != 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : 0;
  if (path != 0 && library == 0)
    fprintf(stderr, "strata: this program's marks are not recorded: %s=%s: %s\n", STRATA_ATTACH_VARIABLE,
            path, dlerror());
  if (library != 0) {
    strata_trainer_bind_function bind;
    void* const found = dlsym(library, STRATA_TRAINER_BIND_SYMBOL);
    memcpy(&bind, &found, sizeof bind); /* memcpy: C keeps function and object pointers apart */
    if (found != 0) calls = bind(STRATA_ABI_MAJOR);
  }
  const void* const nothing = &strata_trainer_binding;
  __atomic_store_n(&strata_trainer_binding, calls != 0 ? calls : nothing, __ATOMIC_RELEASE);
  return calls;
}

/* The table, or null if nothing is recorded. */
__attribute__((unused)) STRATA_MARK_INLINE const strata_trainer_calls* strata_trainer(void) {
  const void* const calls = __atomic_load_n(&strata_trainer_binding, __ATOMIC_ACQUIRE);
  const void* const nothing = &strata_trainer_binding;
  if (__builtin_expect(calls == nothing, 1)) return 0;
  return calls != 0 ? STRATA_MARK_TABLE(calls) : strata_trainer_look();
}

__attribute__((unused)) STRATA_MARK_INLINE strata_mark strata_no_mark(void) {
  strata_mark mark;
  mark.calls = 0;
  mark.ordinal = STRATA_NONE;
  mark.reserved = 0;
  return mark;
}

__attribute__((unused)) STRATA_MARK_INLINE strata_mark strata_phase_begin(const char* name) {
  strata_mark mark = strata_no_mark();
  mark.calls = strata_trainer();
  mark.ordinal = mark.calls->phase_begin(name);
  return mark;
}

__attribute__((unused)) STRATA_MARK_INLINE strata_mark strata_module_begin(const char* path,
                                                                           const char* type) {
  strata_mark mark = strata_no_mark();
  mark.calls = strata_trainer();
  mark.ordinal = mark.calls->module_begin(path, type, STRATA_MODULE_FORWARD);
  return mark;
}

/* ---- C and C++ ---- */

/* At the top of main: also records what happens before the first mark. Not needed under `strata exec` for
 * programs that use LibTorch. */
#define STRATA_RUN() ((void)strata_trainer())

#define STRATA_STEP_BEGIN() (strata_trainer() != 0 ? strata_trainer()->step_begin() : (void)0)
#define STRATA_STEP_END() (strata_trainer() != 0 ? strata_trainer()->step_end() : (void)0)

/* Inside a step: its mean loss (NAN: unknown) and its number of items, tokens or samples (0: unknown). */
#define STRATA_STEP_RESULT(loss, items) \
  (strata_trainer() != 0 ? strata_trainer()->step_result((loss), (items)) : (void)0)

/* Inside a step that accumulates gradients: micro-batch `index`, counted from 0, begins. */
#define STRATA_MICRO_BATCH(index) (strata_trainer() != 0 ? strata_trainer()->micro_batch((index)) : (void)0)

/* Each _BEGIN returns a strata_mark; pass it to its _END. */
#define STRATA_PHASE_BEGIN(name) (strata_trainer() != 0 ? strata_phase_begin(name) : strata_no_mark())
#define STRATA_PHASE_END(mark) ((mark).calls != 0 ? (mark).calls->phase_end((mark).ordinal) : (void)0)

/* The forward of a module or a range of layers: its path and its type, for example ("layers.3", "Block"). */
#define STRATA_MODULE_BEGIN(path, type) \
  (strata_trainer() != 0 ? strata_module_begin((path), (type)) : strata_no_mark())
#define STRATA_MODULE_END(mark) ((mark).calls != 0 ? (mark).calls->module_end((mark).ordinal) : (void)0)

/* ---- C++: each lasts until its scope ends, also when an exception leaves it ---- */

#ifdef __cplusplus

#define STRATA_STEP() const ::strata::marks::Step STRATA_MARK_NAME(strata_step_, __LINE__)
#define STRATA_PHASE(name)                                                \
  const ::strata::marks::Phase STRATA_MARK_NAME(strata_phase_, __LINE__)( \
      strata_trainer() != nullptr ? strata_phase_begin(::strata::marks::text(name)) : strata_no_mark())
#define STRATA_MODULE(path, type)                                                         \
  const ::strata::marks::Module STRATA_MARK_NAME(strata_module_, __LINE__)(               \
      strata_trainer() != nullptr                                                         \
          ? strata_module_begin(::strata::marks::text(path), ::strata::marks::text(type)) \
          : strata_no_mark())

#define STRATA_MARK_NAME(name, line) STRATA_MARK_JOINED(name, line)
#define STRATA_MARK_JOINED(name, line) name##line

namespace strata::marks {

class Step {
 public:
  Step() noexcept : calls_(strata_trainer()) {
    if (calls_ != nullptr) calls_->step_begin();
  }
  ~Step() {
    if (calls_ != nullptr) calls_->step_end();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  const strata_trainer_calls* calls_;
};

class Phase {
 public:
  explicit Phase(strata_mark mark) noexcept : mark_(mark) {}
  ~Phase() { STRATA_PHASE_END(mark_); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  strata_mark mark_;
};

class Module {
 public:
  explicit Module(strata_mark mark) noexcept : mark_(mark) {}
  ~Module() { STRATA_MODULE_END(mark_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

 private:
  strata_mark mark_;
};

inline const char* text(const char* characters) noexcept {
  return characters;
}
// For a std::string, which lives until the call returns.
template <typename Text>
auto text(const Text& string) noexcept -> decltype(string.c_str()) {
  return string.c_str();
}

}  // namespace strata::marks

#endif

#endif
