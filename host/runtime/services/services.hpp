// SPDX-License-Identifier: Apache-2.0
// The function tables of the services in strata/ext/*.h. Each is defined in the file with its name
// (service_log.cpp ...). Every function finds its session through the handle passed to it.
#pragma once

#include "strata/ext/artifact.h"
#include "strata/ext/clock.h"
#include "strata/ext/emit.h"
#include "strata/ext/log.h"
#include "strata/ext/store.h"
#include "strata/ext/thread-check.h"
#include "strata/ext/training.h"
#include "strata/ext/window.h"

namespace strata {

extern const strata_artifact_service kArtifactService;
extern const strata_clock_service kClockService;
extern const strata_emit_service kEmitService;
extern const strata_log_service kLogService;
extern const strata_store_service kStoreService;
extern const strata_thread_check_service kThreadCheckService;
extern const strata_training_service kTrainingService;
extern const strata_window_service kWindowService;

}  // namespace strata
