// SPDX-License-Identifier: Apache-2.0
// The output of `inspect` for an artefact.
#pragma once

#include <string>

#include "src/report/artefact_summary.h"

namespace t2n::cli {

std::string summary_text(const std::string& path, const report::ArtefactSummary& summary);

}  // namespace t2n::cli
