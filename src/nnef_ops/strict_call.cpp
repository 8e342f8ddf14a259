// The table of rules.
#include "src/nnef_ops/strict_call.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/target/limits.h"

namespace t2n::strict {
namespace {

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Rule> out;
    for (const auto& rows :
         {number_rules(), shape_rules(), index_rules(), product_rules(), scan_rules()})
      for (const RuleRow& row : rows)
        T2N_ASSERT(out.emplace(row.op, row.rule).second, row.op, " has two strict rules");
    return out;
  }();
  return table;
}

/// The same operation on numbers: most standard operations.
std::vector<Ref> keep_operation(const Call& call, Builder& out) {
  std::vector<Ref> operands;
  for (const Ref x : call.operands) operands.push_back(as_number(out, x));
  std::vector<TensorType> types;
  for (const TensorType& type : call.results) types.push_back({DType::f32, type.shape});
  std::vector<Ref> results = out.emit_all(call.op, operands, call.attributes, types, call.form);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = wrapped(out, results[i], call.results[i].dtype);
  return results;
}

}  // namespace

const nnef::Value* Call::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &found->value;
}

const nnef::Value& Call::at(std::string_view name) const {
  const nnef::Value* value = find(name);
  T2N_ASSERT(value != nullptr, op, " has no attribute '", name, "'");
  return *value;
}

Ints Call::ints(std::string_view name) const {
  Ints out;
  for (const nnef::Value& item : at(name).items) out.push_back(item.integer);
  return out;
}

std::vector<std::pair<int64_t, int64_t>> Call::pairs(std::string_view name) const {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const nnef::Value& pair : at(name).items)
    out.emplace_back(pair.items.at(0).integer, pair.items.at(1).integer);
  return out;
}

std::vector<Ref> lower(const Call& call, Builder& out) {
  if (const auto rule = rules().find(call.op); rule != rules().end())
    return rule->second(call, out);
  if (const nnef::Fragment* fragment = out.fragment(call.op))
    return inline_fragment(*fragment, call, out);
  if (call.op.starts_with("tract_"))
    refuse(call, out, cat("standard NNEF cannot express ", call.op));
  return keep_operation(call, out);
}

void refuse(const Call& call, Builder& out, std::string_view why, std::string_view help) {
  const std::string_view op = out.operator_name();
  throw Error(target::untranslated("unsupported-argument", std::string(op.empty() ? call.op : op),
                                   out.target_name(), why, help.empty() ? "export for tract" : help,
                                   op));
}

}  // namespace t2n::strict
