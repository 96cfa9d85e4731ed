// SPDX-License-Identifier: Apache-2.0
// A file beside the run store, named by the host: removed again unless it was committed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "strata/ext/artifact.h"
#include "strata/host.hpp"

namespace strata {

// [any] one thread at a time.
class ArtifactFile {
 public:
  // Throws std::runtime_error when there is no such file to be had; the cause is in the log.
  ArtifactFile(const Host& host, const char* name, const char* media_type)
      : service_(host.service<strata_artifact_service>(STRATA_EXT_ARTIFACT)),
        artifact_(service_ == nullptr ? nullptr : service_->open(host.abi(), name, media_type)) {
    if (artifact_ == nullptr)
      throw std::runtime_error(std::string("cannot open the artifact '") + name + "'");
  }
  ~ArtifactFile() {
    if (artifact_ != nullptr) service_->discard(artifact_);
  }
  ArtifactFile(const ArtifactFile&) = delete;
  ArtifactFile& operator=(const ArtifactFile&) = delete;

  // False when it failed, now or before; the cause is in the log.
  bool write(std::string_view data) noexcept {
    return service_->write(artifact_, data.data(), data.size()) == 0;
  }

  // Gives the file its name. The last call: true when the file is whole and in place.
  bool commit() noexcept {
    strata_artifact* const done = artifact_;
    artifact_ = nullptr;
    return service_->commit(done) == 0;
  }

 private:
  const strata_artifact_service* service_;
  strata_artifact* artifact_;
};

}  // namespace strata
