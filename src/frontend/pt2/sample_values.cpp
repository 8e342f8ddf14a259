// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/sample_values.h"

#include "src/diag/error.h"
#include "src/frontend/load/saved_value.h"

namespace t2n::trace {
namespace {

/// Adds the leaves of a value in the order of the tree. False if it has another structure.
bool add_leaves(const c10::IValue& value, const pt2::Tree& tree, std::vector<c10::IValue>& out) {
  if (tree.is_leaf) {
    out.push_back(value);
    return true;
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    for (size_t i = 0; i < tree.keys.size(); ++i) {
      const auto found = dict.find(tree.keys[i]);
      if (found == dict.end() || !add_leaves(found->value(), tree.children[i], out)) return false;
    }
    return tree.keys.size() == tree.children.size();
  }
  if (!value.isTuple() && !value.isList()) return false;
  const auto elements =
      value.isTuple() ? c10::ArrayRef<c10::IValue>(value.toTuple()->elements()) : value.toListRef();
  if (elements.size() != tree.children.size()) return false;
  for (size_t i = 0; i < elements.size(); ++i)
    if (!add_leaves(elements[i], tree.children[i], out)) return false;
  return true;
}

bool is_value(const c10::IValue& value) {
  return value.isTensor() || value.isInt() || value.isDouble() || value.isBool();
}

}  // namespace

std::vector<c10::IValue> sample_values(const Archive& archive, const pt2::Program& program,
                                       const std::string& record) {
  const auto bytes = archive.read(record);
  if (!bytes || !program.arguments) return {};
  std::vector<c10::IValue> leaves;
  try {
    if (!add_leaves(read_saved_value(*bytes, record), *program.arguments, leaves)) return {};
  } catch (const std::exception&) {
    return {};  // samples are optional: the user gives others
  }
  std::vector<c10::IValue> out;
  size_t next = 0;
  for (const pt2::InputSpec& input : program.inputs) {
    const bool is_user = input.kind == pt2::InputKind::user;
    if (!is_user && input.kind != pt2::InputKind::constant) continue;
    if (next == leaves.size()) return {};
    const c10::IValue& leaf = leaves[next++];
    if (!is_user || !input.argument.get<pt2::ValueName>()) continue;
    if (!is_value(leaf)) return {};
    out.push_back(leaf);
  }
  return out;
}

}  // namespace t2n::trace
