// The column of translations, its table-driven rows, and the choice of a variant.
#include "ops/registry.h"

#include <algorithm>
#include <utility>

#include "ops/all.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

ir::Column<Translation>& column() {
  static ir::Column<Translation> table("translation");
  return table;
}

std::string place_str(const std::source_location& place) {
  return cat(place.file_name(), ":", place.line());
}

void unary_row(const OpView& op, Emitter& out) { out.result(op.nnef(), {op.tensor("self")}); }

/// At least one operand is a tensor; a number takes its dtype.
void binary_row(const OpView& op, Emitter& out) {
  const std::string_view tensor = op.is_tensor("self") ? "self" : "other";
  const DType dtype = out.dtype(op.tensor(tensor));
  std::vector<Ref> operands;
  for (const std::string_view name : {"self", "other"})
    operands.push_back(op.is_tensor(name) ? op.tensor(name) : op.number(name, dtype));
  out.result(out.elementwise(op.nnef(), operands, op.dtype()));
}

bool applies(const When& when, const target::Target& target) {
  return std::all_of(when.features.begin(), when.features.end(),
                     [&](Feature feature) { return target::has(target, feature); });
}

}  // namespace

void Registry::add(Entry entry, std::source_location place) {
  T2N_ASSERT(entry.variants.empty() == entry.refusal.has_value(), entry.op,
             " needs either variants or a refusal");
  std::vector<std::string_view> names = entry.also;
  names.insert(names.begin(), entry.op);
  for (const std::string_view name : names) {
    const ir::OpId op = ir::op_id(name);
    column().set(op, {entry.doc, entry.variants, entry.limits, entry.refusal, place.file_name()},
                 place_str(place));
    if (entry.promotion) ir::promotion_column().set(op, *entry.promotion, place_str(place));
  }
}

void Registry::same(std::initializer_list<std::string_view> ops, const Shared& shared,
                    std::source_location place) {
  for (const std::string_view op : ops)
    add({.op = op,
         .doc = shared.doc,
         .variants = {{any_target(), shared.nnef, shared.translate}},
         .limits = shared.limits,
         .promotion = shared.promotion},
        place);
}

void Registry::unary(std::span<const UnaryRow> rows, std::source_location place) {
  for (const UnaryRow& row : rows)
    add({.op = row.op,
         .doc = row.doc,
         .variants = {{any_target(), row.nnef, unary_row}},
         .promotion = row.promotion},
        place);
}

void Registry::binary(std::span<const BinaryRow> rows, std::source_location place) {
  for (const BinaryRow& row : rows)
    add({.op = row.op,
         .doc = row.doc,
         .variants = {{any_target(), row.nnef, binary_row}},
         .promotion = row.promotion},
        place);
}

const ir::Column<Translation>& translations() {
  static const bool registered = [] {
    Registry registry;
    register_all(registry);
    return true;
  }();
  T2N_ASSERT(registered, "operators are not registered");
  return column();
}

std::vector<ir::OpId> sorted_ops() {
  std::vector<ir::OpId> out = translations().ops();
  std::sort(out.begin(), out.end(),
            [](ir::OpId a, ir::OpId b) { return ir::op_name(a) < ir::op_name(b); });
  return out;
}

target::Version oldest_version(const Variant& variant) {
  target::Version oldest;
  for (const Feature feature : variant.when.features)
    oldest = std::max(oldest, target::feature_row(feature).since);
  return oldest;
}

const Variant* find_variant(ir::OpId op, const target::Target& target) {
  const Translation* translation = translations().find(op);
  const Variant* best = nullptr;
  bool is_unique = true;
  for (const Variant& variant :
       translation ? std::span(translation->variants) : std::span<const Variant>()) {
    if (!applies(variant.when, target)) continue;
    const size_t features = variant.when.features.size();
    const size_t most = best ? best->when.features.size() : 0;
    if (best && features < most) continue;
    is_unique = !best || features > most;
    best = &variant;
  }
  T2N_ASSERT(is_unique, ir::op_name(op), " has two variants for ", target::target_name(target));
  return best;
}

}  // namespace t2n::ops
