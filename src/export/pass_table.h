// SPDX-License-Identifier: Apache-2.0
// All passes, joined from the folders that have them, and the pipelines of the commands.
#pragma once

#include <string>
#include <vector>

#include "src/passes/pass.h"

namespace t2n::passes {

/// All passes: those of the standard pipeline in its order, others among and after them.
const std::vector<PassInfo>& passes();
/// The passes with these names.   Errors: `usage`, with a suggestion.
std::vector<PassInfo> find_passes(const std::vector<std::string>& names);

enum class Pipeline {
  standard,     ///< of `export`
  translation,  ///< without it graphs have no translation, or a much larger one
  inspection,   ///< of `inspect`
  // Of --compress, one after the other:
  attention,     ///< before settings are matched with layers
  preparation,   ///< weights become constants, static sizes become numbers
  quantisation,  ///< integers and fake quantisation are visible after it
};

/// The names of a pipeline's passes.
const std::vector<std::string>& pipeline(Pipeline which);
/// The passes of --compress before the lint.
std::vector<std::string> compression_passes();

/// Runs passes by name, also in nested graphs; verifies the graph before the first and after each.
/// Returns true if one changed it.   Errors: `usage` for unknown names, `ir-invalid`.
bool run_pipeline(ir::Graph& graph, const std::vector<std::string>& names,
                  const PassContext& context, const PipelineOptions& options = {});

}  // namespace t2n::passes
