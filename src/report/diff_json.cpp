// Writes the fields of a Difference, without empty ones.
#include "src/report/diff_json.h"

#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_name(diff::Difference::Kind kind) {
  switch (kind) {
    case diff::Difference::Kind::removed: return "removed";
    case diff::Difference::Kind::added: return "added";
    case diff::Difference::Kind::changed: return "changed";
  }
  internal_error(__FILE__, __LINE__, "no such kind");
}

Json difference_json(const diff::Difference& difference) {
  Json out = {{"kind", kind_name(difference.kind)}, {"name", difference.subject}};
  if (!difference.operation.empty()) out["operation"] = difference.operation;
  if (!difference.aspect.empty()) out["aspect"] = difference.aspect;
  if (!difference.before.empty()) out["a"] = difference.before;
  if (!difference.after.empty()) out["b"] = difference.after;
  if (difference.max_abs) out["max_abs"] = *difference.max_abs;
  return out;
}

}  // namespace

std::string diff_json(const std::string& a, const std::string& b, const diff::Result& result) {
  Json out = {{"format", "t2nnef.diff/1"},
              {"a", a},
              {"b", b},
              {"equal", result.equal()},
              {"common", {{"operations", result.operations}, {"weights", result.weights}}},
              {"differences", Json::object()}};
  for (const diff::Difference& difference : result.differences)
    out["differences"][std::string(diff::part_name(difference.part))].push_back(
        difference_json(difference));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace t2n::report
