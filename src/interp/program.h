// SPDX-License-Identifier: Apache-2.0
// A loaded artefact, prepared to run many times.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/interp/interp.h"
#include "src/nnef/walk.h"

namespace t2n::interp {

using Body = std::vector<nnef::Assignment>;

/// Names by the statement of their last use, after which they are freed.
using LastUses = std::vector<std::vector<std::string>>;

struct Program {
  nnef::Document document;
  spec::Dialect dialect = spec::Dialect::khronos;
  std::vector<ProgramPort> inputs;
  std::vector<ProgramPort> outputs;
  nnef::FragmentTable fragments;
  std::unordered_map<std::string, const nnef::QuantEntry*> quant;
  std::unordered_map<std::string, nnef::StoredTensor> tensors;  ///< by label
  std::unordered_map<const Body*, LastUses> last_uses;
  /// State between runs: updated variables by label, states of kernels.
  std::map<std::string, at::Tensor> memory;
  std::map<std::string, std::shared_ptr<const nnef::Artefact>> submodels;  ///< by label
  /// Loaded submodels by the path of the call: each call has its own state.
  std::map<std::string, std::shared_ptr<Program>> called;

  /// The submodel that the call at `path` runs.   Errors: those of load_program.
  Program& submodel(const std::string& label, const std::string& path);

  Program() = default;
  Program(const Program&) = delete;  // contains pointers into itself
  Program& operator=(const Program&) = delete;
};

/// Errors: `engine-rejects` (unknown operations, inputs without a shape).
std::shared_ptr<Program> load_program(const nnef::Artefact& artefact, spec::Dialect dialect);

/// "`y = relu(x);`" cut to a readable length.
std::string statement_text(const nnef::Assignment& statement);

}  // namespace t2n::interp
