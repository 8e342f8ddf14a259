// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/nesting.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <unordered_map>

#include "src/diag/error.h"
#include "src/frontend/load/elements.h"
#include "src/model_file/nesting.h"

namespace t2n::trace {
namespace {

using model_file::Nesting;
using Id = Nesting::Id;

bool has_inner(const c10::IValue& value) {
  return value.isList() || value.isTuple() || value.isGenericDict() || value.isObject();
}

}  // namespace

size_t check_nesting(const c10::IValue& value, const std::string& id, const std::string& what) {
  if (!has_inner(value)) return 1;
  Nesting nodes;
  nodes.children.emplace_back();
  std::unordered_map<const void*, Id> known;
  std::vector<c10::IValue> pending;
  size_t count = 0;
  const auto id_of = [&](const c10::IValue& each) {
    const auto [found, is_new] =
        known.emplace(each.internalToPointer(), static_cast<Id>(nodes.children.size()));
    if (is_new) {
      nodes.children.emplace_back();
      pending.push_back(each);
    }
    return found->second;
  };
  id_of(value);
  while (!pending.empty()) {
    const c10::IValue next = pending.back();
    pending.pop_back();
    const Id holder = known.at(next.internalToPointer());
    for_each_element(next, [&](const c10::IValue& each) {
      ++count;
      if (has_inner(each)) {
        const Id inner = id_of(each);
        nodes.children[holder].push_back(inner);
      }
    });
  }
  model_file::check_nesting(nodes, id, what);
  return count;
}

bool may_nest(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::AnyType:
    case c10::TypeKind::AnyListType:
    case c10::TypeKind::AnyTupleType:
    case c10::TypeKind::AnyClassType:
    case c10::TypeKind::ClassType:
    case c10::TypeKind::InterfaceType: return true;
    default: break;
  }
  const auto inner = type.containedTypes();
  return std::any_of(inner.begin(), inner.end(),
                     [](const c10::TypePtr& each) { return may_nest(*each); });
}

void NestingBudget::require_tree(const c10::Type& type, const c10::IValue& value) {
  if (!has_inner(value) || !may_nest(type)) return;
  constexpr size_t kMost = 20'000'000;
  constexpr size_t kLeast = 200;  // so that at most 100'000 such values exist
  visited_ += std::max(kLeast, check_nesting(value, "trace-limit", "a value of the model"));
  if (visited_ > kMost)
    throw Error("trace-limit", "the model nests values without bound",
                cat("more than ", kMost, " nested values were visited"));
}

}  // namespace t2n::trace
