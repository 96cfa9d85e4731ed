// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/recording.hpp"

#include <pthread.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "sources/cupti/recording/device_wait.hpp"
#include "sources/cupti/recording/resources.hpp"
#include "sources/cupti/records/launch_functions.hpp"

namespace strata::cupti {
namespace {

// The driver has some 800 functions; later releases have more.
constexpr CUpti_CallbackId kMostDriverFunctions = CUPTI_DRIVER_TRACE_CBID_SIZE + 512;

// By number. Empty: all are reported, because they were requested, or because CUPTI does not provide their
// names.
std::vector<bool> recorded_driver_functions(const Kinds& kinds, CallbackName name_of) {
  if (kinds.driver || !kinds.api || name_of == nullptr) return {};
  std::vector<bool> recorded(kMostDriverFunctions, false);
  for (CUpti_CallbackId function = 1; function < kMostDriverFunctions; ++function) {
    const char* name = nullptr;
    if (name_of(CUPTI_CB_DOMAIN_DRIVER_API, function, &name) == CUPTI_SUCCESS && name != nullptr)
      recorded[function] = is_called_past_runtime(name);
  }
  return recorded;
}

}  // namespace

Recording::Recording(const Host& host, const Library& library, const Settings& settings, Origins& origins,
                     std::unique_ptr<Subscription> subscription)
    : host_(host),
      emit_(host.service<strata_emit_service>(STRATA_EXT_EMIT)),
      library_(library),
      waits_for_devices_(settings.wait_for_devices),
      finalizes_(settings.finalize_on_stop),
      records_calls_(settings.kinds.api || settings.kinds.driver),
      follows_nodes_((settings.kinds.graph_nodes || library.is_dry) && records_calls_),
      origins_(origins),
      subscription_(std::move(subscription)),
      decoder_(decoder_setup(settings)) {
  const std::string problem = clock_.begin([this] { return subscription_->timestamp_ns(); });
  if (!problem.empty()) throw std::runtime_error(problem);
  process_buffers().configure(settings.buffer_bytes, settings.most_buffers);
  process_buffers().open();
  process_resources().open(library.functions);
  try {
    enable(settings);
    reader_ = std::thread([this] { read_buffers(); });
  } catch (...) {
    stop();
    throw;
  }
}

Recording::~Recording() {
  stop();
}

void Recording::stop() {
  disable();
  process_resources().close();
  process_buffers().close();
  if (reader_.joinable()) reader_.join();
}

void Recording::disable() {
  for (const CUpti_ActivityKind kind : std::exchange(enabled_, {})) subscription_->disable(kind);
  for (const CUpti_CallbackId event : std::exchange(heard_, {})) subscription_->enable_resource(event, false);
}

DecoderSetup Recording::decoder_setup(const Settings& settings) {
  return {
      .next_record =
          [this](std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
            return subscription_->next_record(buffer, bytes, record);
          },
      .intern =
          [this](std::string_view text) {
            strata_name name{};
            emit_->intern(host_.abi(), text.data(), text.size(), &name);
            return name;
          },
      .callback_name = library_.functions.cuptiGetCallbackName,
      .tell = [this](const strata_activity_event& event) { emit_->activity(host_.abi(), &event); },
      .clock = &clock_,
      .origins = &origins_,
      .first_origin = origins_.next_number(),
      .graph_nodes = follows_nodes_ ? &process_resources() : nullptr,
      .records_calls = records_calls_,
      .driver_functions = recorded_driver_functions(settings.kinds, library_.functions.cuptiGetCallbackName),
      .is_modelled = library_.is_dry};
}

void Recording::enable(const Settings& settings) {
  const Functions& functions = library_.functions;
  // Before the first buffer: else CUPTI clears each on the program's thread.
  if (subscription_->set_flag(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, true) != CUPTI_SUCCESS)
    warnings_.emplace_back("CUPTI clears its buffers itself, on the program's threads");
  const bool names_threads =
      functions.cuptiSetThreadIdType != nullptr &&
      functions.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) == CUPTI_SUCCESS;
  if (!names_threads)
    warnings_.emplace_back(
        "CUPTI's thread numbers are not the system's: calls cannot be assigned to threads");
  if (const CUptiResult result = subscription_->register_buffers(); result != CUPTI_SUCCESS)
    throw std::runtime_error("CUPTI accepts no buffers: " + text_of(functions, result));
  for (const CUpti_ActivityKind kind : activity_kinds(settings.kinds, library_.is_dry)) {
    const CUptiResult result = subscription_->enable(kind);
    if (result == CUPTI_SUCCESS) {
      enabled_.push_back(kind);
      continue;
    }
    if (!may_be_refused(kind)) refuse(kind_name(kind), result);
  }
  if (enabled_.empty()) throw std::runtime_error("CUPTI records none of the requested kinds");
  enable_functions(settings.kinds);
  enable_resources(settings.kinds);
}

void Recording::refuse(const char* what, CUptiResult result) {
  refused_kinds_ += (refused_kinds_.empty() ? "" : ", ") + std::string(what);
  warnings_.push_back(std::string("CUPTI does not record ") + what + ": " +
                      text_of(library_.functions, result));
}

// After the kinds, which would set it back. The driver's calls are asked for as a kind, and those that are
// not wanted are taken out of it: where single ones were asked for without their kind, an H200 recorded none.
void Recording::enable_functions(const Kinds& kinds) {
  if (!kinds.api) return;
  for (const CUpti_runtime_api_trace_cbid function : questions())
    subscription_->enable_runtime(static_cast<CUpti_CallbackId>(function), false);
  const std::vector<bool> recorded =
      recorded_driver_functions(kinds, library_.functions.cuptiGetCallbackName);
  for (std::size_t function = 1; function < recorded.size(); ++function) {
    if (!recorded[function]) subscription_->enable_driver(static_cast<CUpti_CallbackId>(function), false);
  }
}

void Recording::enable_resources(const Kinds& kinds) {
  const auto hear = [&](CUpti_CallbackId event) {
    const CUptiResult result =
        subscription_->enable_resource(event, true).value_or(CUPTI_ERROR_NOT_SUPPORTED);
    if (result == CUPTI_SUCCESS) heard_.push_back(event);
    return result;
  };
  if (kinds.module && !library_.is_dry) {
    if (const CUptiResult result = hear(CUPTI_CBID_RESOURCE_MODULE_LOADED); result != CUPTI_SUCCESS)
      refuse("modules", result);
  }
  if (!follows_nodes_) return;
  for (const CUpti_CallbackId event :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    hear(event);
}

// With the reading lock.
void Recording::report_modules() {
  for (const LoadedModule& module : process_resources().take_modules()) decoder_.tell(module);
}

void Recording::read_buffers() noexcept {
  pthread_setname_np(pthread_self(), "strata-cupti");
  while (const auto buffer = process_buffers().next()) {
    try {
      const std::scoped_lock lock(reading_);
      report_modules();
      decoder_.decode(*buffer);
    } catch (const std::exception& error) {
      host_.error(std::string("a buffer of CUPTI's records is lost: ") + error.what());
    }
  }
}

bool Recording::push(const Origin& origin) noexcept {
  if (!records_calls_ || subscription_->push(origins_.note(origin)) != CUPTI_SUCCESS) return false;
  if (follows_nodes_) process_resources().push(origin);
  return true;
}

void Recording::pop() noexcept {
  subscription_->pop();
  if (follows_nodes_) process_resources().pop();
}

void Recording::hand_over(std::uint32_t flag) {
  clock_.add([this] { return subscription_->timestamp_ns(); });
  const CUptiResult result = library_.functions.cuptiActivityFlushAll(flag);
  if (result != CUPTI_SUCCESS)
    warnings_.push_back("CUPTI does not deliver its records: " + text_of(library_.functions, result));
  dropped_ += subscription_->take_dropped();
}

void Recording::fetch() {
  hand_over(0);
}

void Recording::flush(std::chrono::steady_clock::time_point deadline) {
  hand_over(0);
  wait_for_reader(deadline);
}

void Recording::finish(std::chrono::steady_clock::time_point deadline) {
  if (waits_for_devices_) {
    if (const std::string problem = wait_for_devices(); !problem.empty()) warnings_.push_back(problem);
  }
  disable();
  hand_over(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  wait_for_reader(deadline);
  {
    const std::scoped_lock lock(reading_);
    report_modules();
    decoder_.finish();
  }
  if (!finalizes_ || library_.functions.cuptiFinalize == nullptr) return;
  if (const CUptiResult result = library_.functions.cuptiFinalize(); result != CUPTI_SUCCESS)
    warnings_.push_back("CUPTI does not detach from CUDA: " + text_of(library_.functions, result));
}

void Recording::wait_for_reader(std::chrono::steady_clock::time_point deadline) {
  if (!process_buffers().wait_until_taken(deadline))
    host_.warning("CUPTI's records were not all read in time: the last ones are missing");
}

Recording::Sums Recording::take_sums() {
  const std::scoped_lock lock(reading_);
  return {.records = decoder_.take_counts(),
          .buffers = process_buffers().take_counts(),
          .dropped = std::exchange(dropped_, 0),
          .clock_uncertainty_ns = clock_.uncertainty_ns(),
          .clock_drift_ns = clock_.drift_ns()};
}

}  // namespace strata::cupti
