#include "src/trace/shadow.h"

#include <algorithm>
#include <map>
#include <optional>

namespace t2n::trace {
namespace {

/// Object identity of a list, tuple or dict; nullptr for anything else.
const void* identity(const c10::IValue& value) {
  const bool container = value.isList() || value.isTuple() || value.isGenericDict();
  return container ? value.internalToPointer() : nullptr;
}

ir::Dim operand(const c10::IValue& value, const Shadow& shadow) {
  return shadow ? shadow->expr : ir::Dim(value.toInt());
}

using Combine = ir::Dim (*)(const ir::Dim&, const ir::Dim&);

const std::map<std::string, Combine>& binary_operations() {
  static const std::map<std::string, Combine> table = {
      {"aten::add", [](const ir::Dim& a, const ir::Dim& b) { return a + b; }},
      {"aten::sub", [](const ir::Dim& a, const ir::Dim& b) { return a - b; }},
      {"aten::mul", [](const ir::Dim& a, const ir::Dim& b) { return a * b; }},
      {"aten::floordiv", [](const ir::Dim& a, const ir::Dim& b) { return floor_div(a, b); }},
      {"aten::floor_divide", [](const ir::Dim& a, const ir::Dim& b) { return floor_div(a, b); }},
      {"aten::remainder", [](const ir::Dim& a, const ir::Dim& b) { return floor_mod(a, b); }},
      {"prim::min", [](const ir::Dim& a, const ir::Dim& b) { return min(a, b); }},
      {"prim::max", [](const ir::Dim& a, const ir::Dim& b) { return max(a, b); }},
  };
  return table;
}

/// The relation that an operator on two integers tests.
std::optional<ir::Relation> relation_of(const std::string& name) {
  using ir::Relation;
  static const std::map<std::string, Relation> table = {
      {"aten::lt", Relation::lt}, {"aten::le", Relation::le}, {"aten::gt", Relation::gt},
      {"aten::ge", Relation::ge}, {"aten::eq", Relation::eq}, {"aten::ne", Relation::ne}};
  const auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

bool is_identity(const std::string& name) {
  return name == "aten::Int" || name == "prim::NumToTensor" || name == "aten::IntImplicit" ||
         name == "aten::ScalarImplicit" || name == "aten::item" || name == "prim::unchecked_cast";
}

/// How often range(start, end, step) gives a number, and the i-th that it gives.
std::optional<ir::Dim> range_part(const std::string& name, const std::vector<c10::IValue>& operands,
                                  const std::vector<Shadow>& shadows) {
  const bool is_count = name == "aten::__range_length";
  if ((!is_count && name != "aten::__derive_index") || shadows[2] || !operands[2].isInt())
    return std::nullopt;
  const ir::Dim first = operand(operands[0], shadows[0]), second = operand(operands[1], shadows[1]);
  const int64_t step = operands[2].toInt();
  if (!is_count) return second + first * ir::Dim(step);
  if (step == 1) return second - first;
  if (step == -1) return first - second;
  return floor_div(second - first + ir::Dim(step + (step < 0 ? 1 : -1)), ir::Dim(step));
}

Shadow make(ShadowInfo::Kind kind, ir::Dim expr = {}, std::string origin = {}) {
  return std::make_shared<const ShadowInfo>(
      ShadowInfo{kind, std::move(expr), std::move(origin), {}});
}

}  // namespace

std::vector<Shadow> ContainerShadows::find(const c10::IValue& container) const {
  const void* key = identity(container);
  const auto found = key == nullptr ? entries_.end() : entries_.find(key);
  return found == entries_.end() ? std::vector<Shadow>() : found->second.elements;
}

void ContainerShadows::set(const c10::IValue& container, std::vector<Shadow> elements) {
  const void* key = identity(container);
  if (key == nullptr) return;
  const bool plain =
      std::all_of(elements.begin(), elements.end(), [](const Shadow& s) { return !s; });
  if (plain)
    entries_.erase(key);
  else
    entries_[key] = Entry{container, std::move(elements)};
}

void ContainerShadows::drop(const c10::IValue& container) {
  if (const void* key = identity(container)) entries_.erase(key);
}

Shadow ContainerShadows::length(const c10::IValue& list) const {
  const auto found = lengths_.find(identity(list));
  return found == lengths_.end() ? nullptr : found->second.second;
}

void ContainerShadows::set_length(const c10::IValue& list, Shadow length) {
  const void* key = identity(list);
  if (key == nullptr || (!length && !lengths_.contains(key))) return;
  lengths_[key] = {list, std::move(length)};
}

Shadow size_of(ir::Dim expr) { return make(ShadowInfo::Kind::size, std::move(expr)); }

bool depends_on_turn(const Shadow& shadow) {
  if (!shadow) return false;
  const auto mentions = [](const ir::Dim& dim) {
    const std::vector<ir::Symbol> symbols = dim.symbols();
    return std::any_of(symbols.begin(), symbols.end(),
                       [](const ir::Symbol& symbol) { return symbol.is_turn(); });
  };
  const auto& comparison = shadow->comparison;
  return shadow->of_turn || mentions(shadow->expr) ||
         (comparison && (mentions(comparison->left) || mentions(comparison->right)));
}

Shadow combine(const std::string& name, const std::vector<c10::IValue>& operands,
               const std::vector<Shadow>& shadows) {
  bool any = false;
  bool sizes_only = true;
  for (size_t i = 0; i < shadows.size(); ++i) {
    if (!shadows[i]) continue;
    any = true;
    if (shadows[i]->kind ==
        ShadowInfo::Kind::data)  // the result is another number than the tensor's truth
      return make(ShadowInfo::Kind::data, {}, shadows[i]->origin);
    sizes_only = sizes_only && shadows[i]->kind == ShadowInfo::Kind::size;
  }
  if (!any) return nullptr;
  const auto plain_int = [&](size_t i) { return shadows[i] || operands[i].isInt(); };
  // The further operands of aten::tensor are dtype and device.
  const bool identity = (operands.size() == 1 && is_identity(name)) || name == "aten::tensor";
  if (sizes_only && identity && shadows[0]) return shadows[0];
  if (sizes_only && operands.size() == 1 && name == "aten::neg")
    return make(ShadowInfo::Kind::size, ir::Dim(-1) * shadows[0]->expr);
  // A third operand is the alpha of tensor addition.
  const bool plain = operands.size() == 2 || (operands.size() == 3 && !shadows[2] &&
                                              operands[2].isInt() && operands[2].toInt() == 1);
  const auto found = binary_operations().find(name);
  if (sizes_only && found != binary_operations().end() && plain && plain_int(0) && plain_int(1))
    return make(ShadowInfo::Kind::size,
                found->second(operand(operands[0], shadows[0]), operand(operands[1], shadows[1])));
  if (sizes_only && operands.size() == 3)
    if (auto part = range_part(name, operands, shadows)) return size_of(*std::move(part));
  ShadowInfo opaque{ShadowInfo::Kind::opaque, {}, {}, {}};
  for (const Shadow& shadow : shadows)
    if (shadow) opaque.expr = opaque.expr + shadow->expr;
  opaque.of_turn = std::any_of(shadows.begin(), shadows.end(), depends_on_turn);
  if (const auto relation = relation_of(name);
      relation && sizes_only && operands.size() == 2 && plain_int(0) && plain_int(1))
    opaque.comparison = {operand(operands[0], shadows[0]), *relation,
                         operand(operands[1], shadows[1])};
  return std::make_shared<const ShadowInfo>(std::move(opaque));
}

}  // namespace t2n::trace
