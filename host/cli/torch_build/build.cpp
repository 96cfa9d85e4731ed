// SPDX-License-Identifier: Apache-2.0
#include "host/cli/torch_build/build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "host/cli/child_process.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

fs::path beside(fs::path file, const char* extension) {
  return file.replace_extension(extension);
}

// share/strata: sources as a checkout lays them out, and which files a torch needs.
fs::path shared_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "strata";
}

// The compiled files and their includes in that folder.
constexpr const char* kSourceFolders[] = {"sources/torch", "plugin_api/include", "plugin_api/cpp"};

struct Sources {
  fs::path root;
  std::vector<fs::path> files;
};

// Lines of a kind (both, cuda or cpu) and a file of sources/torch.
Sources sources_for(const TorchInstall& torch) {
  Sources sources{.root = shared_folder() / "source", .files = {}};
  const fs::path list = shared_folder() / "torch_source.txt";
  std::ifstream stream(list);
  for (std::string kind, file; stream >> kind >> file;) {
    if (kind == "both" || kind == (torch.has_cuda ? "cuda" : "cpu"))
      sources.files.push_back(sources.root / "sources/torch" / file);
  }
  if (sources.files.empty())
    throw UsageError(
        fmt::format("the sources to build from are missing: {} does not exist. Install all of Strata, or "
                    "build it against this torch (-DSTRATA_TORCH_ROOT={})",
                    list.string(), torch.release.root.string()));
  return sources;
}

// Covers everything that determines the result: our sources and headers, and the torch version. Not torch's
// location or the compiler, so that another environment, or one without a compiler, can use the same file.
std::string fingerprint(const Sources& sources, const TorchInstall& torch) {
  std::vector<fs::path> files;
  for (const char* const folder : kSourceFolders) {
    for (const auto& entry : fs::recursive_directory_iterator(sources.root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp" || extension == ".h") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::string all = torch.release.version + content_of(torch.release.root / "version.py") +
                    content_of(torch.release.root / "include/torch/headeronly/version.h");
  for (const fs::path& file : files) all += content_of(file);
  return fmt::format("{:016x}", std::hash<std::string>()(all));
}

std::string find_compiler() {
  if (const char* const named = std::getenv("CXX"); named != nullptr && *named != '\0') {
    if (std::string found = find_program(named); !found.empty()) return found;
    throw UsageError(fmt::format("CXX={}: no such compiler", named));
  }
  for (const char* const name : {"g++", "c++", "clang++"}) {
    if (std::string found = find_program(name); !found.empty()) return found;
  }
  return {};
}

std::string no_compiler(const TorchInstall& torch) {
  const std::string shipped = fmt::format("{}", fmt::join(shipped_torches(), ", "));
  return fmt::format(
      "to record torch {}, Strata has to build its source of events, but there is no C++ compiler here. "
      "Install one (apt-get install g++; conda install gxx), name it with CXX, or use a torch that this "
      "Strata supports without building: {}",
      torch.release.version, shipped.empty() ? "none" : shipped);
}

// Held until the process ends.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

std::vector<std::string> compile_words(const std::string& compiler, const Sources& sources,
                                       const TorchInstall& torch, const fs::path& unity,
                                       const fs::path& target) {
  std::vector<std::string> words{compiler,
                                 "-std=c++20",
                                 "-O2",
                                 "-DNDEBUG",
                                 "-fPIC",
                                 "-shared",
                                 "-fvisibility=hidden",
                                 "-fvisibility-inlines-hidden"};
  for (const char* const folder : {"", "plugin_api/include", "plugin_api/cpp"})
    words.push_back("-I" + (sources.root / folder).string());
  for (const fs::path& folder : torch.includes) {
    words.emplace_back("-isystem");
    words.push_back(folder.string());
  }
  const fs::path libraries = torch.release.root / "lib";
  words.insert(words.end(), {unity.string(), "-o", target.string(), "-Wl,-z,defs", "-Wl,-z,nodelete",
                             "-Wl,--version-script=" + (sources.root / "cmake/plugin_exports.map").string(),
                             "-Wl,--no-as-needed", "-lstdc++", (libraries / "libtorch.so").string(),
                             (libraries / "libtorch_cpu.so").string(), (libraries / "libc10.so").string()});
  return words;
}

std::string last_lines(const fs::path& log) {
  std::istringstream lines(content_of(log));
  std::string errors;
  for (std::string line; std::getline(lines, line) && errors.size() < 1500;)
    if (line.find("error") != std::string::npos) errors += "\n  " + line.substr(0, 300);
  return errors;
}

// Both streams go to the log, because standard output belongs to another program.
int compile(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<std::string> shell{"sh", "-c", "log=$1; shift; exec \"$@\" >\"$log\" 2>&1", "sh", log.string()};
  shell.insert(shell.end(), words.begin(), words.end());
  return run_program(find_program("sh"), shell, {});
}

}  // namespace

fs::path build_torch_source(const TorchInstall& torch) {
  const fs::path folder = built_sources_folder();
  if (folder.empty())
    throw UsageError(
        "no folder for the built file: neither XDG_CACHE_HOME nor HOME is set; set one of them to a folder");
  const Sources sources = sources_for(torch);
  fs::path target = folder / torch_source_file(torch.release);
  const fs::path stamp = beside(target, ".stamp");
  const std::string print = fingerprint(sources, torch);
  const auto is_there = [&] { return fs::exists(target) && content_of(stamp) == print; };
  if (is_there()) return target;
  const std::string compiler = find_compiler();
  if (compiler.empty()) throw UsageError(no_compiler(torch));
  fs::create_directories(folder);
  const FolderLock lock(folder);
  if (is_there()) return target;

  const fs::path unity = beside(target, ".cpp");
  const fs::path log = beside(target, ".log");
  const fs::path part = target.string() + ".part";
  std::string text;
  for (const fs::path& file : sources.files) text += fmt::format("#include \"{}\"\n", file.string());
  write_whole_file(unity, text);
  say(fmt::format("building the source of events for torch {} with {}, once; this takes a minute or two",
                  torch.release.version, compiler));
  const auto begin = std::chrono::steady_clock::now();
  if (compile(compile_words(compiler, sources, torch, unity, part), log) != 0) {
    fs::remove(part);
    throw UsageError(
        fmt::format("the source of events for torch {} could not be built ({}):{}\n"
                    "docs/compatibility.md lists the tested releases; g++ 11 or later is needed",
                    torch.release.version, log.string(), last_lines(log)));
  }
  // In this order a file never has another's stamp.
  fs::remove(stamp);
  fs::rename(part, target);
  write_whole_file(stamp, print);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  say(fmt::format("built in {} s: {}", seconds, target.string()));
  return target;
}

}  // namespace strata::cli
