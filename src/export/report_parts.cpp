// SPDX-License-Identifier: Apache-2.0
// One function per JSON object.
#include "src/export/report_parts.h"

#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n {

using Json = nlohmann::ordered_json;

std::string_view kind_name(trace::FileKind kind) {
  switch (kind) {
    case trace::FileKind::traced: return "traced";
    case trace::FileKind::scripted: return "scripted";
    case trace::FileKind::frozen: return "frozen";
    case trace::FileKind::exported: return "exported";
    case trace::FileKind::graph: return "graph";
  }
  internal_error(__FILE__, __LINE__, "no such kind of file");
}

Json shape_json(const ir::Shape& shape) {
  Json out = Json::array();
  for (const ir::Dim& dim : ir::as_written(shape))
    out.push_back(dim.is_constant() ? Json(dim.value()) : Json(dim.str()));
  return out;
}

Json model_json(const trace::ModelInfo& model, const std::string& file) {
  return {{"file", file},
          {"kind", kind_name(model.kind)},
          {"class", model.class_name},
          {"format_version", model.format_version},
          {"parameters", model.parameters},
          {"parameter_bytes", model.parameter_bytes}};
}

Json operators_json(const std::vector<std::pair<std::string, int64_t>>& operators) {
  Json out = Json::array();
  for (const auto& [name, uses] : operators) out.push_back({{"name", name}, {"uses", uses}});
  return out;
}

}  // namespace t2n
