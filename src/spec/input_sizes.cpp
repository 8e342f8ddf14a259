// SPDX-License-Identifier: Apache-2.0
// Sizes and `==` assertions are equations over symbols. An equation of the form `a*S + b` with one
// unknown symbol determines it; known symbols then decide other equations and the assertions.
#include "src/spec/input_sizes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "nnef_writer/print.h"
#include "src/diag/error.h"

namespace t2n::spec {
namespace {

using ir::Dim;

constexpr const char* kHelp =
    "give inputs of other sizes; `t2nnef inspect` shows the expected ones";

/// `dim` = `size`, from an axis of an input or an assertion.
struct Equation {
  Dim dim;
  int64_t size = 0;
  const InputFact* input = nullptr;
  size_t axis = 0;
  const Assertion* assertion = nullptr;
};

class Sizes {
 public:
  Sizes(const SizeRules& rules, std::span<const ir::Ints> shapes) : rules_(rules) {
    for (size_t i = 0; i < rules.inputs.size(); ++i) add_input(rules.inputs[i], shapes[i]);
    for (const Assertion& assertion : rules.assertions)
      if (assertion.scenario.empty() && assertion.comparison.relation == ir::Relation::eq)
        equations_.push_back(
            {assertion.comparison.left - assertion.comparison.right, 0, nullptr, 0, &assertion});
  }

  ir::Sizes bind() {
    solve();
    compare_unsolved();
    for (const Assertion& assertion : rules_.assertions)
      if (assertion.scenario.empty() && holds(assertion) == false) refuse_assertion(assertion);
    check_scenarios();
    return std::move(known_);
  }

 private:
  void add_input(const InputFact& fact, const ir::Ints& shape) {
    if (shape.size() != fact.sizes.size())
      throw Error("input-sizes",
                  cat("the input ", quoted(fact.name), " has the shape ",
                      ir::shape_str(ir::to_shape(shape))),
                  cat("the artefact takes ", sizes_str(fact)), kHelp);
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (const auto& dim = fact.sizes[axis].dim)
        equations_.push_back({*dim, shape[axis], &fact, axis, nullptr});
  }

  Dim with_known(const Dim& dim) const { return at_sizes(dim, known_); }

  void solve() {
    std::map<ir::Symbol, std::vector<size_t>> users;
    std::deque<size_t> pending;
    for (size_t i = 0; i < equations_.size(); ++i) {
      pending.push_back(i);
      for (const ir::Symbol& symbol : equations_[i].dim.symbols()) users[symbol].push_back(i);
    }
    for (; !pending.empty(); pending.pop_front())
      if (const auto symbol = solve_equation(pending.front()))
        pending.insert(pending.end(), users[*symbol].begin(), users[*symbol].end());
  }

  /// The symbol that the equation determines, if any.
  std::optional<ir::Symbol> solve_equation(size_t index) {
    const Equation& equation = equations_[index];
    const Dim dim = with_known(equation.dim);
    const std::vector<ir::Symbol> unknown = dim.symbols();
    if (unknown.empty() && dim.value() != equation.size) refuse_clash(equation, dim.value());
    if (unknown.size() != 1) return {};
    const auto line = as_line(dim);
    if (!line) return {};
    const auto value = line->root(equation.size);
    if (!value || *value < 0) refuse_unfit(equation, unknown[0]);
    known_[unknown[0]] = *value;
    source_[unknown[0]] = index;
    return unknown[0];
  }

  /// Compares expressions that contain unknown symbols.
  void compare_unsolved() const {
    std::map<std::string, const Equation*> first;
    for (const Equation& equation : equations_) {
      const Dim dim = with_known(equation.dim);
      if (dim.is_constant()) continue;
      const Equation* const other = first.try_emplace(dim.str(), &equation).first->second;
      if (other->size == equation.size) continue;
      refuse({other, &equation},
             cat("the sizes of ", names({other, &equation}), " are incompatible"),
             "axes of equal expressions have equal sizes", {});
    }
  }

  std::optional<bool> holds(const Assertion& assertion) const {
    return spec::holds({with_known(assertion.comparison.left), assertion.comparison.relation,
                        with_known(assertion.comparison.right)});
  }

  void check_scenarios() const {
    std::map<std::string, const Assertion*> violated;  // by scenario; null if all hold
    for (const Assertion& assertion : rules_.assertions) {
      if (assertion.scenario.empty()) continue;
      const Assertion*& first = violated.try_emplace(assertion.scenario, nullptr).first->second;
      if (first == nullptr && holds(assertion) == false) first = &assertion;
    }
    const auto is_violated = [](const auto& entry) { return entry.second != nullptr; };
    if (violated.empty() || !std::all_of(violated.begin(), violated.end(), is_violated)) return;
    Equations equations;
    std::vector<std::string> details;
    for (const auto& [scenario, assertion] : violated) {
      for (const Equation* equation : equations_of(*assertion)) add(equations, equation);
      details.push_back(cat(scenario, ": ", nnef::assertion_text(*assertion), " does not hold"));
    }
    refuse(equations,
           cat("the sizes of ", names(equations), " fit none of the artefact's scenarios"),
           "the sizes must satisfy all assertions of at least one scenario", details);
  }

  using Equations = std::vector<const Equation*>;

  static void add(Equations& list, const Equation* equation) {
    if (std::find(list.begin(), list.end(), equation) == list.end()) list.push_back(equation);
  }

  /// The equations that determine the known symbols, those of inputs first.
  Equations equations_of(const std::vector<ir::Symbol>& symbols) const {
    constexpr size_t kMost = 8;
    Equations out;
    std::deque<ir::Symbol> pending(symbols.begin(), symbols.end());
    std::set<ir::Symbol> seen;
    for (; !pending.empty() && out.size() < kMost; pending.pop_front()) {
      const auto found = source_.find(pending.front());
      if (!seen.insert(pending.front()).second || found == source_.end()) continue;
      const Equation& equation = equations_[found->second];
      add(out, &equation);
      for (const ir::Symbol& symbol : equation.dim.symbols()) pending.push_back(symbol);
    }
    std::stable_partition(out.begin(), out.end(),
                          [](const Equation* each) { return each->input != nullptr; });
    return out;
  }
  Equations equations_of(const Assertion& assertion) const {
    return equations_of((assertion.comparison.left + assertion.comparison.right).symbols());
  }

  static std::string names(const Equations& equations) {
    std::vector<std::string> out;
    for (const Equation* equation : equations)
      if (equation->input != nullptr &&
          std::find(out.begin(), out.end(), equation->input->name) == out.end())
        out.push_back(equation->input->name);
    std::string text;
    for (size_t i = 0; i < out.size(); ++i)
      text += cat(i == 0 ? "" : i + 1 == out.size() ? " and " : ", ", quoted(out[i]));
    return text.empty() ? "the inputs" : text;
  }

  /// "'x', axis 1: 2*S + 1 = 7"
  static std::string line(const Equation& equation) {
    if (equation.assertion != nullptr)
      return cat("asserted: ", nnef::assertion_text(*equation.assertion));
    return cat(quoted(equation.input->name), ", axis ", equation.axis, ": ",
               equation.input->sizes[equation.axis].text, " = ", equation.size);
  }

  [[noreturn]] void refuse(const Equations& equations, std::string message, std::string why,
                           std::vector<std::string> details) const {
    std::vector<std::string> lines;
    for (const Equation* equation : equations) lines.push_back(line(*equation));
    lines.insert(lines.end(), details.begin(), details.end());
    throw Error(Diagnostic{.id = "input-sizes",
                           .message = std::move(message),
                           .where = {},
                           .details = std::move(lines),
                           .why = std::move(why),
                           .help = kHelp});
  }

  [[noreturn]] void refuse_assertion(const Assertion& assertion) const {
    const Equations equations = equations_of(assertion);
    refuse(equations,
           cat("the sizes of ", names(equations), " violate the assertion ",
               nnef::assertion_text(assertion)),
           "tract assumes that assertions hold: otherwise results are wrong", {});
  }

  /// All symbols are known, and result in another size.
  [[noreturn]] void refuse_clash(const Equation& equation, int64_t expected) const {
    if (equation.assertion != nullptr) refuse_assertion(*equation.assertion);
    Equations equations = equations_of(equation.dim.symbols());
    add(equations, &equation);
    if (equations.size() == 1)
      throw Error("input-sizes",
                  cat("the input ", quoted(equation.input->name), " has the size ", equation.size,
                      " along axis ", equation.axis),
                  cat("the artefact takes ", expected), kHelp);
    refuse(equations, cat("the sizes of ", names(equations), " are incompatible"),
           cat("the last of them would have to be ", expected), {});
  }

  /// One symbol is unknown, and no value of it results in the size.
  [[noreturn]] void refuse_unfit(const Equation& equation, const ir::Symbol& symbol) const {
    Equations equations = equations_of(equation.dim.symbols());
    add(equations, &equation);
    if (equation.assertion != nullptr) {
      for (const Equation* each : equations_of(*equation.assertion)) add(equations, each);
      equations.erase(std::find(equations.begin(), equations.end(), &equation));
      refuse(equations,
             cat("the sizes of ", names(equations), " violate the assertion ",
                 nnef::assertion_text(*equation.assertion)),
             cat(quoted(symbol.str()), " must be an integer, 0 or more"), {});
    }
    refuse(equations,
           cat("the size ", equation.size, " of the input ", quoted(equation.input->name),
               " fits no value of ", quoted(symbol.str())),
           cat(quoted(symbol.str()), " must be an integer, 0 or more"), {});
  }

  const SizeRules& rules_;
  std::vector<Equation> equations_;
  ir::Sizes known_;
  std::map<ir::Symbol, size_t> source_;  ///< the equation that determines it
};

}  // namespace

SizeRules size_rules(const nnef::Document& document) {
  return {input_facts(document), document.assertions};
}

ir::Sizes bind_sizes(const SizeRules& rules, std::span<const ir::Ints> shapes) {
  T2N_ASSERT(shapes.size() == rules.inputs.size(), "the document has ", rules.inputs.size(),
             " inputs, not ", shapes.size());
  return Sizes(rules, shapes).bind();
}

}  // namespace t2n::spec
