// SPDX-License-Identifier: Apache-2.0
// Bisects the artefact's statements: a prefix that contains the failing one fails as well.
#include "src/localise/engine_failure.h"

#include <algorithm>
#include <set>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/spec/input_facts.h"

namespace t2n::localise {
namespace {

/// The document with all inputs and the first `count` other statements. Its results are the tensors
/// that no statement reads.
nnef::Document prefix(const nnef::Document& document, size_t count) {
  nnef::Document out = document;
  out.graph.body.clear();
  out.graph.results.clear();
  std::set<std::string> read;
  std::vector<std::string> names;
  for (const nnef::Assignment& statement : document.graph.body) {
    if (!spec::is_external(statement.right)) {
      if (count == 0) continue;
      --count;
      for (const std::string_view name : nnef::assigned_names(statement.left))
        names.emplace_back(name);
    }
    nnef::walk(statement.right, [&](const nnef::Value& value) {
      if (value.kind == nnef::Kind::identifier) read.insert(value.text);
    });
    out.graph.body.push_back(statement);
  }
  for (const std::string& name : names)
    if (!read.contains(name)) out.graph.results.push_back(name);
  return out;
}

/// Indices of the statements that are no inputs.
std::vector<size_t> operations_of(const nnef::Document& document) {
  std::vector<size_t> out;
  for (size_t i = 0; i < document.graph.body.size(); ++i)
    if (!spec::is_external(document.graph.body[i].right)) out.push_back(i);
  return out;
}

/// How many of the first statements the engine needs to fail; nothing if all of them do not fail.
std::optional<size_t> failing_count(const Probed& probed, size_t all, check::Runner& engine) {
  const auto fails = [&](size_t count) {
    const nnef::Document document = prefix(probed.document, count);
    return !document.graph.results.empty() && failure_of(probed, document, engine).has_value();
  };
  if (all == 0 || !fails(all)) return {};
  size_t runs = 0;
  size_t fail = all;
  while (runs + 1 < fail) {
    const size_t middle = runs + (fail - runs) / 2;
    (fails(middle) ? fail : runs) = middle;
  }
  return fail;
}

std::string statement_text(const nnef::Assignment& statement) {
  const std::string text =
      cat(nnef::print(statement.left), " = ", nnef::print(statement.right), ";");
  constexpr size_t kMost = 160;
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;
}

void locate(const Checking& checking, Diagnostic& error, bool may_export) {
  const ArtefactTensors artefact = artefact_tensors(checking, inputs_of(checking, {}));
  const std::vector<size_t> operations = operations_of(artefact.artefact.document);
  const auto count = failing_count(artefact.probed, operations.size(), checking.runner.engine());
  if (!count) return;
  const size_t statement = operations[*count - 1];
  const auto tensor = std::find_if(
      artefact.flow.tensors.begin(), artefact.flow.tensors.end(),
      [&](const FlowTensor& each) { return each.statement == statement && !each.is_input; });
  if (tensor == artefact.flow.tensors.end()) return;
  const auto index = static_cast<size_t>(tensor - artefact.flow.tensors.begin());
  const StatementLocation location =
      location_of(artefact, index, origin_of_statement(checking, artefact, index, may_export));
  error.details.push_back(cat("fails at graph.nnef:", location.line, ": ",
                              statement_text(artefact.artefact.document.graph.body[statement])));
  if (!location.op.empty()) error.details.push_back(cat("which computes ", location.op));
  if (!location.where.module.empty() || !location.where.frames.empty())
    error.where.insert(error.where.begin(), location.where);
}

/// The index of the only tensor of the export that is computed from the counterparts of this one's
/// operands, by whatever operation.
std::optional<size_t> sibling_of(const FlowTensor& tensor,
                                 const std::vector<std::optional<RefTensor>>& pairs,
                                 const Flow& exported) {
  std::vector<size_t> operands;
  for (const size_t operand : tensor.operands) {
    if (!pairs[operand]) return {};
    operands.push_back(pairs[operand]->tensor);
  }
  std::optional<size_t> out;
  for (size_t i = 0; i < exported.tensors.size(); ++i) {
    if (operands.empty() || exported.tensors[i].operands != operands) continue;
    if (out) return {};
    out = i;
  }
  return out;
}

}  // namespace

nnef::Origin origin_of_statement(const Checking& checking, const ArtefactTensors& artefact,
                                 size_t tensor, bool may_export) {
  const size_t statement = artefact.flow.tensors[tensor].statement;
  if (checking.written != nullptr) {
    const std::vector<nnef::Origin>& origins = checking.written->origins;
    return statement < origins.size() ? origins[statement] : nnef::Origin{};
  }
  const InputSet set = inputs_of(checking, {});
  if (!may_export) return {};
  const ModelTensors model = model_tensors(checking, set, {}, true);
  if (!model.exported) return {};
  const auto pairs = pairs_of(artefact.artefact.document, artefact.flow,
                              model.exported->probed.document, model.exported->flow);
  const std::vector<nnef::Origin>& origins = model.exported->probed.document.origins;
  const auto sibling = sibling_of(artefact.flow.tensors[tensor], pairs, model.exported->flow);
  if (!pairs[tensor] && sibling) {
    const size_t at = model.exported->flow.tensors[*sibling].statement;
    if (at < origins.size() && !origins[at].op.empty()) return origins[at];
  }
  // Its own counterpart, or that of what it is made of.
  std::vector<size_t> open = {tensor};
  std::set<size_t> seen;
  for (size_t k = 0; k < open.size(); ++k) {
    if (const auto& pair = pairs[open[k]]; pair) {
      const size_t at = model.exported->flow.tensors[pair->tensor].statement;
      if (at < origins.size() && !origins[at].op.empty()) return origins[at];
    }
    for (const size_t operand : artefact.flow.tensors[open[k]].operands)
      if (seen.insert(operand).second) open.push_back(operand);
  }
  return {};
}

Diagnostic located_failure(const Checking& checking, Diagnostic error, bool may_export) {
  if (checking.options.scratch.empty() || checking.path.empty()) return error;
  try {
    locate(checking, error, may_export);
  } catch (const Error& other) {
    if (other.diagnostic().id == "internal") throw;
  }
  return error;
}

}  // namespace t2n::localise
