// SPDX-License-Identifier: Apache-2.0
// Compares the arguments of a loop's iterations, except for sizes of their own tensors.
#include <algorithm>

#include "src/loops/comparison.h"

namespace t2n::loops {

using ir::Dim;
using ir::Node;

namespace {

/// Compares as text: -0.0 differs from 0.0, and NaN equals NaN.
bool is_same_plain(const ir::Attr& a, const ir::Attr& b) {
  const auto no_name = [](ir::ValueId) { return std::string(); };
  return ir::attr_str(a, no_name) == ir::attr_str(b, no_name);
}

/// True if two bodies, whose values have the same ids, have equal constants.
bool are_same(const std::vector<ir::Constant>& a, const std::vector<ir::Constant>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ir::Constant& x, const ir::Constant& y) {
                      return x.value == y.value && ir::same_values(x.data, y.data);
                    });
}

}  // namespace

/// Replaces the size symbols of an iteration by those of the first iteration.
Dim IterationComparison::renamed(const Dim& dim, const std::map<std::string, std::string>& names,
                                 int64_t iteration) const {
  if (dim.is_constant() || iteration == found_.start) return dim;
  return dim.substitute([&](const ir::Symbol& symbol) -> std::optional<Dim> {
    const ir::Symbol::AxisSize* size = symbol.axis_size();
    const auto found = size == nullptr ? names.end() : names.find(size->value);
    if (found == names.end()) return std::nullopt;
    return Dim::symbol(ir::Symbol::AxisSize{found->second, size->axis});
  });
}

void IterationComparison::check_attr(const Node& at, const ir::Attr& first, const ir::Attr& other,
                                     const std::map<std::string, std::string>& names,
                                     int64_t iteration) const {
  const auto fail = [&] {
    differ(at, cat("an argument of ", ir::op_name(at.op), " differs in iteration ", iteration),
           kPlainHelp);
  };
  if (first.index() != other.index()) fail();
  if (std::holds_alternative<ir::TensorRef>(first) || std::holds_alternative<ir::TensorRefs>(first))
    return;
  if (const auto* one = std::get_if<Dim>(&first)) {
    if (!(*one == renamed(std::get<Dim>(other), names, iteration))) fail();
  } else if (const auto* many = std::get_if<std::vector<Dim>>(&first)) {
    const auto& others = std::get<std::vector<Dim>>(other);
    if (many->size() != others.size()) fail();
    for (size_t i = 0; i < many->size(); ++i)
      if (!((*many)[i] == renamed(others[i], names, iteration))) fail();
  } else if (!is_same_plain(first, other)) {
    fail();
  }
}

void IterationComparison::check_body(const Node& at, const ir::Graph& first, const ir::Graph& other,
                                     int64_t iteration) const {
  const auto fail = [&] {
    differ(at, cat("the inner loop differs in iteration ", iteration), kPlainHelp);
  };
  if (first.values.size() != other.values.size() || first.nodes.size() != other.nodes.size() ||
      first.inputs != other.inputs || first.outputs != other.outputs ||
      !are_same(first.constants, other.constants))
    fail();
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < first.values.size(); ++i) {
    if (first.values[i].dtype != other.values[i].dtype ||
        first.values[i].shape != other.values[i].shape)
      fail();
    names[other.values[i].name] = first.values[i].name;
  }
  for (size_t i = 0; i < first.nodes.size(); ++i) {
    const Node& a = first.nodes[i];
    const Node& b = other.nodes[i];
    if (a.op != b.op || a.args.size() != b.args.size() || a.outputs != b.outputs ||
        a.compute_dtype != b.compute_dtype)
      fail();
    for (size_t k = 0; k < a.args.size(); ++k) {
      check_attr(at, a.args[k].value, b.args[k].value, names, iteration);
      if (std::holds_alternative<ir::TensorRef>(a.args[k].value) ||
          std::holds_alternative<ir::TensorRefs>(a.args[k].value))
        if (!(a.args[k].value == b.args[k].value)) fail();
    }
    if (a.body) check_body(at, *a.body, *b.body, iteration);
  }
}

std::map<std::string, std::string> IterationComparison::names_in(int64_t iteration) const {
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < found_.hoisted.size(); ++i)
    for (size_t p = 0; p < node(iteration, i).outputs.size(); ++p)
      names[outer(node(iteration, i).outputs[p]).name] =
          outer(node(found_.start, i).outputs[p]).name;
  for (const CarriedState& state : found_.states) {
    const size_t at = iteration - found_.start;
    if (at < state.iterations.size())
      names[outer(state.iterations[at]).name] = outer(state.iterations[0]).name;
  }
  return names;
}

void IterationComparison::check_arguments() const {
  for (int64_t iteration = found_.start + 1; iteration < all_.count(); ++iteration) {
    const std::map<std::string, std::string> names = names_in(iteration);
    for (size_t i = 0; i < found_.hoisted.size(); ++i) {
      const Node& first = node(found_.start, i);
      const Node& other = node(iteration, i);
      for (size_t a = 0; a < first.args.size(); ++a)
        check_attr(other, first.args[a].value, other.args[a].value, names, iteration);
      if (first.body) check_body(other, *first.body, *other.body, iteration);
    }
  }
}

}  // namespace t2n::loops
