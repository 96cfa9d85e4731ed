// SPDX-License-Identifier: Apache-2.0
// The modelled clock: how long the simulated work would take, and so which of it would be done by now.
//
// A stream is busy until a point in time. Submitted work begins then, or when the host submits it if that is
// later, and takes the time given by its model. Streams do not slow each other down. The legacy stream and
// the blocking ones wait for each other, as in CUDA. Between two calls the host takes a fixed time
// (ClockSettings::host_call_ns), so that the same calls always have the same times: nothing here is measured.
// While an observer is set, the host's time is the real one, and waiting for a stream really takes that long.
//
// [any thread]: every function takes the clock's one lock. All threads share one host time: if one of them
// has waited for something, all have.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dry_gpu/clock/host_time.hpp"
#include "dry_gpu/clock/kernel_shape.hpp"
#include "dry_gpu/clock/modelled_sums.hpp"
#include "dry_gpu/clock/roofline.hpp"
#include "dry_gpu/clock/work.hpp"
#include "dry_gpu/device/handles.hpp"

namespace strata::dry_gpu {

class WorkObserver {
 public:
  // On the submitting thread, outside the clock's lock. `offset_ns`: CLOCK_MONOTONIC minus the clock's time.
  virtual void done(const Work& work, const Span& span, const CUstream_st& stream,
                    std::int64_t offset_ns) = 0;

 protected:
  ~WorkObserver() = default;
};

class Clock {
 public:
  // All arguments must outlive the clock.
  Clock(const DeviceProfile& device, const ClockSettings& settings, int devices, ModelledSums& sums);
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  const Roofline& roofline() const { return roofline_; }

  // A kernel of the program; `name` must stay valid, and is null if unknown.
  Work kernel(const char* name, const dim3& grid, const dim3& block, std::size_t shared_bytes,
              void** arguments);
  // The same text, kept until the process ends.
  const char* keep(const std::string& name);

  // The work takes its time in the stream, and is counted.
  Span run(CUstream_st& stream, const Work& work);

  // When all work submitted to the stream is done; and the same for an event, which the host records.
  std::int64_t done_at(const CUstream_st& stream);
  std::int64_t record(const CUstream_st& stream);
  // Keeps the stream idle until then: work submitted from now on does not begin before.
  void hold_back(CUstream_st& stream, std::int64_t until_ns);

  // From here to its end, all calls of this thread count as one call of the program: the nodes of a graph's
  // launch.
  class OneCall {
   public:
    explicit OneCall(Clock& clock);
    ~OneCall();
    OneCall(const OneCall&) = delete;
    OneCall& operator=(const OneCall&) = delete;

   private:
    bool is_within_another_ = false;
  };

  // Whether the host's time has reached `ns`.
  bool is_past(std::int64_t ns);
  // Makes the host wait until then.
  void wait_until(std::int64_t ns);
  void wait_for_device(int device);

  // Null: no observer from now on. Devices are idle when an observer is set.
  void observe(WorkObserver* observer);

 private:
  struct DeviceTime {
    std::int64_t legacy_ns = 0, blocking_ns = 0, all_ns = 0;  // until when its streams are busy
  };

  void pass_call();
  std::int64_t begin_of(const CUstream_st& stream) const;
  void make_busy(CUstream_st& stream, std::int64_t until_ns);
  const KernelShape& shape_of(const char* name);

  const Roofline roofline_;
  ModelledSums& sums_;
  std::mutex mutex_;
  HostTime host_;
  std::vector<DeviceTime> devices_;
  WorkObserver* observer_ = nullptr;
  std::map<const char*, KernelShape> shapes_;
  std::set<std::string> names_;
};

}  // namespace strata::dry_gpu
