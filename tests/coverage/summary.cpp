// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/summary.h"

#include <algorithm>

#include "ops/all.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/translate/registry.h"

namespace t2n::test {
namespace {

/// "right", "some forms refused", "refused", "wrong"; "-" where nothing was tried.
std::string cell(const std::set<Outcome>& outcomes) {
  if (outcomes.contains(Outcome::wrong)) return "**wrong**";
  if (outcomes.empty()) return "-";
  if (!outcomes.contains(Outcome::refused)) return "right";
  return outcomes.contains(Outcome::right) ? "right, some forms refused" : "refused";
}

std::string argument_cell(const std::string& name, const std::set<Outcome>& outcomes) {
  const bool is_refused = !outcomes.contains(Outcome::right) && !outcomes.empty();
  return cat("`", name, "`", outcomes.empty() ? " **-**" : is_refused ? " (refused)" : "");
}

/// An operator that no case calls: it counts for what shares its translation.
std::string name_cell(const std::string& op, const OperatorSummary& row) {
  const bool is_shared = !row.called.empty() && !row.called.contains("");
  return cat("`", op, "`", is_shared ? cat(" (as `", *row.called.begin(), "`)") : "");
}

std::string arguments_cell(const OperatorSummary& row) {
  if (row.is_refused) return "none is looked at";
  std::string out;
  for (const auto& [name, outcomes] : row.arguments)
    out += (out.empty() ? "" : ", ") + argument_cell(name, outcomes);
  return out;
}

/// Arguments that LibTorch has and takes no value for, and lists of pruned rows, which it believes
/// unseen: a guard refuses those. The operators' tests see the refusals.
bool is_never_taken(const std::string& op, const std::string& argument) {
  return (op == "aten::_grouped_mm" && argument == "bias") || argument == "pruned_weights" ||
         argument == "compressed_indices_mapping";
}

bool is_only_refused(const OperatorSummary& row) {
  return std::all_of(row.targets.begin(), row.targets.end(), [](const auto& target) {
    return target.second == std::set<Outcome>{Outcome::refused};
  });
}

/// A row with the operator's arguments; false if torch has no such operator.
bool add_row(const std::string& op, std::map<std::string, OperatorSummary>& rows) {
  if (rows.contains(op)) return true;
  const auto schema = torch_module().find_schema(op);
  if (!schema) return false;
  OperatorSummary& row = rows[op];
  for (const ir::SchemaArgument& argument : schema->arguments)
    if (!is_never_taken(op, argument.name)) row.arguments[argument.name] = {};
  return true;
}

const std::set<Outcome>& find(const std::map<std::string, std::set<Outcome>>& cells,
                              const std::string& key) {
  static const std::set<Outcome> kNone;
  const auto at = cells.find(key);
  return at == cells.end() ? kNone : at->second;
}

}  // namespace

std::map<std::string, OperatorSummary> summarise(const std::vector<CoverageFact>& facts) {
  std::map<std::string, OperatorSummary> out;
  for (const ir::OpId op : ops::registry().ops()) {
    const std::string name(ir::op_name(op));
    if (add_row(name, out)) out[name].is_refused = ops::registry().find(op)->refusal.has_value();
  }
  for (const CoverageFact& fact : facts) {
    if (is_of_quantised(fact.use.op)) add_row(fact.use.op, out);
    const auto at = out.find(fact.use.op);
    if (at == out.end()) continue;
    at->second.targets[fact.target].insert(fact.outcome);
    at->second.called.insert(fact.use.called);
    for (const std::string& argument : fact.use.given)
      at->second.arguments[argument].insert(fact.outcome);
  }
  for (auto& [op, row] : out)
    if (!ops::registry().find(ir::op_id(op))) row.is_refused = is_only_refused(row);
  return out;
}

std::vector<std::string> empty_cells(const std::map<std::string, OperatorSummary>& summary) {
  std::vector<std::string> out;
  for (const auto& [op, row] : summary) {
    if (row.targets.empty()) out.push_back(cat(op, ": no case at all"));
    if (row.targets.empty() || row.is_refused) continue;
    for (const auto& [name, outcomes] : row.arguments)
      if (outcomes.empty()) out.push_back(cat(op, ": no case with '", name, "'"));
  }
  return out;
}

std::string matrix_markdown(const std::map<std::string, OperatorSummary>& summary,
                            const std::vector<std::string>& targets) {
  std::string head = "| operator |";
  std::string rule = "| --- |";
  for (const std::string& target : targets) {
    head += cat(" ", target, " |");
    rule += " --- |";
  }
  std::string out = cat(
      "# Operator test coverage\n\nMade by `make matrix`. Every operator runs in the real engines, "
      "and as strict NNEF in the reference interpreter, and is compared with LibTorch. The last "
      "column lists the arguments for which a test uses a value other than the default. An "
      "argument in brackets occurs only in tests of errors that name it. No test calls an operator "
      "'as' another one: the other one has the same translation and signature, and LibTorch "
      "computes the same for both. [operators.md](operators.md) lists what is written and what is "
      "refused.\n\n",
      head, " arguments |\n", rule, " --- |\n");
  for (const auto& [op, row] : summary) {
    out += cat("| ", name_cell(op, row), " |");
    for (const std::string& target : targets)
      out += cat(" ", cell(find(row.targets, target)), " |");
    out += cat(" ", arguments_cell(row), " |\n");
  }
  return out;
}

}  // namespace t2n::test
