// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/data_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "host/config/checks/findings.hpp"
#include "host/config/files/glob.hpp"
#include "host/config/files/image_files.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

constexpr std::int64_t kByteValues = 256;
constexpr std::int64_t kUint16Values = 65536;
// Per list of files: with more broken ones, individual messages are not helpful.
constexpr int kMostProblems = 10;

// Whether it is a zip archive, as written by torch.save.
bool is_archive(const std::filesystem::path& file) {
  std::array<char, 4> beginning{};
  std::ifstream(file, std::ios::binary).read(beginning.data(), beginning.size());
  return std::string_view(beginning.data(), beginning.size()) == std::string_view("PK\x03\x04", 4);
}

class DataChecker : Findings {
 public:
  DataChecker(const Written& written, RunConfig& config, std::vector<Problem>& problems)
      : Findings(written, problems), config_(config), data_(config.data) {}

  void run() {
    source();
    pinned_memory();
    vocabulary();
    files();
    if (data_.files.empty() || !sound({"data.path", "data.source"})) return epochs();
    switch (data_.source) {
      case DataSource::kText:
        text();
        break;
      case DataSource::kImages:
        images();
        break;
      case DataSource::kBatch:
        batch();
        break;
      case DataSource::kSynthetic:
      case DataSource::kHash:
        break;
    }
    epochs();
  }

 private:
  std::string_view source_name() const { return chosen_name(config_, "data.source"); }

  // Whether the source provides what the model needs.
  void source() {
    if (!sound({"model.name", "model.task", "data.source"})) return;
    const auto model = chosen_name(config_, "model.name");
    const bool takes_images = config_.model.task == Task::kImageClass;
    const bool has_images = data_.source == DataSource::kImages;
    if (takes_images && !has_images && data_.source != DataSource::kSynthetic)
      problem("data.source",
              fmt::format("expected synthetic or images with model.name: {}, which takes images", model));
    if (!takes_images && has_images)
      problem("data.source",
              fmt::format("expected synthetic, text, hash or batch with model.name: {}, which takes tokens",
                          model));
  }

  void pinned_memory() {
    if (!data_.pin_memory || !sound({"data.pin_memory", "device"})) return;
    if (config_.device.kind == DeviceKind::kCpu)
      problem("data.pin_memory",
              "has an effect only if a CUDA device copies from the host, but device is cpu; remove it, or "
              "choose another device");
  }

  void vocabulary() {
    if (data_.source != DataSource::kText ||
        !sound({"model.size", "model.vocab", "data.source", "data.tokens"}))
      return;
    const std::int64_t vocab = config_.model.vocab;
    if (data_.tokens == TokenFormat::kBytes && vocab < kByteValues) {
      problem("model.vocab",
              fmt::format("expected at least {} with data.tokens: bytes, found {}", kByteValues, vocab));
    }
    if (data_.tokens == TokenFormat::kUint16 && vocab > kUint16Values) {
      problem("model.vocab",
              fmt::format("expected at most {} with data.tokens: uint16, found {}", kUint16Values, vocab));
    }
  }

  void files() {
    if (!reads_files(data_.source) || !sound({"data.path", "data.source"})) return;
    if (data_.path.empty()) {
      problem(
          "data.path",
          fmt::format("is required with data.source: {}: expected a file, folder or pattern, found nothing",
                      source_name()));
      return;
    }
    std::set<std::filesystem::path> seen;
    for (const std::string& pattern : data_.path) {
      const auto files = expand_pattern(pattern);
      if (files.empty())
        problem("data.path",
                fmt::format("expected an existing file, folder or pattern, found no file at '{}'", pattern));
      for (const auto& file : files) {
        if (seen.insert(file).second) data_.files.push_back(file);
      }
    }
    for (const auto& file : data_.files) {
      if (access(file.c_str(), R_OK) != 0)
        problem("data.path", fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
    }
  }

  // Whether there is a sequence to train on.
  void text() {
    if (!sound({"data.tokens", "data.max_bytes", "model.context", "model.name", "model.task"})) return;
    const std::uint64_t token_bytes = bytes_of_token(data_.tokens);
    std::uint64_t bytes = 0;
    for (const auto& file : data_.files) {
      std::error_code ignored;
      const std::uint64_t size = std::filesystem::file_size(file, ignored);
      if (ignored) continue;
      if (size % token_bytes != 0)
        problem("data.path",
                fmt::format("expected whole uint16 tokens, found {} bytes in '{}'; write it as uint16, or "
                            "read text with data.tokens: bytes",
                            size, file.string()));
      bytes += size;
    }
    if (data_.max_bytes > 0) bytes = std::min(bytes, static_cast<std::uint64_t>(data_.max_bytes));
    const std::uint64_t tokens = bytes / token_bytes;
    const auto context = static_cast<std::uint64_t>(config_.model.context);
    const std::uint64_t of_target = config_.model.task == Task::kLanguageModel ? 1 : 0;
    if (tokens < context + of_target) {
      problem("data.path",
              fmt::format("expected at least {} tokens, one sequence of model.context{}, found {} in {} "
                          "file(s); name more text, raise data.max_bytes, or lower model.context",
                          context + of_target, of_target == 1 ? " and its target" : "", tokens,
                          data_.files.size()));
      return;
    }
    data_.samples = static_cast<std::int64_t>((tokens - of_target) / context);
  }

  // Whether each is a whole image, and their classes are some of the model's.
  void images() {
    const std::size_t files = data_.files.size();
    const std::string first = data_.files.front().string();
    std::erase_if(data_.files, [](const auto& file) { return !is_image_name(file); });
    if (data_.files.empty()) {
      problem("data.path", fmt::format("expected images named *.ppm, found none among {} file(s) such as "
                                       "'{}'; convert the images to binary PPM",
                                       files, first));
      return;
    }
    int broken = 0;
    for (const auto& file : data_.files) {
      const auto wrong = image_problem(file);
      if (!wrong) continue;
      problem("data.path", fmt::format("'{}' {}", file.string(), *wrong));
      if (++broken == kMostProblems) break;
    }
    if (!sound({"model.classes", "model.name"})) return;
    const std::vector<std::string> classes = image_classes(data_.files);
    if (static_cast<std::int64_t>(classes.size()) > config_.model.classes)
      problem(
          "model.classes",
          fmt::format("expected at least {}, the number of folders with images, from '{}' to '{}', found {}",
                      classes.size(), classes.front(), classes.back(), config_.model.classes));
    data_.samples = static_cast<std::int64_t>(data_.files.size());
  }

  // The contents are checked by the trainer, which has torch.
  void batch() {
    if (data_.files.size() != 1) {
      problem("data.path", fmt::format("expected one file with data.source: batch, found {}; name one",
                                       data_.files.size()));
    } else if (!is_archive(data_.files.front())) {
      problem("data.path", fmt::format("expected a zip archive as torch.save writes it, found another kind "
                                       "of file, '{}'; save the batch with torch.save(batch, path)",
                                       data_.files.front().string()));
    }
    if (sound({"data.batch_size"})) data_.samples = data_.batch_size;
  }

  void epochs() {
    if (config_.schedule.epochs == 0 ||
        !sound({"schedule.epochs", "data.source", "data.path", "data.batch_size", "accumulation",
                "world_size", "model.context", "model.classes", "data.tokens", "data.max_bytes"}))
      return;
    if (!reads_files(data_.source)) {
      problem("schedule.epochs", fmt::format("has no effect with data.source: {}, which never ends; remove "
                                             "it, or choose text, images or batch",
                                             source_name()));
    } else if (steps_of_epoch(config_) == 0) {
      problem("schedule.epochs",
              fmt::format("expected data for at least one step of data.batch_size x accumulation{} = {} "
                          "samples, found {}; lower one of them, or name more data",
                          config_.world_size > 1 ? " x world_size" : "", samples_of_step(config_),
                          data_.samples));
    }
  }

  RunConfig& config_;
  DataConfig& data_;
};

}  // namespace

void check_data(const Written& written, RunConfig& config, std::vector<Problem>& problems) {
  DataChecker(written, config, problems).run();
}

}  // namespace strata::config
