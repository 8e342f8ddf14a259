// SPDX-License-Identifier: Apache-2.0
// The table of translations: entries, table-driven rows, and the choice of a variant.
#include "src/translate/registry.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"

namespace t2n::ops {
namespace {

bool applies(const When& when, const target::Target& target) {
  return std::all_of(when.features.begin(), when.features.end(),
                     [&](Feature feature) { return target::has(target, feature); });
}

Entry entry_of(std::string_view op, const Shared& shared) {
  return {.op = op,
          .doc = shared.doc,
          .variants = {{any_target(), shared.nnef, shared.translate}},
          .limits = shared.limits,
          .promotion = shared.promotion};
}

}  // namespace

void unary_row(const OpView& op, Emitter& out) { out.result(op.nnef(), {op.tensor("self")}); }

/// At least one operand is a tensor, and a number takes its dtype.
void binary_row(const OpView& op, Emitter& out) {
  const std::string_view tensor = op.is_tensor("self") ? "self" : "other";
  const DType dtype = out.dtype(op.tensor(tensor));
  std::vector<Ref> operands;
  for (const std::string_view name : {"self", "other"})
    operands.push_back(op.is_tensor(name) ? op.tensor(name) : op.number(name, dtype));
  out.result(out.elementwise(op.nnef(), operands, op.dtype()));
}

void Registry::add(Entry entry, const Location& location) {
  T2N_ASSERT(entry.variants.empty() == entry.refusal.has_value(), entry.op,
             " needs either variants or a refusal");
  entry.file = location.file_name();
  std::vector<std::string_view> names = std::exchange(entry.also, {});
  names.push_back(entry.op);
  for (const std::string_view name : names) {
    if (entry.promotion) set(name, *entry.promotion, location);
    set(name, entry, location);
  }
}

void Registry::same(const Names& ops, const Shared& shared, const Location& location) {
  for (const std::string_view op : ops) add(entry_of(op, shared), location);
}

void Registry::elementwise(Entry entry, const Location& location) {
  for (const std::string_view name : entry.also)
    set(name, shapes::ResultShapes{shapes::broadcast, true}, location);
  set(entry.op, shapes::ResultShapes{shapes::broadcast, true}, location);
  add(std::move(entry), location);
}

void Registry::elementwise(const Names& ops, const Shared& shared, const Location& location) {
  for (const std::string_view op : ops) elementwise(entry_of(op, shared), location);
}

void Registry::refuse(const Names& ops, std::string_view doc, const Refusal& refusal,
                      const Location& location) {
  for (const std::string_view op : ops) add({.op = op, .doc = doc, .refusal = refusal}, location);
}

void Registry::unary(std::span<const UnaryRow> rows, Translate translate,
                     const Location& location) {
  for (const UnaryRow& row : rows)
    elementwise({row.op}, {row.nnef, row.doc, translate, row.promotion}, location);
}

void Registry::binary(std::span<const BinaryRow> rows, Translate translate,
                      const Location& location) {
  for (const BinaryRow& row : rows)
    elementwise({row.op}, {row.nnef, row.doc, translate, row.promotion}, location);
}

std::string Registry::qualified(std::string_view name) {
  return name.find("::") == std::string_view::npos ? cat("aten::", name) : std::string(name);
}

const Variant* Registry::variant(ir::OpId op, const target::Target& target) const {
  const Entry* entry = find(op);
  const Variant* best = nullptr;
  bool is_unique = true;
  for (const Variant& variant : entry ? std::span(entry->variants) : std::span<const Variant>()) {
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

target::Version oldest_version(const Variant& variant) {
  target::Version oldest;
  for (const Feature feature : variant.when.features)
    oldest = std::max(oldest, target::feature_row(feature).since);
  return oldest;
}

}  // namespace t2n::ops
