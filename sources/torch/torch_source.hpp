// The source `torch`: what one run sees of LibTorch. Its parts are switched on at the run's begin and off at
// its end; what torch keeps of them for good stays valid and silent.
#pragma once

#include <optional>

#include "sources/torch/memory_report.hpp"
#include "sources/torch/op_observer.hpp"
#include "strata/entry.h"
#include "strata/ext/emit.h"
#include "strata/host.hpp"

namespace strata::torch_source {

class TorchSource {
 public:
  // [driver] Checks everything that may refuse. Throws std::runtime_error with the reason.
  explicit TorchSource(const strata_host* host);
  // [driver] Ends what was not ended.
  ~TorchSource();
  TorchSource(const TorchSource&) = delete;
  TorchSource& operator=(const TorchSource&) = delete;

  strata_plugin* plugin() { return &plugin_; }

 private:
  static const void* listener(strata_plugin* plugin, const char* id);

  void begin_run();
  void begin_step();
  void end_run();

  strata_plugin plugin_;
  Host host_;
  const strata_emit_service* emit_;
  bool ops_;
  bool saved_tensors_;
  std::optional<MemoryReport> memory_report_;
  std::optional<OpObserver> op_observer_;
};

}  // namespace strata::torch_source
