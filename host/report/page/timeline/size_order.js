// SPDX-License-Identifier: Apache-2.0
// The order of allocations by size.

// The allocations from the largest to the smallest, equal ones in their original order, by a counting sort. Sizes are
// given as ranks, from the smallest to the largest.
function largestFirst(sizeOf, sizes) {
  const next = new Uint32Array(sizes);
  for (let id = 0; id < sizeOf.length; ++id) ++next[sizeOf[id]];
  for (let size = sizes - 1, at = 0; size >= 0; --size) {
    const count = next[size];
    next[size] = at;
    at += count;
  }
  const order = new Uint32Array(sizeOf.length);
  for (let id = 0; id < sizeOf.length; ++id) order[next[sizeOf[id]]++] = id;
  return order;
}
