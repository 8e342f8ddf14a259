// SPDX-License-Identifier: Apache-2.0
#include "ir/node_args.h"

#include <algorithm>
#include <cmath>

namespace t2n::ir {
namespace {

bool is_absent(const Attr& attr) {
  const auto* tensor = std::get_if<TensorRef>(&attr);
  return std::holds_alternative<None>(attr) || (tensor != nullptr && tensor->id == kNoValue);
}

template <typename T>
bool is_empty_list(const Attr& attr) {
  const auto* list = std::get_if<std::vector<T>>(&attr);
  return list != nullptr && list->empty();
}

}  // namespace

NodeArgs::NodeArgs(const Graph& graph, const Node& node) : graph_(&graph), node_(&node) {
  T2N_ASSERT(node.args.size() <= 64, "more than 64 arguments");  // the bits of read_
}

bool NodeArgs::is_tensor(std::string_view name) const {
  const Attr* attr = node_->find(name);
  return attr != nullptr && std::holds_alternative<TensorRef>(*attr) && !is_absent(*attr);
}

bool NodeArgs::is_symbolic(std::string_view name) const {
  const Attr* attr = node_->find(name);
  return attr != nullptr && ir::is_symbolic(*attr);
}

const Attr* NodeArgs::argument(std::string_view name) const {
  for (size_t i = 0; i < node_->args.size(); ++i) {
    if (node_->args[i].name != name) continue;
    read_ |= uint64_t{1} << i;
    return &node_->args[i].value;
  }
  return nullptr;
}

const Attr& NodeArgs::required(std::string_view name) const {
  const Attr* attr = argument(name);
  T2N_ASSERT(attr != nullptr, "there is no argument '", name, "'");
  return *attr;
}

const Attr* NodeArgs::find(std::string_view name) const {
  const Attr* attr = argument(name);
  return attr == nullptr || is_absent(*attr) ? nullptr : attr;
}

bool NodeArgs::is_none(std::string_view name) const { return is_absent(required(name)); }

ValueId NodeArgs::tensor(std::string_view name) const {
  const auto* tensor = std::get_if<TensorRef>(&required(name));
  return tensor == nullptr ? kNoValue : tensor->id;
}

std::optional<Dim> NodeArgs::integer(std::string_view name) const {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  const Attr& attr = required(name);
  if (const auto* dim = std::get_if<Dim>(&attr)) return *dim;
  if (const auto* flag = std::get_if<bool>(&attr)) return Dim(*flag ? 1 : 0);
  const auto* number = std::get_if<double>(&attr);
  if (number == nullptr || std::trunc(*number) != *number || std::abs(*number) >= kEnd)
    return std::nullopt;
  return Dim(static_cast<int64_t>(*number));
}

std::optional<double> NodeArgs::scalar(std::string_view name) const {
  const Attr& attr = required(name);
  if (const auto* number = std::get_if<double>(&attr)) return *number;
  const std::optional<Dim> dim = integer(name);
  if (!dim || !dim->is_constant()) return std::nullopt;
  return static_cast<double>(dim->value());
}

std::optional<Shape> NodeArgs::dims(std::string_view name) const {
  const Attr& attr = required(name);
  if (const auto* dims = std::get_if<std::vector<Dim>>(&attr)) return *dims;
  if (const auto* dim = std::get_if<Dim>(&attr)) return Shape{*dim};
  if (is_empty_list<double>(attr) || is_empty_list<bool>(attr)) return Shape{};
  return std::nullopt;
}

std::string NodeArgs::unread() const {
  for (size_t i = 0; i < node_->args.size(); ++i)
    if ((read_ >> i & 1) == 0) return node_->args[i].name;
  return "";
}

int64_t from_front(int64_t axis, int64_t rank, std::string_view name) {
  const int64_t extent = std::max<int64_t>(rank, 1);
  T2N_ASSERT(axis >= -extent && axis < extent, name, "=", axis, " of rank ", rank);
  return axis < 0 ? axis + extent : axis;
}

}  // namespace t2n::ir
