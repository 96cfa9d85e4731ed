// SPDX-License-Identifier: Apache-2.0
// The run store's own tables and views, as docs/run-store.md describes them.
#pragma once

#include <string_view>

namespace strata {

class SqliteConnection;

inline constexpr std::string_view kStoreSchema = "strata.store/1";

// Creates what is missing. Safe on a store that has it all.
void create_base_tables(SqliteConnection& connection);

// Creates the views whose tables exist by now.
void create_views(SqliteConnection& connection);

}  // namespace strata
