// SPDX-License-Identifier: Apache-2.0
// Statements of NNEF 1.0.5 in the reference interpreter, against values worked out from the text of
// the specification.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/interp/agree.h"

namespace t2n::test {

/// As graph_text, with `external` and both extensions of the standard.
std::string standard_text(const Statements& statements, size_t results = 1);

/// The values of out, out2…; reals within `tolerance`.
void check_standard(const Statements& statements, const std::vector<ir::Tensor>& expected,
                    double tolerance = 1e-5);
/// One call of x, in the standard's dialect.
void check_call(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                double tolerance = 1e-5);
/// One call of x, alike in the standard, in the real tract and in the reference's tract.
void check_everywhere(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                      double tolerance = 1e-5);
void check_standard_refused(const Statements& statements, const std::string& message);

/// With tensors for its variables and the text of graph.quant.
std::vector<ir::Tensor> run_standard(const std::string& graph,
                                     const std::vector<ir::Tensor>& inputs,
                                     const std::vector<std::pair<std::string, ir::Tensor>>& tensors,
                                     const std::string& quant = {});

}  // namespace t2n::test
