// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/description.hpp"

#include <limits>

#include "dry_gpu/cudnn/real/words.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::int32_t kMostNumber = 100'000;  // cuDNN's own numbers are below 10,000
constexpr std::size_t kMostElementBytes = 16;

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::optional<std::string> bytes_of(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t place = 0; place < text.size(); place += 2) {
    const std::size_t high = kDigits.find(text[place]), low = kDigits.find(text[place + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::optional<std::vector<std::size_t>> places_in(std::string_view text, std::size_t known) {
  std::vector<std::size_t> places;
  while (!text.empty()) {
    const auto place =
        number_in<std::size_t>(take_until(text, ','), 0, std::numeric_limits<std::size_t>::max());
    if (!place || *place >= known) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

std::optional<DescribedAttribute> parse_attribute(std::string_view word, std::size_t known) {
  DescribedAttribute attribute;
  const auto name = number_in<std::int32_t>(take_until(word, ':'), 0, kMostNumber);
  const auto type = number_in<std::int32_t>(take_until(word, ':'), 0, kMostNumber);
  const std::size_t end = word.find_first_of("=>");
  if (!name || !type || end == std::string_view::npos) return std::nullopt;
  const auto count = number_in<std::int64_t>(word.substr(0, end), 1, kMostDescriptionBytes);
  if (!count) return std::nullopt;
  attribute.name = *name;
  attribute.type = *type;
  attribute.count = *count;
  const auto elements = static_cast<std::size_t>(*count);
  const std::string_view rest = word.substr(end + 1);
  if (word[end] == '>') {
    auto places = places_in(rest, known);
    if (!places || places->size() != elements) return std::nullopt;
    attribute.descriptors = std::move(*places);
  } else {
    auto bytes = bytes_of(rest);
    if (!bytes || bytes->empty() || bytes->size() % elements != 0 ||
        bytes->size() / elements > kMostElementBytes)
      return std::nullopt;
    attribute.bytes = std::move(*bytes);
  }
  return attribute;
}

}  // namespace

std::string text_of(const Description& description) {
  std::string text;
  for (const DescribedDescriptor& descriptor : description) {
    text += std::to_string(descriptor.type);
    for (const DescribedAttribute& attribute : descriptor.attributes) {
      text += ' ' + std::to_string(attribute.name) + ':' + std::to_string(attribute.type) + ':' +
              std::to_string(attribute.count);
      if (attribute.descriptors.empty()) {
        text += '=' + hexadecimal(attribute.bytes);
        continue;
      }
      char before = '>';
      for (const std::size_t place : attribute.descriptors) {
        text += before + std::to_string(place);
        before = ',';
      }
    }
    text += '\n';
  }
  return text;
}

std::optional<Description> parse_description(std::string_view text) {
  if (text.empty() || text.size() > kMostDescriptionBytes || text.back() != '\n') return std::nullopt;
  Description description;
  while (!text.empty()) {
    if (description.size() == kMostDescriptors) return std::nullopt;
    std::string_view line = take_until(text, '\n');
    DescribedDescriptor descriptor;
    const auto type = number_in<std::int32_t>(take_until(line, ' '), 0, kMostNumber);
    if (!type) return std::nullopt;
    descriptor.type = *type;
    while (!line.empty()) {
      auto attribute = parse_attribute(take_until(line, ' '), description.size());
      if (!attribute) return std::nullopt;
      descriptor.attributes.push_back(std::move(*attribute));
    }
    description.push_back(std::move(descriptor));
  }
  return description;
}

}  // namespace strata::dry_gpu::real_cudnn
