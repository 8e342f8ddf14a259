// SPDX-License-Identifier: Apache-2.0
// The reference interpreter as one more engine of the tests.
#pragma once

#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/nnef/ast.h"
#include "src/spec/operations.h"
#include "tests/support/script.h"

namespace t2n::test {

/// Outputs of the artefact in a folder or archive for each set of inputs, in a fresh state each.
std::vector<std::vector<ir::Tensor>> run_reference(
    const std::string& artefact, const std::vector<std::vector<ir::Tensor>>& inputs,
    spec::Dialect dialect = spec::Dialect::tract);
/// The same of a document, as written.
std::vector<std::vector<ir::Tensor>> run_reference(
    const nnef::Document& document, const std::vector<std::vector<ir::Tensor>>& inputs,
    spec::Dialect dialect = spec::Dialect::tract);
/// A hand-written graph without weights.
std::vector<ir::Tensor> run_reference_text(const std::string& graph,
                                           const std::vector<ir::Tensor>& inputs,
                                           spec::Dialect dialect = spec::Dialect::tract);

/// One for each set of inputs; errors are part of them.
std::vector<ReferenceRun> run_beside(const std::string& artefact,
                                     const std::vector<std::vector<ir::Tensor>>& inputs);
/// What differs between the engine and the reference, "" if nothing does.
std::string reference_differences(const Run& run, const check::Tolerance& tolerance);

}  // namespace t2n::test
