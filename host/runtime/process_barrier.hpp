// The expensive half of an asymmetric fence: hot paths pay a compiler fence, the rare closer pays this.
#pragma once

namespace strata {

// Returns after every other thread of the process has passed a full memory barrier: each sees what the caller
// stored before, or the caller sees what it stored.
void order_all_threads() noexcept;

}  // namespace strata
