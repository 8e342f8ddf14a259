// What differs between two artefacts. Names inside of them do not count, nor does any order that
// means nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/nnef_reader/artefact.h"

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
/// "operations", as a headline; in JSON it names the list.
std::string_view part_name(Part part);

/// `subject` exists on one side only, or `aspect` of it is `before` in a and `after` in b.
struct Difference {
  enum class Kind { removed, added, changed };
  Part part;
  Kind kind;
  std::string operation;  ///< "conv"; of the graph only
  std::string subject;    ///< a name, as a has it, or b if it was added
  std::string aspect;     ///< "stride"; "" if the subject says it all
  std::string before;
  std::string after;
  std::optional<double> max_abs = {};  ///< of values that differ; infinite if some are not finite
};

struct Result {
  std::vector<Difference> differences;  ///< by part, in the order of the graphs
  size_t operations = 0;                ///< in both
  size_t weights = 0;                   ///< in both
  bool equal() const { return differences.empty(); }
};

struct Options {
  bool names = false;  ///< names inside of the graph and of weights count
};

/// Errors: those of spec::check_document.
Result compare(const nnef::Artefact& a, const nnef::Artefact& b, const Options& options);

}  // namespace t2n::diff
