// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/other_values.h"

#include <algorithm>

#include "ir/dead_code.h"
#include "ir/prove.h"
#include "ir/readable.h"
#include "src/diag/one_of.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/shapes/constraint_set.h"

namespace t2n::dynamic {

using trace::Traced;

namespace {

void require_for_sample(const std::vector<Comparison>& runtime_assertions, const Sizes& sample) {
  for (const Comparison& each : runtime_assertions) {
    const ir::Dim gap = (each.left - each.right).substitute(sample);
    if (!gap.is_constant() || ir::holds(gap.value(), each.relation, 0)) continue;
    throw Error(
        "dynamic-assumption",
        cat("the exported model would require ", ir::readable(each), ", which the sample violates"),
        "at other input values the model runs another program than at the sample's",
        "give a typical sample, or compute the same whatever the values are");
  }
}

/// Numbers that were read as sizes and are not the size of a live tensor.
std::vector<Comparison> lost_numbers(const ir::Graph& graph,
                                     const std::vector<Comparison>& runtime_assertions) {
  ir::Graph with_assertions = graph;
  with_assertions.attributes[ir::kRuntimeAssertions] = runtime_assertions;
  std::vector<bool> needed(graph.values.size());
  for (const ir::ValueId id : graph.outputs) needed.at(id) = true;
  const std::vector<bool> live = ir::live_nodes(with_assertions, needed);
  std::vector<Comparison> out;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    if (live[i] || ir::op_name(node.op) != "aten::repeat_interleave.Tensor") continue;
    const ir::Dim& size = graph.values[node.outputs.at(0)].shape.at(0);
    const ir::Symbol* const symbol = size.as_symbol();
    if (symbol != nullptr && symbol->unbacked() != nullptr)
      out.push_back({size, ir::Relation::ge, 0});
  }
  return out;
}

/// True if the number is zero where all of its symbols are, and positive elsewhere.
bool counts_entries(const ir::Dim& number) {
  const auto counts = [](const ir::Atom& atom) {
    if (std::holds_alternative<Symbol>(atom)) return true;
    const auto* least = std::get_if<ir::Min>(&atom);
    if (least == nullptr) return false;
    const auto fits = [](const ir::Dim& part) {
      return part.is_constant() ? part.value() > 0 : counts_entries(part);
    };
    return fits(least->a) && fits(least->b);
  };
  return number.constant_part() == 0 &&
         std::all_of(number.terms().begin(), number.terms().end(), [&](const ir::Term& term) {
           return term.factor > 0 && term.atoms.size() == 1 && counts(term.atoms[0]);
         });
}

}  // namespace

bool may_be_of_values(const Error& error) {
  constexpr std::array<std::string_view, 3> kIds = {"forward-failed", "trace-limit",
                                                    "unsafe-argument"};
  return is_one_of(error.diagnostic().id, kIds);
}

ir::Ints unbacked_extents(const ir::Graph& graph) {
  ir::Ints out;
  for (const ir::Node* node : nodes_with_unbacked_sizes(graph))
    for (const ir::ValueId id : node->outputs)
      for (const ir::Dim& size : graph.values[id].shape) out.push_back(size.value());
  return out;
}

bool has_small_unbacked_sizes(const ir::Graph& graph) {
  const ir::Ints extents = unbacked_extents(graph);
  return std::any_of(extents.begin(), extents.end(), [](int64_t size) { return size < kFew; });
}

void prefer_large(std::vector<TraceAt>& runs, const Sizes& sizes) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const TraceAt& run) {
    return run.sizes == sizes && !has_small_unbacked_sizes(run.traced.graph);
  });
  if (found != runs.end()) std::iter_swap(runs.begin(), found);
}

std::vector<TraceAt> take_small(std::vector<TraceAt>& runs) {
  std::vector<TraceAt> out;
  for (size_t i = runs.size(); i-- > 1;) {
    if (!has_small_unbacked_sizes(runs[i].traced.graph) || !difference(runs[0], runs[i])) continue;
    out.push_back(std::move(runs[i]));
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

bool matches_run(const Traced& traced, const TraceAt& run) {
  TraceAt at_run = run;
  for (const auto& [symbol, size] : unbacked_sizes(traced.graph, run.traced.graph))
    at_run.sizes[symbol] = size;
  return is_isomorphic(traced, at_run);
}

bool is_redundant(const Need& need, const Traced& traced, const std::vector<TraceAt>& small) {
  if (!is_unbacked(need.comparison)) return false;
  const Comparison other = negated(need.comparison);
  const std::vector<Symbol> symbols = (other.left - other.right).symbols();
  return std::any_of(small.begin(), small.end(), [&](const TraceAt& run) {
    const Sizes sizes = unbacked_sizes(traced.graph, run.traced.graph);
    const auto is_only = [&](const Symbol& symbol) {
      const auto size = sizes.find(symbol);
      return size != sizes.end() && ir::prove({ir::Dim::symbol(symbol), Relation::eq, size->second},
                                              {&other, 1}) == ir::Verdict::always;
    };
    return std::all_of(symbols.begin(), symbols.end(), is_only) && matches_run(traced, run);
  });
}

std::vector<const TraceAt*> runs_with_zero(const Need& need, const Traced& traced,
                                           const std::vector<TraceAt>& small) {
  const Comparison other = shapes::plain(negated(need.comparison));
  const bool excludes_zero = (other.relation == Relation::eq || other.relation == Relation::le) &&
                             other.right == ir::Dim(0) && counts_entries(other.left);
  std::vector<const TraceAt*> out;
  if (!excludes_zero || !is_unbacked(need.comparison)) return out;
  const std::vector<Symbol> symbols = other.left.symbols();
  for (const TraceAt& run : small) {
    const Sizes sizes = unbacked_sizes(traced.graph, run.traced.graph);
    const bool is_zero = std::all_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
      const auto size = sizes.find(symbol);
      return size != sizes.end() && size->second == 0;
    });
    if (is_zero) out.push_back(&run);
  }
  return out;
}

bool is_bounded(const Need& need, const Traced& traced, const std::vector<Comparison>& known) {
  const std::vector<Comparison> all = joined(known, bounds_of_unbacked_sizes(traced.graph));
  return is_unbacked(need.comparison) && ir::prove(need.comparison, all) == ir::Verdict::always;
}

Diagnostic unvaried() {
  return {.severity = Severity::warning,
          .id = "dynamic-suspect",
          .message = "data-dependent sizes were the same for all inputs that were tried",
          .where = {},
          .details = {},
          .why = "they stay symbolic in the exported model, but no run confirms that they vary",
          .help = "give a sample whose values are typical, with --input"};
}

void complete_runtime_assertions(Assertions& assertions, const ir::Graph& graph,
                                 const Sizes& sample) {
  require_for_sample(assertions.runtime_assertions(), sample);
  assertions.add_runtime_assertions(lost_numbers(graph, assertions.runtime_assertions()));
}

}  // namespace t2n::dynamic
