// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/time/time_tables.hpp"
#include "strata/events.h"

namespace strata::analysis {
namespace {

double flop_of(const ProductRow& shape) {
  return 2.0 * shape.products * shape.batch * static_cast<double>(shape.m) * shape.n * shape.k;
}

class ProductTable {
 public:
  explicit ProductTable(const RunTimes& times) : times_(times), device_ns_(times.device_ns) {
    // The work requested by an operator, including the operators that it called.
    for (std::size_t index = times.ops.size(); index-- > 0;)
      if (const std::uint32_t parent = times.ops[index].parent; parent != kNoRow)
        device_ns_[parent] += device_ns_[index];
    for (const ProductRow& row : times.run.time.products)
      if (row.products != 0) is_product_.emplace(row.op);
  }

  void add(const ProductRow& row) {
    const auto op = find_op(times_.ops, row.op);
    if (row.products == 0 || !op || !times_.is_of_window(times_.ops[*op]) || is_part_of_another(*op)) return;
    const bool on_device = device_ns_[*op] > 0;
    ProductTime& time = rows_[{times_.ops[*op].name, row.products, row.batch, row.m, row.n, row.k,
                               row.element_bytes, on_device}];
    time.shape = row;
    time.shape.op = 0;
    time.name = times_.ops[*op].name;
    time.on_device = on_device;
    ++time.count;
    time.flop += flop_of(row);
    time.bytes += row.bytes;
    if (on_device) time.time_ns += device_ns_[*op];
    if (!on_device && host_computes_) time.time_ns += times_.ops[*op].length_ns();
  }

  std::vector<ProductTime> sorted() const {
    std::vector<ProductTime> products;
    for (const auto& [key, row] : rows_) products.push_back(row);
    std::ranges::stable_sort(products, std::greater{},
                             [](const ProductTime& time) { return std::pair(time.time_ns, time.flop); });
    return products;
  }

 private:
  bool is_part_of_another(std::uint32_t op) const {
    for (std::uint32_t at = times_.ops[op].parent; at != kNoRow; at = times_.ops[at].parent)
      if (is_product_.contains(times_.ops[at].ordinal)) return true;
    return false;
  }

  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, bool>;
  const RunTimes& times_;
  // In a run on a CUDA device, dry or real, an operator's own time is that of the request.
  const bool host_computes_ = host_computes(times_.run);
  std::vector<std::int64_t> device_ns_;  // of each operator with those that it called
  std::set<std::uint64_t> is_product_;   // by ordinal
  std::map<Key, ProductTime> rows_;
};

}  // namespace

bool host_computes(const Recording& run) {
  return !run.dry && run.device.type != STRATA_DEVICE_CUDA;
}

std::vector<ProductTime> product_times(const RunTimes& times) {
  ProductTable table(times);
  for (const ProductRow& row : times.run.time.products) table.add(row);
  return table.sorted();
}

}  // namespace strata::analysis
