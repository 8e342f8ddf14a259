// SPDX-License-Identifier: Apache-2.0
// One recorded run of a session, and what the model's changes in it mean.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/frontend/session/inputs.h"
#include "src/frontend/session/session.h"

namespace t2n::trace {

/// One recorded run: the graph, the changes of the model, and the error if it failed.
struct Session::Attempt {
  struct Candidate {
    std::string path;
    std::string name;
    at::Tensor initial;
    ir::ValueId input = ir::kNoValue;
    ir::ValueId next = ir::kNoValue;
    ir::Tensor value;  ///< its value after the run
    std::string shared_with;
  };
  Traced traced;
  std::vector<Candidate> candidates;
  std::vector<Change> changes;
  std::vector<FlatOutput> results;  ///< without tensors
  std::set<std::string> dependent;  ///< tensors of the model that depend on an input after the run
  std::map<ir::ProgramPoint, int64_t> needs_padding;  ///< see Recording
  std::optional<Error> error;
};

struct Session::ClassifiedChanges {
  std::vector<Attempt::Candidate> states;
  std::vector<Attempt::Candidate> dropped;
  std::vector<Change> refused;
  std::vector<Change> unread;
};

}  // namespace t2n::trace
