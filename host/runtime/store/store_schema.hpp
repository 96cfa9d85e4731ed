// SPDX-License-Identifier: Apache-2.0
// The run store's own tables and views, described in docs/run-store.md.
#pragma once

#include <string_view>

namespace strata {

class SqliteConnection;

inline constexpr std::string_view kStoreSchema = "strata.store/1";

// Creates missing tables. Safe on a complete store.
void create_base_tables(SqliteConnection& connection);

// Creates the views for which all tables exist.
void create_views(SqliteConnection& connection);

}  // namespace strata
