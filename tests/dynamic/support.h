// SPDX-License-Identifier: Apache-2.0
// Programs traced at several sizes, for the tests of what becomes of the sizes.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/diag/diagnostic.h"
#include "src/dynamic/infer.h"
#include "tests/support/script.h"

namespace t2n::test {

/// A program, and how its inputs look at given sizes of the symbols.
struct Program {
  std::string source;
  std::vector<ir::Shape> shapes;
  std::vector<ir::DType> dtypes = {};  ///< f32 if none are given
  std::vector<std::pair<std::string, ir::Tensor>> parameters = {};
};

/// Traces the program at the sizes with keep_sizes.
dynamic::Probe probe_at(const Program& program, const dynamic::Sizes& sizes);

struct Inference {
  ir::Graph graph;
  std::vector<dynamic::Assumption> found;
};
/// Infers from three probes.
Inference infer(const Program& program);
/// The shapes of the outputs, "[B,S] [S]".
std::string output_shapes(const ir::Graph& graph);
/// "return <expression>" in inputs x, y, z of these shapes ("B,S,8"): the outputs' shapes, then the
/// assumptions in braces.
std::string shapes_of(const std::string& expression, const std::vector<std::string>& inputs);

using Strings = std::vector<std::string>;

/// What came of `export --dynamic`, as far as tracing goes.
struct Tracing {
  std::string shapes;  ///< of the outputs
  Strings relations;
  Strings runtime_assertions;
  Strings said;  ///< messages of warnings and notes
  std::optional<Diagnostic> error;
};

/// The inputs x and y of these shapes, f32, with these axes dynamic.
Tracing trace_body(const std::string& body, const std::vector<ir::Ints>& shapes,
                   const Strings& axes, const Strings& asserted = {});
/// Relations beyond "S >= 1", or the error.
Strings needed(const std::string& body, const std::vector<ir::Ints>& shapes, const Strings& axes,
               const Strings& asserted = {});

}  // namespace t2n::test
