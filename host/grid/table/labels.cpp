// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/labels.hpp"

namespace strata::grid {

Table labels_table(const Plan& plan) {
  Table table{.columns = {{"axis"}, {"label"}, {"stands for"}}, .rows = {}};
  for (const ShortLabel& each : plan.labels)
    table.rows.push_back({text_entry(each.axis), text_entry(each.label), text_entry(each.settings)});
  return table;
}

std::string labels_text(const Plan& plan) {
  return plan.labels.empty() ? std::string() : "\n" + terminal_table(labels_table(plan));
}

}  // namespace strata::grid
