// SPDX-License-Identifier: Apache-2.0
#include "src/localise/artefact_tensors.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "src/diff/flat_graph.h"
#include "src/diff/match.h"
#include "src/nnef/parser.h"

namespace t2n::localise {
namespace {

std::vector<int> lines_of(const nnef::Artefact& artefact) {
  const std::string_view text(reinterpret_cast<const char*>(artefact.text.bytes.data()),
                              artefact.text.bytes.size());
  std::vector<int> out;
  for (const Where& where : nnef::statement_locations(text, "graph.nnef"))
    out.push_back(where.frames.empty() ? 0 : where.frames[0].line);
  return out;
}

std::map<std::string, size_t> by_name(const Flow& flow) {
  std::map<std::string, size_t> out;
  for (size_t i = 0; i < flow.tensors.size(); ++i) out.emplace(flow.tensors[i].name, i);
  return out;
}

}  // namespace

ArtefactTensors artefact_tensors(const Checking& checking, const InputSet& set) {
  ArtefactTensors out{
      .artefact = nnef::read_artefact(checking.path), .lines = {}, .flow = {}, .probed = {}};
  const nnef::Document& document = out.artefact.document;
  out.lines = lines_of(out.artefact);
  out.flow = flow_of(document);
  out.probed = {.document = document,
                .folder = checking.options.scratch / "artefact",
                .inputs = fed_to(document, graph_inputs(set.inputs, checking.model),
                                 checking.accepted.indices),
                .order = order_in(checking.runner.engine(), checking.dialect)};
  std::filesystem::remove_all(out.probed.folder);
  copy_files(checking.path, out.probed.folder);
  for (size_t i = 0; i < std::min(out.flow.inputs.size(), out.probed.inputs.size()); ++i)
    out.flow.tensors[out.flow.inputs[i]].digest = digest_of(out.probed.inputs[i]);
  return out;
}

std::vector<std::optional<RefTensor>> pairs_of(const nnef::Document& artefact, const Flow& flow,
                                               const nnef::Document& exported, const Flow& other) {
  const auto ours = by_name(flow);
  const auto theirs = by_name(other);
  std::vector<std::optional<RefTensor>> out(flow.tensors.size());
  for (const auto& [name, counterpart] : diff::matching_tensors(artefact, exported))
    out.at(ours.at(name)) = RefTensor{0, theirs.at(counterpart)};
  return out;
}

std::vector<size_t> result_indices(const Checking& checking, const nnef::Document& document) {
  const std::vector<std::string>& names = document.graph.results;
  std::vector<size_t> out;
  for (size_t i = 0; i < checking.outputs.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), checking.outputs[i]);
    out.push_back(found == names.end() ? i : static_cast<size_t>(found - names.begin()));
  }
  return out;
}

StatementLocation location_of(const ArtefactTensors& artefact, size_t tensor,
                              const nnef::Origin& origin) {
  const FlowTensor& found = artefact.flow.tensors[tensor];
  return {.tensor = found.name,
          .operation = found.operation,
          .line = found.statement < artefact.lines.size() ? artefact.lines[found.statement] : 0,
          .op = origin.op,
          .where = origin.where};
}

}  // namespace t2n::localise
