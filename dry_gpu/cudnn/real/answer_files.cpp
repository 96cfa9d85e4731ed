// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/answer_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace strata::dry_gpu::real_cudnn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKind = "strata.cudnn.answer/2\n";
constexpr std::size_t kMostFileBytes = std::size_t{4} << 20;

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;  // FNV-1a
  return hash;
}

constexpr std::uint64_t kSeed = 0xcbf29ce484222325, kOtherSeed = 0x9e3779b97f4a7c15;

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

fs::path absolute_folder(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Nothing: not a plain file of one's own, or too large.
std::optional<std::string> read_own(const fs::path& path) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (file.get() < 0 || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_uid != geteuid() || found.st_size > static_cast<off_t>(kMostFileBytes))
    return std::nullopt;
  std::string text(static_cast<std::size_t>(found.st_size), '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  return got == static_cast<ssize_t>(text.size()) ? std::optional(std::move(text)) : std::nullopt;
}

bool write_all(const fs::path& path, std::string_view text) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file.get() >= 0 &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

fs::path answers_folder() {
  fs::path cache = absolute_folder("XDG_CACHE_HOME");
  if (cache.empty() && !absolute_folder("HOME").empty()) cache = absolute_folder("HOME") / ".cache";
  return cache.empty() ? fs::path() : cache / "strata" / "cudnn";
}

AnswerFiles::AnswerFiles(fs::path folder, std::string of) : folder_(std::move(folder)), of_(std::move(of)) {}

fs::path AnswerFiles::file_of(std::string_view question) const {
  return folder_ / (hexadecimal(hash_of(question, hash_of(of_, kSeed))) +
                    hexadecimal(hash_of(question, hash_of(of_, kOtherSeed))));
}

// It contains the whole question, to distinguish questions with the same name. The last line is a checksum,
// which detects truncated or modified files.
std::string AnswerFiles::text_of_file(std::string_view question, const Configurations& answer) const {
  std::string text(kKind);
  const std::string answer_text = text_of(answer);
  for (const std::string_view part : {std::string_view(of_), question, std::string_view(answer_text)})
    text += std::to_string(part.size()) + '\n' + std::string(part);
  return text + "sum " + hexadecimal(hash_of(text, kSeed)) + '\n';
}

std::optional<Configurations> AnswerFiles::read(std::string_view question) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> text = read_own(file_of(question));
  if (!text) return std::nullopt;
  std::string before = std::string(kKind) + std::to_string(of_.size()) + '\n' + of_;
  before += std::to_string(question.size()) + '\n' + std::string(question);
  if (!text->starts_with(before)) return std::nullopt;
  const std::size_t line = text->find('\n', before.size());
  const std::size_t sum = text->rfind("sum ");
  if (line == std::string::npos || sum == std::string::npos || sum <= line) return std::nullopt;
  auto answer = parse_configurations(std::string_view(*text).substr(line + 1, sum - line - 1));
  const bool is_whole = answer && text_of_file(question, *answer) == *text;
  return is_whole ? std::move(answer) : std::nullopt;
}

void AnswerFiles::write(std::string_view question, const Configurations& answer) const {
  if (folder_.empty()) return;
  static std::atomic<unsigned> written = 0;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path file = file_of(question);
  fs::path whole = file;
  whole += '.' + std::to_string(getpid()) + '-' + std::to_string(written.fetch_add(1));
  if (write_all(whole, text_of_file(question, answer))) {
    fs::rename(whole, file, error);
    if (!error) return;
  }
  fs::remove(whole, error);
}

}  // namespace strata::dry_gpu::real_cudnn
