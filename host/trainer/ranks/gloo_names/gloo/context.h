/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gloo/names.hpp>  // IWYU pragma: export
