// SPDX-License-Identifier: Apache-2.0
// Values that are not a device, or not a setting of a dry device.
#include "tests/config/problem_case.hpp"

namespace strata::test {
namespace {

constexpr const char* kDevices =
    "cpu, cuda, cuda:<number>, or {dry: <profile>, count: <devices>} with a profile of `strata devices`";

INSTANTIATE_TEST_SUITE_P(
    Devices, OneFile,
    testing::Values(
        Case{"cuda", with("device: cuda"), {}}, Case{"second_cuda", with("device: cuda:1"), {}},
        Case{"dry_by_file", with("device: {dry: " + kH100 + ", count: 8}"), {}},
        Case{"unknown",
             with("device: gpu"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found 'gpu'"}},
        Case{"cuda_of_no_number",
             with("device: cuda:x"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found 'cuda:x'"}},
        Case{"no_profile",
             with("device: {count: 2}"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found a mapping"}},
        Case{"no_such_file",
             with("device: {dry: /nowhere/card.yaml}"),
             {"t.yaml:2:15: device.dry: the file '/nowhere/card.yaml' does not exist"}},
        Case{"no_devices",
             with("device: {dry: " + kH100 + ", count: 0}"),
             {"t.yaml:2:" + std::to_string(24 + kH100.size()) +
              ": device.count: expected an integer from 1 to 64, found '0'"}},
        Case{"no_answers",
             with("device: {dry: " + kH100 + ", answers: /nowhere/answers.yaml}"),
             {"t.yaml:2:" + std::to_string(26 + kH100.size()) +
              ": device.answers: the file '/nowhere/answers.yaml' does not exist"}},
        Case{"dry_settings",
             with("device: {dry: " + kH100 +
                  ", clock: modelled, cudnn_workspace: 32MiB, cusolver_workspace: 0, nccl_memory: 1GiB}"),
             {}},
        Case{"workspaces_off", with("device: {dry: " + kH100 + ", cudnn_workspaces: off}"), {}},
        Case{"workspaces_otherwise",
             with("device: {dry: " + kH100 + ", cudnn_workspaces: 32MiB}"),
             {"t.yaml:2:" + std::to_string(35 + kH100.size()) +
              ": device.cudnn_workspaces: expected asked or off, found '32MiB'"}},
        Case{"no_clock",
             with("device: {dry: " + kH100 + ", clock: real}"),
             {"t.yaml:2:" + std::to_string(24 + kH100.size()) +
              ": device.clock: expected none or modelled, found 'real'"}},
        Case{"no_workspace",
             with("device: {dry: " + kH100 + ", cudnn_workspace: 2GiB}"),
             {"t.yaml:2:" + std::to_string(34 + kH100.size()) +
              ": device.cudnn_workspace: expected bytes, such as 32MiB, of less than 2GiB, found '2GiB'"}},
        Case{"other_memory", with("device: {dry: " + kH100 + ", memory: 24GiB}"), {}},
        Case{"no_memory",
             with("device: {dry: " + kH100 + ", memory: 2TiB}"),
             {"t.yaml:2:" + std::to_string(25 + kH100.size()) +
              ": device.memory: expected bytes from 1GiB to 1TiB, such as 24GiB, found '2TiB'"}},
        Case{"unknown_key",
             with("device: {dry: " + kH100 + ", cout: 2}"),
             {"t.yaml:2:" + std::to_string(17 + kH100.size()) +
              ": device.cout: unknown key; did you mean 'count'?; expected dry, count, memory, answers, "
              "clock, cudnn_workspaces, cudnn_workspace, cusolver_workspace, nccl_memory"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace strata::test
