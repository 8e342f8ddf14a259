// SPDX-License-Identifier: Apache-2.0
#include "tests/support/coverage.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "ops/all.h"
#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/translate/registry.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

const std::optional<ir::Schema>& schema_of(const std::string& op) {
  static std::map<std::string, std::optional<ir::Schema>> known;
  const auto at = known.find(op);
  if (at != known.end()) return at->second;
  return known[op] = torch_module().find_schema(op);
}

/// Packed parameters stand in the graph as the tensors that they hold.
bool is_given(const ir::SchemaArgument& argument, const ir::Attr* value) {
  if (argument.type.find("torch.classes.") != std::string::npos) return true;
  return value && (!argument.fallback || *value != *argument.fallback);
}

std::vector<std::string> given_arguments(const ir::Node& node, const ir::Schema& schema) {
  std::vector<std::string> out;
  for (const ir::SchemaArgument& argument : schema.arguments)
    if (is_given(argument, node.find(argument.name))) out.push_back(argument.name);
  return out;
}

bool same_arguments(const ir::Schema& a, const ir::Schema& b) {
  return std::equal(
      a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
      [](const auto& x, const auto& y) { return x.name == y.name && x.type == y.type; });
}

/// Other operators that are translated by the same function and whose calls look the same.
const std::vector<ir::OpId>& aliases(ir::OpId op) {
  static std::map<ir::OpId, std::vector<ir::OpId>> known;
  const auto [at, is_new] = known.try_emplace(op);
  std::vector<ir::OpId>& out = at->second;
  const auto& schema = schema_of(std::string(ir::op_name(op)));
  if (!is_new || !schema) return out;
  for (const ir::OpId other : ops::registry().ops()) {
    if (other == op || !same_translation(op, other)) continue;
    const auto& theirs = schema_of(std::string(ir::op_name(other)));
    if (theirs && same_arguments(*schema, *theirs)) out.push_back(other);
  }
  return out;
}

bool same_results(const std::vector<ir::Tensor>& a, const std::vector<ir::Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.dtype == y.dtype && x.shape == y.shape &&
           check::compare(ir::as_pairs(x), ir::as_pairs(y), {check::Level::custom, {0, 0, 0}})
                   .verdict == check::Verdict::ok;
  });
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

/// A file per program: programs run side by side.
std::ofstream& coverage_file() {
  static std::ofstream file = [] {
    const char* folder = std::getenv("T2NNEF_COVERAGE");
    fs::create_directories(folder);
    const std::string program = program_invocation_short_name;
    return std::ofstream(fs::path(folder) / (program + ".tsv"));
  }();
  return file;
}

Outcome parse_outcome(const std::string& text) {
  for (const Outcome outcome : {Outcome::right, Outcome::refused, Outcome::wrong})
    if (text == outcome_name(outcome)) return outcome;
  T2N_ASSERT(false, "no outcome is called ", text);
  return Outcome::wrong;
}

}  // namespace

std::vector<OperatorUse> operator_uses(const ir::Graph& graph) {
  std::vector<OperatorUse> out;
  std::set<std::string> seen;
  for (const ir::Node& node : graph.nodes) {
    const std::string op(ir::op_name(node.op));
    const auto& schema = schema_of(op);
    if (!schema) continue;
    const OperatorUse use{op, given_arguments(node, *schema)};
    if (seen.insert(cat(use.op, "\t", joined(use.given, ","))).second) out.push_back(use);
  }
  return out;
}

std::vector<OperatorUse> alias_uses(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
  static const ir::Evaluator evaluate = torch_module().evaluator();
  // An alias may take other types or ranks, or give more tensors: then it is none here.
  const auto results_of = [](const ir::Node& node, const ir::Operand& operand) {
    try {
      return evaluate(node, operand);
    } catch (const Error&) {
      return std::vector<ir::Tensor>();
    }
  };
  std::vector<OperatorUse> out;
  const auto run = [&](const ir::Node& node, const ir::Operand& operand) {
    std::vector<ir::Tensor> results = evaluate(node, operand);
    ir::Node renamed = node;
    for (const ir::OpId alias : aliases(node.op)) {
      renamed.op = alias;
      const std::string op(ir::op_name(alias));
      if (same_results(results, results_of(renamed, operand)))
        out.push_back(
            {op, given_arguments(node, *schema_of(op)), std::string(ir::op_name(node.op))});
    }
    return results;
  };
  try {
    ir::run_graph(graph, inputs, run);
  } catch (const Error&) {
    // What no target can say may be no operator of torch either.
  }
  return out;
}

bool is_of_quantised(std::string_view op) {
  return op.starts_with("quantized::") || op.find("quantize") != std::string_view::npos ||
         op == "aten::int_repr" || op.starts_with("aten::q_");
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::right: return "right";
    case Outcome::refused: return "refused";
    case Outcome::wrong: return "wrong";
  }
  return "";
}

bool same_translation(ir::OpId a, ir::OpId b) {
  const ops::Entry* x = ops::registry().find(a);
  const ops::Entry* y = ops::registry().find(b);
  return x && y && x->doc == y->doc &&
         std::equal(x->variants.begin(), x->variants.end(), y->variants.begin(), y->variants.end(),
                    [](const ops::Variant& v, const ops::Variant& w) {
                      return v.nnef == w.nnef && v.translate == w.translate &&
                             v.when.features == w.when.features;
                    });
}

bool is_recording() { return std::getenv("T2NNEF_COVERAGE") != nullptr; }

void start_recording() {
  if (is_recording()) coverage_file();
}

void record(const std::vector<OperatorUse>& uses, const std::string& target, Outcome outcome) {
  if (!is_recording()) return;
  static std::set<std::string> written;
  for (const OperatorUse& use : uses) {
    const std::string line = cat(use.op, "\t", target, "\t", outcome_name(outcome), "\t",
                                 use.called, "\t", joined(use.given, ","));
    if (written.insert(line).second) coverage_file() << line << std::endl;
  }
}

std::vector<CoverageFact> read_coverage(const std::string& folder,
                                        const std::vector<std::string>& programs) {
  std::vector<CoverageFact> out;
  for (const std::string& program : programs) {
    std::ifstream file(fs::path(folder) / (program + ".tsv"));
    T2N_ASSERT(file.good(), program, " recorded nothing: it did not run");
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> cells = split(line, '\t');
      T2N_ASSERT(cells.size() >= 4, program, ": ", line);
      cells.resize(5);
      out.push_back(
          {{cells[0], split(cells[4], ','), cells[3]}, cells[1], parse_outcome(cells[2])});
    }
  }
  return out;
}

}  // namespace t2n::test
