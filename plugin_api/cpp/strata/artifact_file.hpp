// SPDX-License-Identifier: Apache-2.0
// A file next to the run store, named by the host. It is removed unless it is committed.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "strata/ext/artifact.h"
#include "strata/host.hpp"

namespace strata {

// [any] One thread at a time.
class ArtifactFile {
 public:
  // Throws std::runtime_error if the file cannot be opened; the cause is in the log.
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

  // False if this or an earlier write failed; the cause is in the log.
  bool write(std::string_view data) noexcept {
    return service_->write(artifact_, data.data(), data.size()) == 0;
  }

  // Gives the file its final name; must be the last call. True if the file is complete and in place.
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
