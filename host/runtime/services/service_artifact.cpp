// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <memory>
#include <span>

#include "host/runtime/log.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/recording/artifact.hpp"
#include "host/runtime/services/services.hpp"

// The object behind the C handle.
struct strata_artifact {
  std::unique_ptr<strata::Artifact> artifact;
  strata::HostHandle& host;
  bool failed = false;
};

namespace strata {
namespace {

bool disarmed(const HostHandle& host) noexcept {
  return host.parts.disarmed.load(std::memory_order_relaxed);
}

void log_failure(const HostHandle& host, const std::exception& error) noexcept {
  write_log(STRATA_LOG_ERROR, host.plugin.id(), error.what());
}

strata_artifact* open(const strata_host* host, const char* name, const char* media_type) noexcept {
  HostHandle& handle = HostHandle::of(host);
  if (disarmed(handle)) return nullptr;
  try {
    auto opened = std::make_unique<strata_artifact>(
        strata_artifact{handle.parts.artifacts->open(handle.plugin.id(), name, media_type), handle});
    return opened.release();
  } catch (const std::exception& error) {
    log_failure(handle, error);
    return nullptr;
  }
}

std::int32_t write(strata_artifact* artifact, const void* data, std::size_t bytes) noexcept {
  if (disarmed(artifact->host) || artifact->failed) return -1;
  try {
    artifact->artifact->write({static_cast<const std::byte*>(data), bytes});
    return 0;
  } catch (const std::exception& error) {
    artifact->failed = true;
    log_failure(artifact->host, error);
    return -1;
  }
}

std::int32_t commit(strata_artifact* artifact) noexcept {
  if (disarmed(artifact->host)) return -1;
  const std::unique_ptr<strata_artifact> owned(artifact);
  if (owned->failed) return -1;
  try {
    owned->host.parts.artifacts->commit(std::move(owned->artifact));
    return 0;
  } catch (const std::exception& error) {
    log_failure(owned->host, error);
    return -1;
  }
}

void discard(strata_artifact* artifact) noexcept {
  if (disarmed(artifact->host)) return;
  const std::unique_ptr<strata_artifact> owned(artifact);
}

}  // namespace

const strata_artifact_service kArtifactService = {
    sizeof(strata_artifact_service), 0, open, write, commit, discard};

}  // namespace strata
