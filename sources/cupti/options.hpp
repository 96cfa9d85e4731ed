// SPDX-License-Identifier: Apache-2.0
// The source's options, as `strata plugins cupti` prints them.
#pragma once

#include <array>

#include "sources/cupti/kinds.hpp"
#include "sources/cupti/settings.hpp"
#include "strata/entry.h"
#include "strata/host.hpp"

namespace strata::cupti {

constexpr strata_option text_option(const char* key, const char* choices, const char* default_text,
                                    const char* help) {
  return {key, STRATA_OPTION_TEXT, 0, default_text, help, choices, 0, 0};
}

constexpr strata_option flag_option(const char* key, const char* default_text, const char* help) {
  return {key, STRATA_OPTION_FLAG, 0, default_text, help, nullptr, 0, 0};
}

inline constexpr std::array<strata_option, 11> kOptions{{
    text_option("on_busy", "nvtx|fail|wait", "nvtx",
                "When another tool has CUPTI: go on without activities (what NVTX tells remains), say that "
                "the source has failed, or ask again at each step of the window."),
    text_option(
        "kinds", nullptr, kDefaultKinds,
        "What is recorded, comma-separated: kernel, copy, set, api (the runtime's calls, and those of "
        "the driver that libraries make past it), driver (all of the driver's), synchronize, "
        "overhead, memory, memory_pool, module, jit."),
    text_option("graphs", "graph|node", "graph",
                "A CUDA graph as one activity a launch, or each of its nodes, at more cost."),
    text_option("from", "window|run", "window",
                "Record from the window's first warm-up step on, or from the run's begin, in any case to the "
                "window's "
                "end. Plugins of the whole run that listen have all of it recorded."),
    flag_option("correlate", "true",
                "Tell under which op, phase and module each activity was called for: a call of CUPTI at each "
                "begin and end of these."),
    flag_option("share", "true", "Record beside other tools, where CUPTI (13.3) and the driver allow it."),
    flag_option("wait_for_devices", "true",
                "Wait at the end of the window until devices are done, so that nothing of it is missing."),
    flag_option(
        "finalize_on_stop", "false",
        "Take CUPTI out of CUDA after the window, so that later steps run at full speed: it must find "
        "no other thread in CUDA then, or it may crash."),
    text_option("library", nullptr, "",
                "Another libcupti: its file, in place of the one that is loaded already or found."),
    {"buffer_bytes", STRATA_OPTION_BYTES, 0, "2MiB", "The size of a buffer that CUPTI fills.", nullptr, 65536,
     1 << 28},
    {"buffers", STRATA_OPTION_INTEGER, 0, "64",
     "How many of these there may be, since each thread that calls CUDA fills its own; beyond that, records "
     "are dropped and counted.",
     nullptr, 2, 4096},
}};

// Throws std::runtime_error when a value is not understood.
Settings read_settings(const Host& host);

}  // namespace strata::cupti
