// SPDX-License-Identifier: Apache-2.0
// Expands arithmetic into polynomials, and answers other queries about patterns.
#include "src/passes/pattern.h"

#include <algorithm>
#include <cmath>

namespace t2n::passes {
namespace {

using ir::Attr;
using ir::Node;
using ir::ValueId;

constexpr int kMaxDepth = 12;  ///< of an expression: activations are small
constexpr int kMaxDegree = 4;

using Maybe = std::optional<Polynomial>;

Polynomial scaled(Polynomial a, double factor) {
  for (auto& [powers, coefficient] : a) coefficient *= factor;
  return a;
}

Maybe sum(const Maybe& a, const Maybe& b, std::optional<double> b_factor) {
  if (!a || !b || !b_factor) return std::nullopt;
  Polynomial out = *a;
  for (const auto& [powers, coefficient] : *b) out[powers] += *b_factor * coefficient;
  std::erase_if(out, [](const auto& term) { return term.second == 0.0; });
  return out;
}

Maybe product(const Maybe& a, const Maybe& b) {
  if (!a || !b) return std::nullopt;
  Polynomial out;
  for (const auto& [p, x] : *a)
    for (const auto& [q, y] : *b) {
      if (p.first + q.first + p.second + q.second > kMaxDegree) return std::nullopt;
      out[{p.first + q.first, p.second + q.second}] += x * y;
    }
  return out;
}

Maybe power(const Maybe& a, std::optional<double> exponent) {
  if (exponent == 1.0) return a;
  if (exponent == 2.0) return product(a, a);
  return exponent == 3.0 ? product(product(a, a), a) : std::nullopt;
}

Maybe quotient(const Maybe& a, std::optional<double> divisor) {
  if (!a || !divisor || *divisor == 0.0) return std::nullopt;
  return scaled(*a, 1.0 / *divisor);
}

bool is_arithmetic(const Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  for (const char* known : {"add", "sub", "rsub", "mul", "div", "pow", "square", "neg"})
    if (name == known) return node.outputs.size() == 1;
  return false;
}

}  // namespace

bool is_close(const Polynomial& a, const Polynomial& b) {
  const auto same = [](const auto& p, const auto& q) {
    return p.first == q.first && std::abs(p.second - q.second) <= 1e-6 * std::abs(q.second);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool is_none(const Attr* attr) {
  return attr == nullptr || std::holds_alternative<ir::None>(*attr);
}

Pattern::Pattern(const ir::Graph& graph)
    : graph_(graph),
      producers_(ir::producers(graph)),
      constants_(ir::constant_index(graph)),
      uses_(ir::use_counts(graph)),
      last_user_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    ir::for_each_input(graph.nodes[i], [&](ValueId id) { last_user_[id] = static_cast<int>(i); });
}

const Node* Pattern::producer(ValueId id) const {
  const int index = producers_[id];
  return index < 0 ? nullptr : &graph_.nodes[index];
}

const Node* Pattern::only_user(ValueId id) const {
  const int index = last_user_[id];
  return index < 0 || uses(id) != 1 ? nullptr : &graph_.nodes[index];
}

std::optional<double> Pattern::number(ValueId id) const {
  const int index = constants_[id];
  if (index < 0) return std::nullopt;
  const ir::Tensor& data = graph_.constants[index].data;
  if (!data.shape.empty() || data.bytes.empty() || ir::is_complex(data.dtype)) return std::nullopt;
  return ir::element_f64(data, 0);
}

std::optional<double> Pattern::number(const Attr* attr) const {
  if (attr == nullptr) return std::nullopt;
  if (const auto* scalar = std::get_if<double>(attr)) return *scalar;
  if (const auto* ref = std::get_if<ir::TensorRef>(attr); ref && ref->id != ir::kNoValue)
    return number(ref->id);
  const auto* dim = std::get_if<ir::Dim>(attr);
  if (dim == nullptr || !dim->is_constant()) return std::nullopt;
  return static_cast<double>(dim->value());
}

ValueId Pattern::tensor(const Attr* attr) const {
  const auto* ref = attr == nullptr ? nullptr : std::get_if<ir::TensorRef>(attr);
  return ref == nullptr || number(attr) ? ir::kNoValue : ref->id;
}

std::optional<Polynomial> Pattern::expand(ValueId root, ValueId x, ValueId e) const {
  const Node* node = producer(root);
  if (root == x || root == e || node == nullptr) return term(root, {x, e}, 0);
  return value(root).dtype == value(x).dtype ? node_term(*node, {x, e}, 0) : std::nullopt;
}

std::optional<Polynomial> Pattern::term(const Attr* attr, Variables variables, int depth) const {
  if (const auto constant = number(attr)) return Polynomial{{{0, 0}, *constant}};
  const ValueId id = tensor(attr);
  return id == ir::kNoValue ? std::nullopt : term(id, variables, depth);
}

std::optional<Polynomial> Pattern::term(ValueId id, Variables variables, int depth) const {
  if (id == variables.x) return Polynomial{{{1, 0}, 1.0}};
  if (id == variables.e) return Polynomial{{{0, 1}, 1.0}};
  const Node* node = producer(id);
  if (node == nullptr || uses(id) != 1 || depth == kMaxDepth ||
      value(id).dtype != value(variables.x).dtype)
    return std::nullopt;
  return node_term(*node, variables, depth + 1);
}

std::optional<Polynomial> Pattern::node_term(const Node& node, Variables variables,
                                             int depth) const {
  if (!is_arithmetic(node)) return std::nullopt;
  const std::string_view name = ir::op_short_name(node.op);
  const Attr* const other = node.find("other");
  const Maybe self = term(node.find("self"), variables, depth);
  if (!self) return std::nullopt;
  if (name == "neg") return scaled(*self, -1.0);
  if (name == "square") return product(self, self);
  if (name == "pow") return power(self, number(node.find("exponent")));
  if (name == "mul") return product(self, term(other, variables, depth));
  if (name == "div")
    return is_none(node.find("rounding_mode")) ? quotient(self, number(other)) : std::nullopt;
  const auto alpha = node.find("alpha") ? number(node.find("alpha")) : 1.0;
  const Maybe second = term(other, variables, depth);
  if (name == "rsub") return sum(second, self, alpha ? -*alpha : alpha);
  return sum(self, second, name == "sub" && alpha ? -*alpha : alpha);
}

ValueId Pattern::only_variable(ValueId root) const {
  ValueId found = ir::kNoValue;
  std::vector<ValueId> pending = {root};
  for (int steps = 0; !pending.empty(); ++steps) {
    const ValueId id = pending.back();
    pending.pop_back();
    const Node* node = producer(id);
    if (node && uses(id) == 1 && is_arithmetic(*node) && steps < kMaxDepth) {
      for (const char* name : {"self", "other"})
        if (const ValueId operand = tensor(node->find(name)); operand != ir::kNoValue)
          pending.push_back(operand);
    } else if (found == ir::kNoValue || found == id) {
      found = id;
    } else {
      return ir::kNoValue;
    }
  }
  return found;
}

}  // namespace t2n::passes
