// SPDX-License-Identifier: Apache-2.0
// Graphs by hand and messages of errors, for the tests of the core of ops. No torch.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/ast.h"

namespace t2n::test {

/// A graph by hand: inputs, constants, and nodes whose arguments matter only where read.
struct Builder {
  ir::Graph graph;

  ir::ValueId input(std::string name, const ir::Ints& shape, ir::DType dtype = ir::DType::f32) {
    graph.inputs.push_back(value(std::move(name), ir::to_shape(shape), dtype));
    return graph.inputs.back();
  }
  ir::ValueId constant(std::string name, ir::Tensor data) {
    return ir::add_constant(graph, std::move(name), std::move(data));
  }
  ir::ValueId node(std::string_view op, std::vector<ir::Argument> args, std::string name,
                   const ir::Ints& shape, ir::DType dtype = ir::DType::f32) {
    ir::Node out;
    out.op = ir::op_id(op);
    out.args = std::move(args);
    out.outputs = {value(std::move(name), ir::to_shape(shape), dtype)};
    graph.nodes.push_back(std::move(out));
    return graph.nodes.back().outputs[0];
  }
  void output(ir::ValueId id, std::string name) {
    graph.outputs.push_back(id);
    graph.output_names.push_back(std::move(name));
  }
  ir::ValueId value(std::string name, ir::Shape shape, ir::DType dtype) {
    return ir::add_value(
        graph, {.name = std::move(name), .dtype = dtype, .shape = std::move(shape), .quant = {}});
  }
};

inline ir::Argument arg(std::string name, ir::ValueId id) {
  return {std::move(name), ir::TensorRef{id}};
}

inline std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The message of an internal error, without its place.
inline std::string bug(const std::function<void()>& work) {
  const std::string text = message_of(work);
  const size_t place = text.find(": ", text.find(": ") + 1);
  return text.starts_with("internal error: ") ? text.substr(place + 2, text.find('\n') - place - 2)
                                              : text;
}

/// Statements of the graph, one a line, without the externals.
inline std::string body(const nnef::Document& document) {
  std::string out;
  for (const nnef::Assignment& statement : document.graph.body)
    if (statement.right.text != "tract_core_external")
      out += cat(nnef::print(statement.left), " = ", nnef::print(statement.right), "\n");
  return out;
}

}  // namespace t2n::test
