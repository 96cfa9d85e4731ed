// SPDX-License-Identifier: Apache-2.0
// Third-party files that a configuration names: a GPU's profile, a model's config.json, answers for the dry
// GPU, an image's header. Each is read, or rejected with reasons. The first line of an input selects the
// kind.
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "host/config/files/answer_file.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/config/files/ppm_header.hpp"
#include "host/config/loading/load.hpp"
#include "tests/fuzz/configuration_text.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

const std::filesystem::path& file_of(const std::string& content) {
  static const test::TemporaryFolder folder;
  static std::filesystem::path file;
  file = folder.write("file.yaml", content);
  return file;
}

void read_device(const std::string& content) {
  const config::DeviceProfile profile = config::load_device_profile(file_of(content).string());
  expect(profile.memory_bytes > 0, "a card has memory");
  expect(profile.context_bytes.low <= profile.context_bytes.high, "a range goes up");
}

void read_model(const std::string& content) {
  const std::filesystem::path file = file_of(content);
  const config::RunConfig config = config::parse_config("model: {config: file.yaml}\n", file);
  expect(config::parse_config(config.resolved_yaml, "config.yaml").resolved_yaml == config.resolved_yaml,
         "what a model's file says is said again without it", config.resolved_yaml);
}

void read_answers(const std::string& content) {
  for (const config::Answer& answer : config::load_answers(file_of(content)))
    expect(answer.value_bytes > 0 && answer.values.size() % (2 * answer.value_bytes) == 0,
           "answers are whole values", answer.reader);
}

void read_image(const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  const std::uint64_t file_bytes = content.size();
  const config::PpmHeader header =
      config::read_ppm_header(bytes.first(std::min(bytes.size(), config::kMostPpmHeaderBytes)), file_bytes);
  const auto pixels = static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
  expect(header.width > 0 && header.height > 0 && header.maximum >= 1 && header.maximum <= 255,
         "an image has pixels");
  expect(header.pixels_offset + 3 * pixels <= file_bytes, "all pixels are in the file");
}

void read(const Headed& input) {
  try {
    if (input.head == "device") read_device(input.rest);
    if (input.head == "model") read_model(input.rest);
    if (input.head == "answers") read_answers(input.rest);
    if (input.head == "image") read_image(input.rest);
  } catch (const config::ConfigError& error) {
    expect(!error.problems().empty(), "who refuses says why");
  } catch (const std::invalid_argument& error) {
    expect(input.head == "image", "only an image is refused so", error.what());
  }
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::fuzz::stay_in_an_empty_folder();
  strata::fuzz::read(strata::fuzz::headed(strata::fuzz::text_of(data, size)));
  return 0;
}
