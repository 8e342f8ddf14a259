// SPDX-License-Identifier: Apache-2.0
#include "src/shapes/shape_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/shapes/index_range.h"

namespace t2n::shapes {

using ir::Dim;
using ir::Shape;

const ir::Attr& ShapeView::attr(std::string_view name) const {
  const ir::Attr* attr = args_.find(name);
  T2N_ASSERT(attr != nullptr, op(), " has no argument '", name, "'");
  return *attr;
}

const Shape& ShapeView::shape(std::string_view name) const {
  return args_.value(std::get<ir::TensorRef>(attr(name)).id).shape;
}

ir::DType ShapeView::dtype(std::string_view name) const {
  return args_.value(std::get<ir::TensorRef>(attr(name)).id).dtype;
}

std::vector<std::optional<Shape>> ShapeView::opt_shapes(std::string_view name) const {
  std::vector<std::optional<Shape>> out;
  for (const ir::ValueId id : std::get<ir::TensorRefs>(attr(name)).ids)
    out.push_back(id == ir::kNoValue ? std::nullopt : std::optional<Shape>(args_.value(id).shape));
  return out;
}

std::vector<Shape> ShapeView::shapes(std::string_view name) const {
  std::vector<Shape> out;
  for (const auto& shape : opt_shapes(name)) out.push_back(shape.value());
  return out;
}

std::vector<ir::DType> ShapeView::dtypes(std::string_view name) const {
  std::vector<ir::DType> out;
  for (const ir::ValueId id : std::get<ir::TensorRefs>(attr(name)).ids)
    if (id != ir::kNoValue) out.push_back(args_.value(id).dtype);
  return out;
}

std::optional<int64_t> ShapeView::number(std::string_view name) const {
  const auto* ref = std::get_if<ir::TensorRef>(args_.find(name));
  if (ref == nullptr) return std::nullopt;
  for (const ir::Constant& each : args_.graph().constants)
    if (each.value == ref->id && each.data.elements() == 1 && ir::is_integer(each.data.dtype))
      return ir::to_i64(each.data).front();
  for (const ir::Node& node : args_.graph().nodes) {
    const std::string_view op = ir::op_name(node.op);
    if (node.outputs != std::vector{ref->id} ||
        (op != "aten::tensor" && op != "aten::tensor.int" && op != "prim::NumToTensor.Scalar"))
      continue;
    const ir::Attr& data = node.args.at(0).value;
    const auto* list = std::get_if<std::vector<Dim>>(&data);
    const auto* size =
        list != nullptr && list->size() == 1 ? &list->front() : std::get_if<Dim>(&data);
    if (size != nullptr && size->is_constant()) return size->value();
  }
  return std::nullopt;
}

std::vector<Shape> ShapeView::operands() const {
  std::vector<Shape> out;
  for (const ir::Argument& arg : args_.node().args)
    if (is_tensor(arg.name)) out.push_back(shape(arg.name));
  return out;
}

const Shape& ShapeView::first() const {
  for (const ir::Argument& arg : args_.node().args)
    if (is_tensor(arg.name)) return shape(arg.name);
  T2N_ASSERT(false, op(), " has no tensor");
  return args_.value(0).shape;
}

bool ShapeView::is_text(std::string_view name) const {
  return has(name) && std::holds_alternative<std::string>(attr(name));
}

Dim ShapeView::dim(std::string_view name) const {
  const ir::Attr& value = attr(name);
  if (const auto one = args_.integer(name)) return *one;
  if (std::holds_alternative<double>(value)) unknown("it is not an integer");
  return dims(name).at(0);
}

Shape ShapeView::dims(std::string_view name) const {
  attr(name);
  return args_.dims(name).value();
}

Shape ShapeView::dims(std::string_view name, size_t count, const Dim& fallback) const {
  Shape out = has(name) ? dims(name) : Shape();
  if (out.empty()) out = {fallback};
  if (out.size() == 1) out.resize(count, out.front());
  return out;
}

int64_t ShapeView::i64(std::string_view name) const {
  const Dim out = dim(name);
  if (!out.is_constant()) unknown("it is not the same for all sizes");
  return out.value();
}

std::optional<double> ShapeView::f64(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const std::optional<double> number = args_.scalar(name);
  return number ? *number : static_cast<double>(i64(name));
}

std::vector<double> ShapeView::f64s(std::string_view name) const {
  if (const auto* numbers = std::get_if<std::vector<double>>(&attr(name))) return *numbers;
  std::vector<double> out;
  for (const Dim& dim : dims(name)) out.push_back(static_cast<double>(dim.value()));
  return out;
}

bool ShapeView::boolean(std::string_view name, bool fallback) const {
  return has(name) ? std::get<bool>(attr(name)) : fallback;
}

std::string ShapeView::str(std::string_view name) const {
  return std::get<std::string>(attr(name));
}

ir::DType ShapeView::dtype_argument(std::string_view name) const {
  return std::get<ir::DType>(attr(name));
}

int ShapeView::axis(std::string_view name, int rank) const {
  return static_cast<int>(ir::from_front(i64(name), rank));
}

ir::Ints ShapeView::axes(std::string_view name, int rank) const {
  ir::Ints out;
  if (has(name))
    for (const Dim& dim : dims(name)) out.push_back(ir::from_front(dim.value(), rank));
  if (out.empty())
    for (int axis = 0; axis < rank; ++axis) out.push_back(axis);
  std::sort(out.begin(), out.end());
  return out;
}

Dim ShapeView::unified(const Dim& a, const Dim& b) const {
  if (!constraints_.equal(a, b)) unknown("sizes that must be equal are not");
  if (b.is_constant() || b.str().size() < a.str().size()) return b;
  return a;
}

Shape ShapeView::unified(const Shape& a, const Shape& b) const {
  if (a.size() != b.size()) unknown("ranks that must be equal are not");
  Shape out;
  for (size_t i = 0; i < a.size(); ++i) out.push_back(unified(a[i], b[i]));
  return out;
}

Dim ShapeView::broadcast_dim(const Dim& a, const Dim& b) const {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (constraints_.equal(a, b)) return b.is_constant() || b.str().size() < a.str().size() ? b : a;
  if (constraints_.equal(a, 1)) return b;
  if (constraints_.equal(b, 1)) return a;
  unknown("sizes that must be equal are not");
}

Shape ShapeView::broadcast(const Shape& a, const Shape& b) const {
  if (a.size() < b.size()) return broadcast(b, a);
  Shape out = a;
  const size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) out[offset + i] = broadcast_dim(a[offset + i], b[i]);
  return out;
}

Shape ShapeView::broadcast(const std::vector<Shape>& shapes) const {
  Shape out;
  for (const Shape& shape : shapes) out = broadcast(out, shape);
  return out;
}

void ShapeView::require_fit(Shape values, const Shape& destination) const {
  for (; values.size() > destination.size(); values.erase(values.begin()))
    unified(values.front(), 1);
  const size_t offset = destination.size() - values.size();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != Dim(1) && !constraints_.equal(values[i], destination[offset + i]))
      unified(values[i], 1);
}

void ShapeView::require_fit(std::string_view name, const Shape& destination) const {
  if (is_tensor(name)) require_fit(shape(name), destination);
}

bool ShapeView::holds(const Dim& a, Relation relation, const Dim& b) const {
  const auto known = constraints_.decide(a, relation, b);
  if (!known) unknown("the runs at several sizes differ");
  return *known;
}

void ShapeView::require(const Dim& a, Relation relation, const Dim& b) const {
  const auto known = constraints_.decide(a, relation, b);
  if (!known || !*known) unknown(cat("it requires ", ir::readable(Comparison{a, relation, b})));
}

void ShapeView::require_in_range(std::string_view name, const Dim& size, size_t position) const {
  ir::ValueId index = ir::kNoValue;
  if (const auto* one = std::get_if<ir::TensorRef>(&attr(name))) index = one->id;
  if (const auto* many = std::get_if<ir::TensorRefs>(&attr(name))) index = many->ids.at(position);
  const auto range = index == ir::kNoValue ? std::nullopt : index_range_of(args_.graph(), index);
  if (!range) return;
  require(range->end, Relation::le, size);
  const auto counts_from_front = constraints_.decide(range->least, Relation::ge, 0);
  if (!counts_from_front || !*counts_from_front) require(size + range->least, Relation::ge, 0);
}

void ShapeView::unknown(std::string_view why) const {
  throw Error("dynamic-size", cat("no shape rule gives the sizes of ", op()), std::string(why));
}

}  // namespace t2n::shapes
