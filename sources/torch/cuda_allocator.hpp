// Tells of every block and segment of torch's CUDA caching allocator, on every thread and device.
//
// The allocator calls us under the lock of the device, so that its events are in its own order. What it once
// called it calls for the life of the process: the callback stays valid and is silent while no host is
// connected. A block's FREE is told when the program lets go of it; that a stream may still use it delays
// when the allocator gives it to somebody else, not when it stops counting it.
//
// Not seen: what was allocated before `trace_cuda_allocator`.
#pragma once

#include <string>

namespace strata::torch_source {

// [driver] Where CUDA has been initialised, the allocator's events are told from now on; where it has not,
// nothing happens. Returns why they cannot be, or empty: this allocator sends none.
std::string trace_cuda_allocator();

}  // namespace strata::torch_source
