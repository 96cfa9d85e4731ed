// SPDX-License-Identifier: Apache-2.0
// What the rules found about a shape, in addition to its place and size: one structure for each kind.
// host/report/words makes the sentences.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/finding.hpp"

namespace strata::analysis {

// A change that removes a shape or makes it smaller.
enum class Remedy : std::uint8_t {
  kIsTraining,   // none
  kIsUsedAgain,  // none
  kHalfPrecision,
  kNoAutocastCache,
  kSmallerState,
  kEarlyState,  // before the first step
  kPerLayerOptimizer,
  kFusedOptimizer,
  kForeachOptimizer,
  kLoopOptimizer,
  kProjectorInterval,
  kProjectorRank,
  kRandomizedProjector,
  kZeroGradAtStart,
  kZeroGradAtEnd,
  kZeroGradFrees,  // none
  kCheckpointBlocks,
  kCheckpointAttention,
  kNoCheckpointing,
  kOffloadCheckpoints,
  kFewerLayers,
  kHalfBatch,
  kSmallerVocabulary,
  kUntiedHead,
  kSparseEmbedding,
  kChunkedLoss,
  kInPlaceLoss,
  kSmallerLogits,
  kForwardOnly,
  kNoGrad,
  kDetachKept,
  kMoveKept,  // off the device
  kReleaseGrowth,
  kReleaseOutputs,
  kReleaseLeftover,
  kExpandableSegments,
  kNotExpandableSegments,  // none
  kOneStream,
  kOnePool,
  kWaitForStream,
};

struct ConstantBandDetail {
  std::uint64_t blocks = 0, parameter_bytes = 0, state_bytes = 0;
};

struct RepeatingStepDetail {
  std::int64_t first_step = 0, last_step = 0;
  std::uint64_t changes = 0;    // allocations and frees of each step
  std::int64_t left_bytes = 0;  // how much higher than it begins each step ends
  bool comes_back = false;      // to its begin, or nearly
};

struct FirstStepGrowthDetail {
  struct Kind {
    BlockKind kind = BlockKind::kUnattributed;
    std::uint64_t bytes = 0;
  };
  std::vector<Kind> left = {};    // allocated by the step and alive at its end, the largest first
  std::uint64_t gone_bytes = 0;   // allocated earlier and freed in it; 0: too few to mention
  std::uint64_t later_bytes = 0;  // by how much a later step ends higher; 0: too little to mention
  std::int64_t step = 0, second_step = 0;
  std::uint64_t second_growth_bytes = 0;
  Maker held = {};                       // kReleaseOutputs: made the output that a variable holds
  std::vector<std::string> unused = {};  // kNoGrad: modules whose forwards made graphs; "": unknown
};

struct GrowingMemoryDetail {
  std::uint64_t blocks = 0, forwards = 0, steps = 0;
  std::int64_t first_step = 0, last_step = 0;
  bool is_by_step = false;       // else by forward, as in an evaluation
  bool lasts_to_end = false;     // of the run; else until the last step
  std::uint64_t mean_bytes = 0;  // of each step or forward
  Maker maker = {};
};

// kGrowingMemory, if no forward made it.
struct StepGrowthDetail {
  std::uint64_t blocks = 0, steps = 0;
  std::int64_t first_step = 0, last_step = 0;
  bool lasts_to_end = false;
  std::uint64_t mean_bytes = 0;  // of each step
  std::string phase = {};        // most of it was made in it; empty: between phases
  Maker maker = {};
};

struct UnusedGraphDetail {
  std::uint64_t graphs = 0;
  std::uint64_t largest_blocks = 0, largest_bytes = 0;  // of the largest graph
  WhyUnused why = WhyUnused::kNoBackward;
  std::string module = {};  // its forwards made them; empty: unknown
};

struct ForwardTriangleDetail {
  enum class Descent : std::uint8_t { kWhole, kPart, kKeptByBackward, kNoBackward };
  std::uint64_t layers = 0;
  std::string layer_names;
  Descent descent = Descent::kWhole;
  std::uint64_t freed_bytes = 0;  // by backward
};

struct LayerStripesDetail {
  std::uint64_t layers = 0, bytes_of_each = 0;
};

struct AutocastCopiesDetail {
  std::uint64_t copies = 0;
};

struct LogitsSlabDetail {
  std::uint64_t percent_of_peak = 0;
};

struct SoftmaxSpikeDetail {
  std::string op;  // of the softmax's block
  BlockKind kind = BlockKind::kUnattributed;
  std::uint64_t bytes = 0;
};

struct ZeroGradCliffDetail {
  std::uint64_t gradients = 0;
  bool is_after_forward = false;
};

struct BackwardStartDetail {
  std::string op;
  std::uint64_t blocks = 0;
};

struct LogitsCliffDetail {
  std::uint64_t blocks = 0;
};

struct HeadGradientDetail {
  std::string op;
  BlockKind kind = BlockKind::kUnattributed;
  bool is_tied = false;  // to an embedding
};

struct RecomputationDetail {
  std::uint64_t layers = 0;
  std::string layer_names;
};

struct EmbeddingGradientDetail {
  std::string op;
  bool is_added = false;  // to another gradient
};

struct OptimizerPlateauDetail {
  std::string op;
  std::uint64_t temporaries = 0, parameters = 0;
};

struct FlatOptimizerDetail {
  std::uint64_t parameter_bytes = 0, gradient_bytes = 0, state_bytes = 0;
};

struct DivisionFlagpoleDetail {
  std::string op;
  std::uint64_t base_bytes = 0;  // of the other temporaries
};

struct ProjectorSpikeDetail {
  std::string op;
  std::uint64_t projectors = 0;
};

// kFragmentation, if one segment explains it.
struct OneSegmentDetail {
  std::uint64_t free_bytes = 0, taken_bytes = 0;
  std::uint64_t most_reserved_bytes = 0, if_expandable_bytes = 0;  // reserved with expandable segments
};

// kFragmentation, if only many segments together explain it.
struct ManySegmentsDetail {
  std::uint64_t reserved_bytes = 0, allocated_bytes = 0;  // the maximum of each
  std::uint64_t segments = 0, taken_beside_free = 0;
  std::uint64_t if_expandable_bytes = 0;  // reserved with expandable segments
};

// kStreamCaches: the memory of so many streams.
struct StreamCachesDetail {
  std::uint64_t streams = 0, reserved_bytes = 0;
};

// kPrivatePools, of CUDA graphs or torch.cuda.MemPool.
struct PrivatePoolsDetail {
  std::uint64_t pools = 0, reserved_bytes = 0;
};

// kDeferredFrees.
struct DeferredFreesDetail {
  std::uint64_t most_bytes = 0;  // at once
};

using ShapeDetail =
    std::variant<ConstantBandDetail, RepeatingStepDetail, FirstStepGrowthDetail, GrowingMemoryDetail,
                 StepGrowthDetail, UnusedGraphDetail, ForwardTriangleDetail, LayerStripesDetail,
                 AutocastCopiesDetail, LogitsSlabDetail, SoftmaxSpikeDetail, ZeroGradCliffDetail,
                 BackwardStartDetail, LogitsCliffDetail, HeadGradientDetail, RecomputationDetail,
                 EmbeddingGradientDetail, OptimizerPlateauDetail, FlatOptimizerDetail, DivisionFlagpoleDetail,
                 ProjectorSpikeDetail, OneSegmentDetail, ManySegmentsDetail, StreamCachesDetail,
                 PrivatePoolsDetail, DeferredFreesDetail>;

}  // namespace strata::analysis
