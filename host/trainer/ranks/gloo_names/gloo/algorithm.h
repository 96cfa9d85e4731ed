#pragma once

#include <gloo/names.hpp>  // IWYU pragma: export
