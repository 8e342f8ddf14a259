// SPDX-License-Identifier: Apache-2.0
// Empty fields are left out: a large model has thousands of nodes.
#include <nlohmann/json.hpp>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/picture/formats.h"

namespace t2n::picture {
namespace {

using Json = nlohmann::ordered_json;

Json lines_json(const std::vector<Line>& lines) {
  Json out = Json::array();
  for (const Line& line : lines) {
    out.push_back({{"file", line.file}, {"line", line.line}});
    if (!line.function.empty()) out.back()["function"] = line.function;
    if (!line.text.empty()) out.back()["text"] = line.text;
  }
  return out;
}

Json weight_json(const Weight& weight) {
  Json out = {{"operand", weight.operand}, {"name", weight.name}, {"type", weight.type}};
  if (const auto& statistics = weight.statistics)
    out["statistics"] = {{"elements", statistics->elements}, {"min", statistics->min},
                         {"max", statistics->max},           {"mean", statistics->mean},
                         {"std", statistics->std},           {"zeros", statistics->zeros},
                         {"nan", statistics->nans},          {"infinite", statistics->infinities}};
  return out;
}

Json node_json(const Node& node) {
  Json out = {{"name", node.name},
              {"op", node.op},
              {"label", node.label},
              {"kind", kind_name(node.kind)},
              {"group", node.group}};
  if (!node.module.empty()) out["module"] = node.module;
  if (!node.module_class.empty()) out["class"] = node.module_class;
  Json results = Json::array();
  for (const Result& result : node.results)
    results.push_back({{"name", result.name}, {"type", result.type}});
  out["results"] = std::move(results);
  for (const auto& [name, value] : node.arguments) out["arguments"][name] = value;
  for (const Weight& weight : node.weights) out["weights"].push_back(weight_json(weight));
  if (!node.nnef.empty()) out["nnef"] = lines_json(node.nnef);
  if (!node.source.empty()) out["source"] = lines_json(node.source);
  if (!node.definition.empty()) out["definition"] = node.definition;
  if (!node.problem.empty()) out["problem"] = node.problem;
  if (node.value) out["value"] = *node.value;
  return out;
}

Json groups_json(const Picture& picture) {
  Json out = Json::array();
  for (const Group& group : picture.groups)
    out.push_back({{"parent", out.empty() ? Json() : Json(group.parent)},
                   {"name", group.name},
                   {"type", group.type},
                   {"path", group.path}});
  return out;
}

}  // namespace

std::string json(const Picture& picture) {
  Json nodes = Json::array();
  for (const Node& node : picture.nodes) nodes.push_back(node_json(node));
  Json edges = Json::array();
  for (const Edge& edge : picture.edges)
    edges.push_back(
        {{"from", edge.from}, {"result", edge.result}, {"to", edge.to}, {"operand", edge.operand}});
  Json out = {{"format", "t2nnef.graph/1"}, {"title", picture.title}, {"origin", picture.origin}};
  if (!picture.note.empty()) out["note"] = picture.note;
  if (picture.colors) out["colors"] = {{"label", picture.colors->label}};
  out["groups"] = groups_json(picture);
  out["nodes"] = std::move(nodes);
  out["edges"] = std::move(edges);
  // A name may not be UTF-8.
  return printable_json(out.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace t2n::picture
