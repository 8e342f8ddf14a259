// SPDX-License-Identifier: Apache-2.0
// Finds the differences between two artefacts, except in internal names and in orders without a
// meaning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/nnef/artefact.h"

namespace t2n::diff {

enum class Part {
  input,
  output,
  operation,
  weight,
  quantisation,
  extension,
  property,
  fragment,
  name
};
/// "operations": the headline, and the name of the list in JSON.
std::string_view part_name(Part part);

/// `subject` exists on one side only, or its `aspect` is `before` in a and `after` in b.
struct Difference {
  enum class Kind { removed, added, changed };
  Part part;
  Kind kind;
  std::string operation;  ///< "conv"; for the graph only
  std::string subject;    ///< a name in a, or in b if it was added
  std::string aspect;     ///< "stride"; "" for the subject itself
  std::string before;
  std::string after;
  std::optional<double> max_abs = {};  ///< of differing values; infinite if some are not finite
};

struct Result {
  std::vector<Difference> differences;  ///< by part, in the order of the graphs
  size_t operations = 0;                ///< in both
  size_t weights = 0;                   ///< in both
  bool equal() const { return differences.empty(); }
};

struct Options {
  bool names = false;  ///< names inside the graph and of weights count
};

/// Errors: those of spec::check_document.
Result compare(const nnef::Artefact& a, const nnef::Artefact& b, const Options& options);

}  // namespace t2n::diff
