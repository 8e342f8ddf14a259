// Finds all refusals of a model that one of them stopped.
#pragma once

#include "src/diag/error.h"
#include "src/export/pipeline.h"

namespace t2n {

/// The error with all other refusals of the model, without those that only follow from one. Other
/// errors than refusals are returned unchanged. Nothing that is computed here is exported.
Error with_all_refusals(const LoadedModel& loaded, const ExportOptions& options,
                        const Error& first);

}  // namespace t2n
