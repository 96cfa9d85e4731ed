// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/python_owners.hpp"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sources/torch/python/python_calls.hpp"
#include "sources/torch/training/find_owners.hpp"
#include "sources/torch/training/name_models.hpp"

namespace strata::torch_source {
namespace {

std::string error_of(const PythonInterpreter& python, const PythonCalls& calls) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  python.fetch_error(&type, &value, &traceback);
  const HeldReference held_type(python, type), held_value(python, value), held_traceback(python, traceback);
  const HeldReference text(python, value == nullptr ? nullptr : calls.text(value));
  const char* const characters = text ? python.utf8(text.get()) : nullptr;
  std::string said = characters == nullptr ? "an error without a message" : characters;
  python.clear_error();
  return said;
}

// Returns the part before the next separator, and removes both from `text`.
std::string_view take_field(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return field;
}

template <typename Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Python has its address as a number, `_cdata`.
template <typename Pointed>
Pointed* pointer_of(std::string_view text) {
  const auto address = number_of<std::uintptr_t>(text);
  return reinterpret_cast<Pointed*>(address);  // NOLINT(performance-no-int-to-ptr)
}

PythonOwner owner_of(std::string_view line) {
  PythonOwner owner;
  owner.role = number_of<std::uint32_t>(take_field(line, '\t'));
  owner.storage = pointer_of<c10::StorageImpl>(take_field(line, '\t'));
  owner.owner = pointer_of<c10::StorageImpl>(take_field(line, '\t'));
  owner.dtype = take_field(line, '\t');
  for (std::string_view extents = take_field(line, '\t'); !extents.empty();)
    owner.sizes.push_back(number_of<std::int64_t>(take_field(extents, 'x')));
  owner.is_frozen = take_field(line, '\t') == "1";
  owner.name = line;
  return owner;
}

}  // namespace

PythonProgram for_each_python_owner(bool is_first, c10::function_ref<void(const PythonOwner&)> take,
                                    c10::function_ref<void(c10::TensorImpl*)> take_optimized) {
  static const std::optional<PythonInterpreter> python = find_python_interpreter();
  static const std::optional<PythonCalls> calls = find_python_calls();
  if (!python || !calls) return {};
  const PythonLock lock(*python);
  if (lock.thread() == nullptr) return {};
  const WithoutDynamo frames_as_they_are(*python, *calls);
  const HeldReference globals(*python, calls->new_dict());
  for (const char* const program : {kNameModels, kFindOwners}) {
    const HeldReference defined(*python, calls->run(program, kPythonFile, globals.get(), globals.get()));
    if (!defined) throw std::runtime_error(error_of(*python, *calls));
  }
  const HeldReference arguments(*python, calls->build("(i)", is_first ? 1 : 0));
  // The result, which keeps everything it names alive until it has been processed.
  const HeldReference found(*python, calls->call(calls->item(globals.get(), "find_owners"), arguments.get()));
  if (!found) throw std::runtime_error(error_of(*python, *calls));
  const char* const text = python->utf8(calls->element(found.get(), 0));
  const char* const trainer = python->utf8(calls->element(found.get(), 1));
  const char* const optimized = python->utf8(calls->element(found.get(), 2));
  const char* const rank = python->utf8(calls->element(found.get(), 3));
  if (text == nullptr || trainer == nullptr || optimized == nullptr || rank == nullptr)
    throw std::runtime_error(error_of(*python, *calls));
  for (std::string_view rest = text; !rest.empty();) take(owner_of(take_field(rest, '\n')));
  for (std::string_view rest = optimized; !rest.empty();)
    take_optimized(pointer_of<c10::TensorImpl>(take_field(rest, '\n')));
  const std::string_view told = rank;
  return {trainer, told.empty() ? std::nullopt : std::optional(number_of<std::uint32_t>(told))};
}

}  // namespace strata::torch_source
