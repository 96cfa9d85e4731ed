// SPDX-License-Identifier: Apache-2.0
// The source's options, as `strata plugins cupti` prints them.
#pragma once

#include <array>

#include "sources/cupti/recording/kinds.hpp"
#include "sources/cupti/recording/settings.hpp"
#include "strata/host.hpp"
#include "strata/option.hpp"

namespace strata::cupti {

inline constexpr std::array kOptions{
    option::choice(
        "on_busy", "nvtx|fail|wait", "nvtx",
        "What to do if another tool uses CUPTI. nvtx: continue without activities; NVTX data remains. fail: "
        "report that the source has failed. wait: try again at each step of the window."),
    option::text("kinds", kDefaultKinds,
                 "Kinds of activity to record, comma-separated: kernel, copy, set, api (calls of the "
                 "runtime, and driver calls that libraries make without it), driver (all driver calls), "
                 "synchronize, overhead, memory, memory_pool, module, jit."),
    option::choice(
        "graphs", "graph|node", "graph",
        "Record a CUDA graph as one activity per launch, or record each of its nodes, which costs more."),
    option::choice("from", "window|run", "window",
                   "Record from the window's first warm-up step, or from the begin of the run; both until "
                   "the end of the window. If a plugin listens to the whole run, all of it is recorded."),
    option::flag("correlate", "true",
                 "Record the op, phase and module in which each activity was requested; needs a CUPTI call "
                 "at each begin and end of these."),
    option::flag("share", "true",
                 "Record together with other tools, if CUPTI (13.3) and the driver allow it."),
    option::flag(
        "wait_for_devices", "true",
        "Wait at the end of the window until devices have finished, so that no activity is missing."),
    option::flag("finalize_on_stop", "false",
                 "Detach CUPTI from CUDA after the window, so that later steps run at full speed. This may "
                 "crash if another thread is inside CUDA at that moment."),
    option::text("library", "",
                 "File of another libcupti, to use instead of the one that is loaded or found."),
    option::bytes("buffer_bytes", "2MiB", "Size of each buffer that CUPTI fills.", 65536, 1 << 28),
    option::integer("buffers", "64",
                    "Largest number of buffers; each thread that calls CUDA fills its own. If all are full, "
                    "records are dropped and counted.",
                    2, 4096)};

// Throws std::runtime_error if a value is invalid.
Settings read_settings(const Host& host);

}  // namespace strata::cupti
