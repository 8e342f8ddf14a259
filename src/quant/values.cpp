// SPDX-License-Identifier: Apache-2.0
#include "src/quant/values.h"

#include <algorithm>
#include <cmath>

#include "ir/building.h"
#include "src/diag/error.h"
#include "src/quant/rounding.h"

namespace t2n::quant {

namespace {

std::vector<double> to_f64(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

bool all_are(const std::vector<double>& values, double value) {
  return std::all_of(values.begin(), values.end(), [&](double each) { return each == value; });
}

std::vector<double> negated(std::vector<double> values) {
  for (double& each : values) each = -each;
  return values;
}

/// Whether f32 cannot represent one of them.
bool holds_wide(const ir::Tensor& integers) {
  constexpr double kMost = 0x1.0p24;
  if (integers.dtype != DType::i32 || integers.bytes.empty()) return false;
  const std::vector<double> all = ir::to_f64(integers);
  return std::any_of(all.begin(), all.end(), [](double each) { return std::abs(each) > kMost; });
}

}  // namespace

QuantValues::QuantValues(ir::Graph& graph)
    : Rewriter(graph), constants_(ir::constant_index(graph_)) {
  uses_.resize(graph_.values.size());
  const auto count = [this](ValueId id) {
    if (id != ir::kNoValue) ++uses_[id];
  };
  for (const ir::Node& node : graph_.nodes) ir::for_each_input(node, count);
  std::for_each(graph_.outputs.begin(), graph_.outputs.end(), count);
  find_input_dependent();
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    ir::Value& each = graph_.values[i];
    infos_.push_back(std::exchange(each.quant, std::nullopt));
    dtypes_.push_back(each.dtype);
    if (!infos_.back()) continue;
    if (constants_[i] < 0)
      each.dtype = DType::f32;
    else if (holds_wide(graph_.constants[constants_[i]].data))
      wide_.insert(static_cast<ValueId>(i));
  }
}

void QuantValues::find_input_dependent() {
  depends_on_inputs_.resize(graph_.values.size());
  for (const ValueId id : graph_.inputs) depends_on_inputs_[id] = true;
  for (const ir::Node& node : graph_.nodes) {
    bool depends_on_inputs =
        std::any_of(node.args.begin(), node.args.end(), [](const ir::Argument& arg) {
          const auto* dim = std::get_if<Dim>(&arg.value);
          return dim != nullptr && !dim->is_constant();
        });
    ir::for_each_input(node, [&](ValueId id) {
      depends_on_inputs = depends_on_inputs || (id != ir::kNoValue && depends_on_inputs_[id]);
    });
    for (const ValueId id : node.outputs) depends_on_inputs_[id] = depends_on_inputs;
  }
}

const std::optional<QuantInfo>& QuantValues::info_at(ValueId original) const {
  static const std::optional<QuantInfo> none;
  return original == ir::kNoValue ? none : infos_.at(original);
}

ValueId QuantValues::centred_at(ValueId original) {
  const size_t i = original;
  if (!info_at(original) || constants_[i] < 0) return resolve(original);
  const auto [entry, is_new] = constant_centred_.try_emplace(original, ir::kNoValue);
  if (is_new) entry->second = centred_of(original, *infos_[i]);
  return entry->second;
}

ValueId QuantValues::dequantised_at(ValueId original) {
  const std::optional<QuantInfo>& found = info_at(original);
  if (!found) return resolve(original);
  if (const auto scale = dynamic_.find(original); scale != dynamic_.end())
    return binary("aten::mul.Tensor", centred_at(original), scale->second.scale);
  return dequantised_of(centred_at(original), *found);
}

ValueId QuantValues::integers_at(ValueId original) {
  const size_t i = original;
  if (constants_[i] >= 0) return resolve(original);
  if (const auto scale = dynamic_.find(original); scale != dynamic_.end())
    return cast(binary("aten::add.Tensor", centred_at(original), scale->second.zero_point),
                dtypes_[i]);
  return integers_of(centred_at(original), *infos_.at(i), dtypes_[i]);
}

/// The integers in f32.
ValueId QuantValues::float_integers_at(ValueId original) {
  const std::optional<QuantInfo>& found = info_at(original);
  if (!found) return resolve(original);
  if (constants_[original] >= 0) return cast(resolve(original), DType::f32);
  return plus(centred_at(original), to_f64(found->zero_points), found->axis);
}

ValueId QuantValues::along(const std::vector<double>& values, int axis, ValueId like) {
  if (values.size() == 1) return number(values[0], DType::f32);
  ir::Ints shape(static_cast<size_t>(rank(like) - axis), 1);
  shape[0] = static_cast<int64_t>(values.size());
  return constant(shape, values, DType::f32);
}

ValueId QuantValues::times(ValueId x, const std::vector<double>& factors, int axis) {
  return all_are(factors, 1) ? x : binary("aten::mul.Tensor", x, along(factors, axis, x));
}

ValueId QuantValues::plus(ValueId x, const std::vector<double>& terms, int axis) {
  if (all_are(terms, 0)) return x;
  const bool is_one = all_are(terms, terms.front());
  return binary("aten::add.Tensor", x, along(is_one ? std::vector{terms.front()} : terms, axis, x));
}

ValueId QuantValues::rounded(ValueId x) { return unary("aten::round", x); }

ValueId QuantValues::clamped(ValueId x, double low, double high) {
  return emit("aten::clamp", {{"self", TensorRef{x}}, {"min", low}, {"max", high}}, dtype(x),
              shape(x));
}

ValueId QuantValues::minus_zero_points(ValueId integers, const QuantInfo& info) {
  return plus(integers, negated(to_f64(info.zero_points)), info.axis);
}

ValueId QuantValues::centred_of(ValueId integers, const QuantInfo& info) {
  return minus_zero_points(cast(integers, DType::f32), info);
}

ValueId QuantValues::integers_of(ValueId centred, const QuantInfo& info, DType dtype) {
  return cast(plus(centred, to_f64(info.zero_points), info.axis), dtype);
}

ValueId QuantValues::dequantised_of(ValueId centred, const QuantInfo& info) {
  std::vector<double> scales;
  for (const double scale : info.scales) scales.push_back(as_f32(scale));
  return times(centred, scales, info.axis);
}

ValueId QuantValues::centred_of_integral(ValueId integers, const QuantInfo& info) {
  const ValueId q =
      clamped(integers, static_cast<double>(info.lowest()), static_cast<double>(info.highest()));
  return minus_zero_points(q, info);
}

ValueId QuantValues::centred_from(ValueId x, const QuantInfo& info, ZeroPoint zero_point,
                                  bool is_relu) {
  const std::vector<double> points = to_f64(info.zero_points);
  const auto low = static_cast<double>(info.lowest());
  const auto high = static_cast<double>(info.highest());
  const bool is_shared =
      std::all_of(points.begin(), points.end(), [&](double each) { return each == points[0]; });
  const bool matters = zero_point == ZeroPoint::before_rounding && !all_are(points, 0);
  if (!matters && is_shared)
    return clamped(rounded(x), is_relu ? 0 : low - points[0], high - points[0]);
  const ValueId q =
      matters ? rounded(plus(x, points, info.axis)) : plus(rounded(x), points, info.axis);
  const ValueId out = centred_of_integral(q, info);
  return is_relu ? relu(out) : out;
}

ValueId QuantValues::select_vectorised(const Vectors& vectors, double vectorised, double other,
                                       DType dtype) {
  if (vectors.reach != Vectors::Reach::some)
    return number(vectors.reach == Vectors::Reach::all ? vectorised : other, dtype);
  std::vector<double> all;
  for (const bool is_vectorised : vectors.is_vectorised)
    all.push_back(is_vectorised ? vectorised : other);
  return constant(vectors.shape, all, dtype);
}

ValueId QuantValues::centred_from(ValueId x, const QuantInfo& info, const Vectors& vectors) {
  const auto point = static_cast<double>(info.zero_points[0]);
  if (vectors.reach == Vectors::Reach::all || point == 0)
    return centred_from(x, info, ZeroPoint::after_rounding);
  if (vectors.reach == Vectors::Reach::none)
    return centred_from(x, info, ZeroPoint::before_rounding);
  const ValueId points = select_vectorised(vectors, 0, point, DType::f32);
  const ValueId centred = passes::sub(*this, rounded(passes::add(*this, x, points)), points);
  return clamped(centred, static_cast<double>(info.lowest()) - point,
                 static_cast<double>(info.highest()) - point);
}

ValueId QuantValues::centred_from_fused(ValueId x, const QuantInfo& info) {
  const double inverse = as_f32(1 / as_f32(info.scales[0]));
  const auto point = static_cast<double>(info.zero_points[0]);
  if (point == 0) return centred_from(times(x, {inverse}, 0), info, ZeroPoint::after_rounding);
  const ValueId product =
      binary("aten::mul.Tensor", cast(x, DType::f64), number(inverse, DType::f64));
  const ValueId sum = binary("aten::add.Tensor", product, number(point, DType::f64));
  return centred_of_integral(rounded(cast(sum, DType::f32)), info);
}

void QuantValues::finish_outputs() {
  for (ValueId& id : graph_.outputs) {
    const size_t i = id;
    if (!info_at(id) || constants_[i] >= 0) continue;
    if (may_be_wide(id))
      throw Error("unsupported-dtype",
                  cat("the output ", quoted(value(id).name), " is integers of more than 24 bits"),
                  "they are kept in f32, which cannot represent all of them",
                  "return its dequantize()d values instead");
    ir::Node at;  // the location of new nodes
    at.outputs = {id};
    begin(std::move(at));
    id = integers_at(id);
  }
}

}  // namespace t2n::quant
