// SPDX-License-Identifier: Apache-2.0
// Where the artefacts of an export go.
#pragma once

#include <memory>
#include <span>

#include "nnef_writer/group.h"
#include "src/export/pipeline.h"

namespace t2n {

/// One destination for each method, or a folder for all.
nnef::Group group_of(std::span<const ExportOptions> methods);

/// The same artefacts in a temporary folder.
struct DryGroup {
  std::unique_ptr<nnef::Temporary> folder;
  nnef::Group group;
};
/// Call it before a model is loaded, which confines the process.
DryGroup dry_group(const nnef::Group& group);

/// Computed weights are kept on the disk on which the destination is. Call it before a model is
/// loaded, too.
void spill_next_to(const nnef::Destination& destination);

}  // namespace t2n
