// SPDX-License-Identifier: Apache-2.0
// The picture of a model: the graph that an export would translate, with its statements.
#pragma once

#include "src/export/pipeline.h"
#include "src/picture/picture.h"

namespace t2n {

/// Operators without a translation are marked, and no error. Errors: those of tracing and of
/// passes; `input-missing` without sample inputs.
picture::Picture model_picture(const ExportOptions& options);

}  // namespace t2n
