// SPDX-License-Identifier: Apache-2.0
// The list of mapped libraries, compared with the loader's own answers.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/allocator_tracer/loaded_libraries.hpp"

namespace strata::allocator_tracer {
namespace {

const LoadedLibrary* holder(const std::vector<LoadedLibrary>& libraries, const void* address) {
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  const auto found = std::find_if(libraries.begin(), libraries.end(), [&](const LoadedLibrary& library) {
    return library.begin <= wanted && wanted < library.end;
  });
  return found == libraries.end() ? nullptr : &*found;
}

int own_variable = 1;

TEST(LoadedLibraries, HaveTheProgramAndTheCLibrary) {
  LoadedLibraries loaded;
  const std::vector<LoadedLibrary> libraries = loaded.take_new();
  const LoadedLibrary* const program = holder(libraries, &own_variable);
  ASSERT_NE(program, nullptr);
  EXPECT_TRUE(program->path.ends_with("allocator_tracer_test")) << program->path;
  EXPECT_EQ(program->path.front(), '/');
  EXPECT_GE(program->build_id.size(), 32u);
  EXPECT_EQ(program->build_id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_GT(program->modified_ns, 0);

  Dl_info info;
  ASSERT_NE(dladdr(dlsym(RTLD_NEXT, "getenv"), &info), 0);
  const LoadedLibrary* const c_library = holder(libraries, info.dli_saddr);
  ASSERT_NE(c_library, nullptr);
  EXPECT_EQ(c_library->base, reinterpret_cast<std::uint64_t>(info.dli_fbase));
  EXPECT_TRUE(loaded.knows(reinterpret_cast<std::uint64_t>(info.dli_saddr)));
  EXPECT_FALSE(loaded.knows(c_library->end));
}

TEST(LoadedLibraries, GivesEachOnceAndWhatComesLater) {
  LoadedLibraries loaded;
  EXPECT_FALSE(loaded.knows(reinterpret_cast<std::uint64_t>(&own_variable)));
  EXPECT_FALSE(loaded.take_new().empty());
  EXPECT_TRUE(loaded.take_new().empty());

  void* const plugin = dlopen(ALLOCATOR_TRACER_FILE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const void* const entry = dlsym(plugin, "strata_plugin_entry");
  const auto address = reinterpret_cast<std::uint64_t>(entry);
  const bool was_loaded_before = loaded.take_new().empty();  // by another test of this program
  EXPECT_TRUE(loaded.knows(address));
  if (!was_loaded_before) {
    LoadedLibraries anew;
    ASSERT_NE(holder(anew.take_new(), entry), nullptr);
  }
  EXPECT_TRUE(loaded.take_new().empty());
}

}  // namespace
}  // namespace strata::allocator_tracer
