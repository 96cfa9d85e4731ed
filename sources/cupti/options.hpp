// SPDX-License-Identifier: Apache-2.0
// The source's options, as `strata plugins cupti` prints them.
#pragma once

#include <array>

#include "sources/cupti/kinds.hpp"
#include "sources/cupti/settings.hpp"
#include "strata/host.hpp"
#include "strata/option.hpp"

namespace strata::cupti {

inline constexpr std::array kOptions{
    option::choice(
        "on_busy", "nvtx|fail|wait", "nvtx",
        "When another tool has CUPTI: go on without activities (what NVTX tells remains), say that "
        "the source has failed, or ask again at each step of the window."),
    option::text(
        "kinds", kDefaultKinds,
        "What is recorded, comma-separated: kernel, copy, set, api (the runtime's calls, and those of "
        "the driver that libraries make past it), driver (all of the driver's), synchronize, "
        "overhead, memory, memory_pool, module, jit."),
    option::choice("graphs", "graph|node", "graph",
                   "A CUDA graph as one activity a launch, or each of its nodes, at more cost."),
    option::choice(
        "from", "window|run", "window",
        "Record from the window's first warm-up step on, or from the run's begin, in any case to the "
        "window's end. Plugins of the whole run that listen have all of it recorded."),
    option::flag(
        "correlate", "true",
        "Tell under which op, phase and module each activity was called for: a call of CUPTI at each "
        "begin and end of these."),
    option::flag("share", "true", "Record beside other tools, where CUPTI (13.3) and the driver allow it."),
    option::flag("wait_for_devices", "true",
                 "Wait at the end of the window until devices are done, so that nothing of it is missing."),
    option::flag(
        "finalize_on_stop", "false",
        "Take CUPTI out of CUDA after the window, so that later steps run at full speed: it must find "
        "no other thread in CUDA then, or it may crash."),
    option::text("library", "",
                 "Another libcupti: its file, in place of the one that is loaded already or found."),
    option::bytes("buffer_bytes", "2MiB", "The size of a buffer that CUPTI fills.", 65536, 1 << 28),
    option::integer("buffers", "64",
                    "How many of these there may be, since each thread that calls CUDA fills its own; beyond "
                    "that, records are dropped and counted.",
                    2, 4096)};

// Throws std::runtime_error when a value is not understood.
Settings read_settings(const Host& host);

}  // namespace strata::cupti
