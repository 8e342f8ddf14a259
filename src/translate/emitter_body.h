// Makes a scan's body a fragment of its own, for ops/scan.cpp.
#pragma once

#include <string>
#include <vector>

#include "src/translate/emitter_state.h"

namespace t2n::ops {

/// Adds results under names of their own, and drops what the results so far do not need.
void add_body_results(Emitter& body, const std::vector<Ref>& results);
/// Replaces result `index` by another tensor.
void replace_body_result(Emitter& body, size_t index, Ref result);
/// Whether a statement of the body reads a tensor.
bool is_read(Emitter& body, Ref ref);

struct FinishedBody {
  std::string name;                  ///< of the fragment, which the document now contains
  std::vector<std::string> results;  ///< names, in the order of addition
  std::vector<std::pair<std::string, Ref>> captured;  ///< names of parameters, tensors outside
};

/// Makes the fragment, after moving out what is equal in every iteration. It has the given
/// `parameters` in this order, then the captured ones.
FinishedBody finish_body(Emitter& body, const std::vector<Ref>& parameters);
/// The name of a parameter, or of a result, of a finished body.
const std::string& name_in(Emitter& body, Ref ref);

}  // namespace t2n::ops
