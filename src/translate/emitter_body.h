// The body of a scan as a fragment of its own; ops/scan.cpp makes it.
#pragma once

#include <string>
#include <vector>

#include "src/translate/emitter_state.h"

namespace t2n::ops {

/// Adds a result under a name of its own, and drops what the results so far do not need.
void add_body_results(Emitter& body, const std::vector<Ref>& results);
/// Another tensor instead of result `index`.
void replace_body_result(Emitter& body, size_t index, Ref result);
/// Whether a statement of the body reads a tensor.
bool is_read(Emitter& body, Ref ref);

struct FinishedBody {
  std::string name;                  ///< of the fragment, which is in the document now
  std::vector<std::string> results;  ///< names, in the order in which they were added
  std::vector<std::pair<std::string, Ref>> captured;  ///< names of parameters, tensors outside
};

/// Makes the fragment, after moving out what is the same in every iteration. Its parameters are
/// `parameters` in this order, then what is captured.
FinishedBody finish_body(Emitter& body, const std::vector<Ref>& parameters);
/// The name of a parameter, or of a result, of a finished body.
const std::string& name_in(Emitter& body, Ref ref);

}  // namespace t2n::ops
