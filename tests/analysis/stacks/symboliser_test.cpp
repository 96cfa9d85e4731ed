// SPDX-License-Identifier: Apache-2.0
// Names of known functions, and of files that have changed since.
#include "host/analysis/stacks/symboliser.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/analysis/stacks/stack_view.hpp"
#include "plugins/allocator_tracer/loaded_libraries.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

namespace fs = std::filesystem;

// A loaded copy of one version of the library, with the rows the tracer would write for it.
class KnownLibrary {
 public:
  explicit KnownLibrary(const std::string& form) : file_(folder_.path() / "known.so") {
    fs::copy_file(fs::path(KNOWN_LIBRARIES) / (form + ".so"), file_);
    handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    allocator_tracer::LoadedLibraries loaded;
    for (const allocator_tracer::LoadedLibrary& library : loaded.take_new())
      libraries_.push_back(
          {library.path, library.build_id, library.modified_ns, library.base, library.begin, library.end});
  }
  ~KnownLibrary() { dlclose(handle_); }
  KnownLibrary(const KnownLibrary&) = delete;
  KnownLibrary& operator=(const KnownLibrary&) = delete;

  std::uint64_t place(const char* function) const {
    return reinterpret_cast<std::uintptr_t (*)()>(dlsym(handle_, function))();
  }
  const fs::path& file() const { return file_; }
  std::vector<LoadedLibrary>& libraries() { return libraries_; }

  // As a package manager does: the old file exists as long as it is mapped.
  void replace_by(const fs::path& other) {
    fs::remove(file_);
    fs::copy_file(other, file_);
  }

 private:
  test::TemporaryFolder folder_;
  fs::path file_;
  void* handle_ = nullptr;
  std::vector<LoadedLibrary> libraries_;
};

TEST(Symboliser, NamesALibraryThatWasLoadedLater) {
  KnownLibrary known("known");
  Symboliser symboliser(known.libraries());
  const std::vector<Frame>& frames = symboliser.frames_at(known.place("known_exported"));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "known_exported");
  EXPECT_EQ(frames[0].library, fs::canonical(known.file()).string());
  EXPECT_TRUE(frames[0].file.ends_with("known_functions.cpp")) << frames[0].file;
  EXPECT_GT(frames[0].line, 40u);
  EXPECT_FALSE(frames[0].inlined);
  EXPECT_EQ(symboliser.frames_at(known.place("known_hidden"))[0].function,
            "known::(anonymous namespace)::hidden()");
  EXPECT_TRUE(symboliser.warnings().empty());
}

TEST(Symboliser, TellsInlinedFunctionsApart) {
  KnownLibrary known("known");
  Symboliser symboliser(known.libraries());
  const std::vector<Frame>& frames = symboliser.frames_at(known.place("known_inlined"));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frame_name(frames[0]), "known::Inner::inlined");
  EXPECT_EQ(frames[0].line, 26u);
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(frame_name(frames[1]), "known::around<...>");
  EXPECT_EQ(frames[1].line, 34u);
  EXPECT_EQ(frame_place(frames[1]), "known_functions.cpp:34");
  EXPECT_FALSE(frames[1].inlined);
}

TEST(Symboliser, NamesWhatAStrippedLibraryExports) {
  KnownLibrary known("known_stripped");
  Symboliser symboliser(known.libraries());
  EXPECT_EQ(symboliser.frames_at(known.place("known_exported"))[0].function, "known_exported");
  EXPECT_EQ(symboliser.frames_at(known.place("known_exported"))[0].line, 0u);
  const Frame hidden = symboliser.frames_at(known.place("known_hidden"))[0];
  EXPECT_EQ(hidden.function, "");
  EXPECT_TRUE(frame_name(hidden).starts_with("known.so+0x")) << frame_name(hidden);
}

// Names of another build must never be used.
TEST(Symboliser, LeavesOutALibraryThatChanged) {
  KnownLibrary known("known");
  const std::uint64_t place = known.place("known_exported");
  known.replace_by(fs::path(KNOWN_LIBRARIES) / "known_other.so");
  Symboliser symboliser(known.libraries());
  EXPECT_EQ(symboliser.frames_at(place)[0].function, "");
  EXPECT_NE(symboliser.frames_at(place)[0].offset, 0u);
  ASSERT_EQ(symboliser.warnings().size(), 1u);
  EXPECT_NE(symboliser.warnings()[0].find("known.so has changed since the run (its build id differs)"),
            std::string::npos)
      << symboliser.warnings()[0];
}

TEST(Symboliser, GoesByTheTimeOfALibraryWithoutABuildId) {
  KnownLibrary known("known_without_id");
  const std::uint64_t place = known.place("known_exported");
  {
    Symboliser symboliser(known.libraries());
    EXPECT_EQ(symboliser.frames_at(place)[0].function, "known_exported");
  }
  fs::last_write_time(known.file(), fs::last_write_time(known.file()) + std::chrono::seconds(1));
  Symboliser symboliser(known.libraries());
  EXPECT_EQ(symboliser.frames_at(place)[0].function, "");
  ASSERT_EQ(symboliser.warnings().size(), 1u);
  EXPECT_NE(symboliser.warnings()[0].find("it was modified"), std::string::npos);
}

TEST(Symboliser, SaysThatAFileIsGoneOrIsNoLibrary) {
  KnownLibrary known("known");
  const std::uint64_t place = known.place("known_exported");
  fs::remove(known.file());
  {
    Symboliser symboliser(known.libraries());
    EXPECT_EQ(symboliser.frames_at(place)[0].function, "");
    ASSERT_EQ(symboliser.warnings().size(), 1u);
    EXPECT_NE(symboliser.warnings()[0].find("cannot be opened (No such file"), std::string::npos);
  }
  std::ofstream(known.file()) << "no library at all, but some text that is long enough to be looked at twice";
  Symboliser symboliser(known.libraries());
  EXPECT_EQ(symboliser.frames_at(place)[0].function, "");
  ASSERT_EQ(symboliser.warnings().size(), 1u);
  EXPECT_NE(symboliser.warnings()[0].find("is no longer an ELF file"), std::string::npos);
}

// The build id still matches: it is at the start of the file.
TEST(Symboliser, CopesWithALibraryThatWasCutOff) {
  KnownLibrary known("known");
  const std::uint64_t place = known.place("known_inlined");
  const auto whole = fs::file_size(known.file());
  const fs::path original = fs::path(KNOWN_LIBRARIES) / "known.so";
  for (std::uintmax_t bytes = 0; bytes < whole; bytes += 997) {
    known.replace_by(original);
    fs::resize_file(known.file(), bytes);
    Symboliser symboliser(known.libraries());
    EXPECT_GE(symboliser.frames_at(place).size(), 1u);
  }
}

TEST(Symboliser, NamesNothingWhereTwoLibrariesLay) {
  KnownLibrary known("known");
  const std::uint64_t place = known.place("known_exported");
  LoadedLibrary other = known.libraries().front();
  other.begin = place - 10;
  other.end = place + 10;
  known.libraries().push_back(other);
  Symboliser symboliser(known.libraries());
  EXPECT_EQ(symboliser.frames_at(place)[0].library, "");
  EXPECT_EQ(frame_name(symboliser.frames_at(0)[0]), "0x0");
}

}  // namespace
}  // namespace strata::analysis
