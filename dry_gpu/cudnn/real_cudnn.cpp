// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real_cudnn.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <map>
#include <string>

#include "dry_gpu/cudnn/real/device_text.hpp"
#include "dry_gpu/cudnn/real/library_file.hpp"
#include "dry_gpu/cudnn/real/messages.hpp"
#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {
namespace {

using real_cudnn::Asker, real_cudnn::Client, real_cudnn::Description;

bool is_convolution(const std::shared_ptr<BackendContents>& operation) {
  return operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
         operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
         operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}

// A descriptor may refer to itself until it is final: that is no graph.
class Describer {
 public:
  bool add(const BackendContents& contents) {
    if (!places_.emplace(&contents, kUnderWay).second) return places_.at(&contents) != kUnderWay;
    real_cudnn::DescribedDescriptor described{.type = contents.type, .attributes = {}};
    for (const auto& [name, attribute] : contents.attributes) {
      if (attribute.type == CUDNN_TYPE_HANDLE) continue;  // the device's description takes its place
      if (attribute.type == CUDNN_TYPE_VOID_PTR) return false;
      real_cudnn::DescribedAttribute one{
          .name = name, .type = attribute.type, .descriptors = {}, .bytes = {}, .count = attribute.count};
      for (const auto& referred : attribute.descriptors) {
        if (!add(*referred)) return false;
        one.descriptors.push_back(places_.at(referred.get()));
      }
      one.bytes.assign(reinterpret_cast<const char*>(attribute.bytes.data()), attribute.bytes.size());
      described.attributes.push_back(std::move(one));
    }
    places_.at(&contents) = description.size();
    description.push_back(std::move(described));
    return description.size() <= real_cudnn::kMostDescriptors;
  }

  Description description;

 private:
  static constexpr std::size_t kUnderWay = ~std::size_t{0};
  std::map<const BackendContents*, std::size_t> places_;
};

void say_why_not(const std::string& problem) {
  const std::string text =
      "cannot be asked for the workspaces of convolutions, which remain unknown: " + problem;
  say("cuDNN", text.c_str());
}

std::filesystem::path folder_of_this_library() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&say_why_not), &found) == 0 || found.dli_fname == nullptr)
    return {};
  std::error_code error;
  return std::filesystem::absolute(found.dli_fname, error).parent_path();
}

std::unique_ptr<Client> make_client(const DeviceProfile& device) {
  const std::filesystem::path library = real_cudnn::find_library();
  const std::string identity = real_cudnn::identity_of(library);
  const std::string device_text = real_cudnn::device_text(device);
  MachineProfile profile;
  profile.device = device;
  const auto start = [library, identity, device_text, profile = profile_text(profile)]() -> Asker::Started {
    if (library.empty())
      return {nullptr,
              "libcudnn.so.9 was not found where this program searches for it; set STRATA_CUDNN_LIBRARY to "
              "its path"};
    if (identity.empty()) return {nullptr, "no such file: " + library.string()};
    return Asker::start({.program = folder_of_this_library() / "strata_real_cudnn",
                         .library = library.string(),
                         .device = device_text,
                         .profile = profile});
  };
  // Without a library there is nothing to ask.
  return std::make_unique<Client>(
      real_cudnn::AnswerFiles(identity.empty() ? std::filesystem::path() : real_cudnn::answers_folder(),
                              std::string(real_cudnn::kProtocol) + '\n' + identity + '\n' + device_text),
      start, &say_why_not);
}

// Never destroyed: programs call CUDA from their static destructors. The process at its other end sees this
// one's end by itself.
Client& client(const DeviceProfile& device) {
  static Client& only = *[&] {
    static Client* made = make_client(device).release();
    pthread_atfork([] { made->before_fork(); }, [] { made->after_fork_in_parent(); },
                   [] { made->after_fork_in_child(); });
    return made;
  }();
  return only;
}

}  // namespace

bool convolves(const BackendContents& graph) {
  const BackendContents::Attribute* const operations = graph.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  return operations != nullptr && std::ranges::any_of(operations->descriptors, is_convolution);
}

std::optional<Description> describe(const BackendContents& graph) {
  Describer describer;
  return describer.add(graph) ? std::optional(std::move(describer.description)) : std::nullopt;
}

std::shared_ptr<real_cudnn::Question> ask_real_cudnn(const BackendContents& graph, std::int32_t mode) {
  const MachineState state = machine();
  if (state.machine == nullptr || !state.machine->asks_cudnn() || !convolves(graph)) return nullptr;
  const std::optional<Description> description = describe(graph);
  if (!description) return nullptr;
  return client(state.machine->profile()).ask(mode, text_of(*description));
}

std::optional<real_cudnn::Plan> plan_of_real_cudnn(real_cudnn::Question& question, std::size_t place) {
  const MachineState state = machine();
  return state.machine == nullptr ? std::nullopt : client(state.machine->profile()).plan(question, place);
}

}  // namespace strata::dry_gpu
