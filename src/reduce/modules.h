// SPDX-License-Identifier: Apache-2.0
// Models that fail in their trace, before there is a graph: reduced module by module.
#pragma once

#include <filesystem>

#include "src/diag/error.h"
#include "src/export/traced_model.h"
#include "src/reduce/reduce.h"
#include "src/reduce/written.h"

namespace t2n::reduce {

/// The smallest module that fails like the model, with the inputs of its first call in the samples'
/// run. Writes it as STEM.pt, with its tensors as STEM.inputs.npz. Errors: `first`, if it is about
/// the command line; `not-reducible` if no module fails alone.
Reduction reduce_modules(const LoadedModel& loaded, const Error& first,
                         const ReduceOptions& options, const std::filesystem::path& scratch);

}  // namespace t2n::reduce
