// The two answers of a function that nobody implemented. Weak: a definition takes their place. They take no
// arguments, whatever their callers pass: the C calling convention leaves those alone.
#pragma once

#include "dry_gpu/device/refusals.hpp"

#define STRATA_REFUSED(NAME, ANSWER)                                         \
  static strata::dry_gpu::Refused refused_##NAME{#NAME};                     \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME() noexcept { \
    strata::dry_gpu::refuse(refused_##NAME);                                 \
    return ANSWER;                                                           \
  }

#define STRATA_EFFECTLESS(NAME)                                              \
  extern "C" [[gnu::weak, gnu::visibility("default")]] int NAME() noexcept { \
    return strata::dry_gpu::succeed_without_effect();                        \
  }
