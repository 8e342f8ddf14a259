// SPDX-License-Identifier: Apache-2.0
// What tests of the IR share.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace t2n::ir {

inline void check_round_trip(std::string_view text) {
  const Graph graph = parse(text);
  verify(graph, "parse");
  CHECK(print(graph) == text);
}

/// Runs `call` and gives the diagnostic that it throws.
template <typename Call>
Diagnostic diagnostic_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  FAIL("nothing was thrown");
  return {};
}

inline std::string syntax_error(std::string_view text) {
  return render_text(diagnostic_of([&] { parse(text); }));
}

inline std::string syntax_headline(std::string_view text) {
  return diagnostic_of([&] { parse(text); }).message;
}

inline Source at_line(int line) {
  Source out;
  out.frames = {{"model.py", line, 1, "forward"}};
  return out;
}

/// x -> relu -> relu -> …, in a scope and from a source of its own each.
inline Graph relu_chain(int length) {
  Graph graph;
  graph.inputs = {
      add_value(graph, Value{.name = "x", .dtype = DType::f32, .shape = {1}, .quant = {}})};
  ValueId last = graph.inputs[0];
  for (int i = 0; i < length; ++i) {
    Node node;
    node.op = op_id("aten::relu");
    node.args = {{"self", TensorRef{last}}};
    last = add_value(graph,
                     Value{.name = cat("y", i), .dtype = DType::f32, .shape = {1}, .quant = {}});
    node.outputs = {last};
    node.scope = add_scope(graph, 0, "ReLU", std::to_string(i));
    node.source = add_source(graph, at_line(i));
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs = {last};
  graph.output_names = {"output_0"};
  return graph;
}

}  // namespace t2n::ir
