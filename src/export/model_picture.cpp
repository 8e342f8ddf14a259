// SPDX-License-Identifier: Apache-2.0
#include "src/export/model_picture.h"

#include <filesystem>

#include "nnef_writer/print.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/nnef/parser.h"
#include "src/picture/from_graph.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
namespace {

/// The lines of graph.nnef by node.
picture::Exported lines_by_node(const ops::NodeStatements& translated) {
  picture::Exported out;
  for (const ir::Node* node : translated.refused)
    out.problems[node] = "it cannot be exported: `t2nnef ops` says why";
  const auto& body = translated.document.graph.body;
  if (translated.problem || body.empty()) return out;
  const std::vector<Where> locations =
      nnef::statement_locations(nnef::print(translated.document), "graph.nnef");
  for (size_t i = 0; i < body.size(); ++i) {
    if (translated.nodes[i] == nullptr) continue;
    const bool is_known = i < locations.size() && !locations[i].frames.empty();
    out.statements[translated.nodes[i]].push_back(
        {"graph.nnef", is_known ? locations[i].frames[0].line : 0,
         cat(nnef::print(body[i].left), " = ", nnef::print(body[i].right), ";")});
  }
  return out;
}

}  // namespace

picture::Picture model_picture(const ExportOptions& options) {
  const Inspection inspection = prepare_model(options);
  if (inspection.error) throw Error(*inspection.error);
  if (!inspection.graph)
    throw Error("input-missing", "the graph is unknown without sample inputs", {},
                "give them with -i; `t2nnef inspect` shows the model's arguments");
  const ops::NodeStatements translated =
      ops::translate_by_node(*inspection.graph, options.target, ops::registry());
  picture::Picture out = picture::from_graph(
      *inspection.graph, std::filesystem::path(options.model).filename().string(), "model",
      lines_by_node(translated));
  if (translated.problem) out.note = cat("cannot be exported: ", headline(*translated.problem));
  return out;
}

}  // namespace t2n
