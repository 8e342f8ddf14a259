// SPDX-License-Identifier: Apache-2.0
// The pass `recognise-quantisation`: weights that the model quantises are stored as integers.
#include <map>

#include "ir/spilled.h"
#include "src/diag/error.h"
#include "src/passes/passes.h"
#include "src/passes/quantisers.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

/// Replaces formulas by the integers that they compute.
class Storing : public Rewriter {
 public:
  Storing(Graph& graph, Findings findings) : Rewriter(graph), findings_(std::move(findings)) {}

  void run() {
    replace_where([this] {
      const ValueId result = node_.outputs.at(0);
      const auto integers = findings_.integers.find(result);
      const auto auxiliary = findings_.auxiliary.find(result);
      if (integers != findings_.integers.end())
        store(result, integers->second);
      else if (auxiliary != findings_.auxiliary.end())
        define(constant(auxiliary->second));
      else
        return false;
      return true;
    });
    take_names();
  }

 private:
  void store(ValueId result, const Integers& integers) {
    const ValueId stored = constant(ir::spilled(integers.tensor));
    value(stored).quant = integers.info;
    names_.emplace_back(value(stored).name, findings_.names.at(result));
    define(cast(stored, output().dtype));
  }

  /// Gives the integers the names of their weights, if those are unused.
  void take_names() {
    FreshNames fresh(graph_);
    std::unordered_map<std::string_view, std::string*> by_name;
    for (ir::Value& each : graph_.values) by_name.emplace(each.name, &each.name);
    for (const auto& [current, weight] : names_)
      if (const auto found = by_name.find(current); found != by_name.end())
        *found->second = fresh.take(weight);
  }

  Findings findings_;
  std::vector<std::pair<std::string, std::string>> names_;  ///< of integers, and of their weights
};

std::string count_text(size_t count, std::string_view what) {
  return cat(count, " ", what, count == 1 ? "" : "s");
}

void report(const Findings& found, const PassContext& context) {
  if (!context.report) return;
  std::map<int, size_t> by_bits;
  for (const auto& [id, integers] : found.integers) ++by_bits[integers.info.bits];
  Diagnostic note;
  note.severity = Severity::note;
  note.id = "quantised-weights";
  const size_t all = found.integers.size() + found.floats.size();
  note.message = cat(found.integers.size(), " of ", count_text(all, "weight"),
                     " with quantisers stored as integers");
  for (const auto& [bits, count] : by_bits)
    note.details.push_back(
        cat(count_text(count, "weight"), " of ", count_text(static_cast<size_t>(bits), "bit")));
  if (found.activations > 0)
    note.details.push_back(
        cat(count_text(static_cast<size_t>(found.activations), "rounding"), " of activations"));
  for (const std::string& name : found.floats)
    note.details.push_back(
        cat(name, " stays in floats: its quantiser does not produce 8-bit integers times a scale"));
  context.report(note);
}

}  // namespace

bool recognise_quantisation(Graph& graph, const PassContext& context) {
  if (!context.evaluate || context.operators == nullptr) return false;
  Findings findings = find_quantisers(graph, context.evaluate, *context.operators);
  if (!findings.integers.empty() || !findings.floats.empty()) report(findings, context);
  if (findings.integers.empty()) return false;
  Storing(graph, std::move(findings)).run();
  return true;
}

}  // namespace t2n::passes
