#include "src/quant/builder.h"

#include <algorithm>

#include "ir/building.h"
#include "src/diag/error.h"

namespace t2n::quant {

using ir::Dim;
using ir::DType;
using ir::QuantInfo;
using ir::TensorRef;
using ir::ValueId;

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

}  // namespace

QuantBuilder::QuantBuilder(ir::Graph& graph, bool sizes_vary)
    : Rewriter(graph), sizes_vary_(sizes_vary), constants_(ir::constant_index(graph_)) {
  uses_.resize(graph_.values.size());
  const auto count = [this](ValueId id) {
    if (id != ir::kNoValue) ++uses_[static_cast<size_t>(id)];
  };
  for (const ir::Node& node : graph_.nodes) ir::for_each_input(node, count);
  std::for_each(graph_.outputs.begin(), graph_.outputs.end(), count);
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    ir::Value& each = graph_.values[i];
    infos_.push_back(std::exchange(each.quant, std::nullopt));
    dtypes_.push_back(each.dtype);
    if (infos_.back() && constants_[i] < 0) each.dtype = DType::f32;
  }
}

int QuantBuilder::uses(std::string_view argument) const {
  return uses_.at(static_cast<size_t>(original(argument)));
}

const std::optional<QuantInfo>& QuantBuilder::info_at(ValueId original) const {
  static const std::optional<QuantInfo> none;
  return original == ir::kNoValue ? none : infos_.at(static_cast<size_t>(original));
}

bool QuantBuilder::involves_quantised() const {
  bool found = std::any_of(node_.outputs.begin(), node_.outputs.end(),
                           [this](ValueId id) { return info_at(id).has_value(); });
  ir::for_each_input(node_, [&](ValueId id) { found = found || info_at(id).has_value(); });
  return found;
}

// --- arguments ---

ValueId QuantBuilder::original(std::string_view argument) const {
  const ir::Attr* attr = node_.find(argument);
  const auto* ref = attr == nullptr ? nullptr : std::get_if<TensorRef>(attr);
  return ref == nullptr ? ir::kNoValue : ref->id;
}

std::vector<ValueId> QuantBuilder::originals(std::string_view argument) const {
  return std::get<ir::TensorRefs>(*find(argument)).ids;
}

bool QuantBuilder::is_quantised(std::string_view argument) const {
  return info_at(original(argument)).has_value();
}

const QuantInfo& QuantBuilder::info(std::string_view argument) const {
  const std::optional<QuantInfo>& found = info_at(original(argument));
  T2N_ASSERT(found, ir::op_name(node_.op), ": '", argument, "' is not quantised");
  return *found;
}

const QuantInfo* QuantBuilder::output_info(int index) const {
  const auto& found = info_at(node_.outputs.at(static_cast<size_t>(index)));
  return found ? &*found : nullptr;
}

bool QuantBuilder::involves_dynamic() const {
  bool found = false;
  ir::for_each_input(node_, [&](ValueId id) { found = found || dynamic_.contains(id); });
  return found;
}

bool QuantBuilder::is_alike() const {
  const QuantInfo* first = nullptr;
  bool alike = true;
  const auto see = [&](ValueId id) {
    const std::optional<QuantInfo>& each = info_at(id);
    if (!each) return;
    if (first == nullptr) first = &*each;
    alike = alike && *first == *each;
  };
  ir::for_each_input(node_, see);
  for (const ValueId id : node_.outputs) see(id);
  return alike;
}

ValueId QuantBuilder::steps_at(ValueId original) {
  const auto i = static_cast<size_t>(original);
  if (!info_at(original) || constants_[i] < 0) return resolve(original);
  const auto [entry, is_new] = constant_steps_.try_emplace(original, ir::kNoValue);
  if (is_new) entry->second = steps_of(original, *infos_[i]);
  return entry->second;
}

ValueId QuantBuilder::real_at(ValueId original) {
  const std::optional<QuantInfo>& found = info_at(original);
  if (!found) return resolve(original);
  if (const auto own = dynamic_.find(original); own != dynamic_.end())
    return binary("aten::mul.Tensor", steps_at(original), own->second.scale);
  return real_of(steps_at(original), *found);
}

ValueId QuantBuilder::integers_at(ValueId original) {
  const auto i = static_cast<size_t>(original);
  if (const auto own = dynamic_.find(original); own != dynamic_.end())
    return cast(binary("aten::add.Tensor", steps_at(original), own->second.zero_point), dtypes_[i]);
  return integers_of(steps_at(original), *infos_.at(i), dtypes_[i]);
}

ValueId QuantBuilder::steps(std::string_view argument) { return steps_at(original(argument)); }

ValueId QuantBuilder::real(std::string_view argument) {
  if (is_none(argument)) return ir::kNoValue;
  const ValueId id = original(argument);
  return id == ir::kNoValue ? number(Rewriter::real(argument, 0), DType::f32) : real_at(id);
}

std::vector<ValueId> QuantBuilder::reals(std::string_view argument) {
  std::vector<ValueId> out;
  for (const ValueId id : originals(argument)) out.push_back(real_at(id));
  return out;
}

ValueId QuantBuilder::real_in_loops(std::string_view argument, ZeroPoint zero_point) {
  if (!is_quantised(argument) || zero_point != ZeroPoint::after_rounding) return real(argument);
  const QuantInfo& of = info(argument);
  const double error = premultiplied_error(of);
  if (error == 0) return real(argument);
  const ValueId product = binary("aten::mul.Tensor", cast(steps(argument), DType::f64),
                                 number(as_f32(of.scales[0]), DType::f64));
  return cast(binary("aten::add.Tensor", product, number(error, DType::f64)), DType::f32);
}

ZeroPoint QuantBuilder::loop_over(std::initializer_list<std::string_view> arguments) const {
  if (sizes_vary_) return ZeroPoint::after_rounding;
  std::vector<ir::Shape> operands;
  for (const std::string_view each : arguments)
    if (const ValueId id = original(each); id != ir::kNoValue) operands.push_back(value(id).shape);
  return zero_point_in_loops(output().shape, operands);
}

std::optional<std::vector<double>> QuantBuilder::known(std::string_view argument) const {
  const ValueId id = original(argument);
  if (id == ir::kNoValue) return std::vector<double>{Rewriter::real(argument, 0)};
  const int at = constants_.at(static_cast<size_t>(id));
  if (at < 0) return std::nullopt;
  const ir::Tensor& data = graph_.constants[static_cast<size_t>(at)].data;
  if (data.elements() > 0 && data.bytes.empty()) return std::nullopt;  // not loaded
  return ir::to_f64(data);
}

std::optional<double> QuantBuilder::number_at(std::string_view argument) const {
  const auto all = known(argument);
  return all && !all->empty() ? std::optional(all->front()) : std::nullopt;
}

void QuantBuilder::set(std::string_view argument, double value) {
  for (ir::Argument& each : node_.args)
    if (each.name == argument) each.value = value;
}

Dim QuantBuilder::size(ValueId value, int axis) {
  if (sizes_vary_) return ir::size_symbol(graph_, value, axis);
  return shape(value).at(static_cast<size_t>(axis));
}

void QuantBuilder::share_places(ir::Graph& body) const {
  body.scopes = graph_.scopes;
  body.sources = graph_.sources;
}

// --- building ---

ValueId QuantBuilder::along(const std::vector<double>& values, int axis, ValueId like) {
  if (values.size() == 1) return number(values[0], DType::f32);
  ir::Ints shape(static_cast<size_t>(rank(like) - axis), 1);
  shape[0] = static_cast<int64_t>(values.size());
  return constant(shape, values, DType::f32);
}

ValueId QuantBuilder::times(ValueId x, const std::vector<double>& factors, int axis) {
  return all_are(factors, 1) ? x : binary("aten::mul.Tensor", x, along(factors, axis, x));
}

ValueId QuantBuilder::plus(ValueId x, const std::vector<double>& terms, int axis) {
  return all_are(terms, 0) ? x : binary("aten::add.Tensor", x, along(terms, axis, x));
}

ValueId QuantBuilder::rounded(ValueId x) { return unary("aten::round", x); }

ValueId QuantBuilder::clamped(ValueId x, double low, double high) {
  return emit("aten::clamp", {{"self", TensorRef{x}}, {"min", low}, {"max", high}}, dtype(x),
              shape(x));
}

ValueId QuantBuilder::steps_of(ValueId integers, const QuantInfo& info) {
  return plus(cast(integers, DType::f32), negated(to_f64(info.zero_points)), info.axis);
}

ValueId QuantBuilder::integers_of(ValueId steps, const QuantInfo& info, DType dtype) {
  return cast(plus(steps, to_f64(info.zero_points), info.axis), dtype);
}

ValueId QuantBuilder::real_of(ValueId steps, const QuantInfo& info) {
  std::vector<double> scales;
  for (const double scale : info.scales) scales.push_back(as_f32(scale));
  return times(steps, scales, info.axis);
}

ValueId QuantBuilder::steps_from(ValueId x, const QuantInfo& info, ZeroPoint zero_point,
                                 bool is_relu) {
  const std::vector<double> points = to_f64(info.zero_points);
  const auto low = static_cast<double>(info.lowest());
  const auto high = static_cast<double>(info.highest());
  const bool is_shared =
      std::all_of(points.begin(), points.end(), [&](double each) { return each == points[0]; });
  const bool shows = zero_point == ZeroPoint::before_rounding && !all_are(points, 0);
  if (!shows && is_shared)
    return clamped(rounded(x), is_relu ? 0 : low - points[0], high - points[0]);
  const ValueId q =
      shows ? rounded(plus(x, points, info.axis)) : plus(rounded(x), points, info.axis);
  const ValueId out = steps_of_rounded(q, info);
  return is_relu ? relu(out) : out;
}

ValueId QuantBuilder::steps_of_rounded(ValueId integers, const QuantInfo& info) {
  const ValueId q =
      clamped(integers, static_cast<double>(info.lowest()), static_cast<double>(info.highest()));
  return plus(q, negated(to_f64(info.zero_points)), info.axis);
}

ValueId QuantBuilder::steps_from_fused(ValueId real, const QuantInfo& info) {
  const double inverse = as_f32(1 / as_f32(info.scales[0]));
  const auto point = static_cast<double>(info.zero_points[0]);
  const ValueId product =
      binary("aten::mul.Tensor", cast(real, DType::f64), number(inverse, DType::f64));
  const ValueId sum = binary("aten::add.Tensor", product, number(point, DType::f64));
  return steps_of_rounded(rounded(cast(sum, DType::f32)), info);
}

std::vector<ValueId> QuantBuilder::again(const std::function<ValueId(ValueId)>& operand,
                                         std::string_view op) {
  std::vector<ir::Argument> args = node_.args;
  for (ir::Argument& arg : args)
    ir::change_refs(arg.value, [&](ValueId& id) {
      if (id != ir::kNoValue) id = operand(id);
    });
  std::vector<std::pair<DType, ir::Shape>> results;
  for (const ValueId id : node_.outputs) results.emplace_back(value(id).dtype, value(id).shape);
  return emit_all(op.empty() ? ir::op_name(node_.op) : op, std::move(args), results);
}

// --- results ---

void QuantBuilder::define_real(ValueId real, ZeroPoint zero_point, bool is_relu, int index) {
  const QuantInfo* to = output_info(index);
  if (to == nullptr) return define(real, index);
  if (zero_point == ZeroPoint::fused && !is_relu) return define(steps_from_fused(real, *to), index);
  std::vector<double> inverse;
  for (const double scale : to->scales) inverse.push_back(as_f32(1 / as_f32(scale)));
  define(steps_from(times(real, inverse, to->axis), *to, zero_point, is_relu), index);
}

void QuantBuilder::define_dynamic(ValueId steps, const DynamicScale& scale) {
  define(steps);
  dynamic_[node_.outputs.at(0)] = scale;
}

void QuantBuilder::keep_on_steps(std::string_view op) {
  std::optional<DynamicScale> scale;
  ir::for_each_input(node_, [&](ValueId id) {
    if (const auto own = dynamic_.find(id); own != dynamic_.end()) scale = own->second;
  });
  const std::vector<ValueId> made = again([this](ValueId id) { return steps_at(id); }, op);
  for (size_t i = 0; i < made.size(); ++i) {
    define(made[i], static_cast<int>(i));
    if (scale && info_at(node_.outputs[i])) dynamic_[node_.outputs[i]] = *scale;
  }
}

void QuantBuilder::round_on_steps() {
  const std::vector<ValueId> made = again([this](ValueId id) { return steps_at(id); });
  for (size_t i = 0; i < made.size(); ++i) {
    const QuantInfo* to = output_info(static_cast<int>(i));
    define(to == nullptr ? made[i] : steps_from(made[i], *to, ZeroPoint::before_rounding),
           static_cast<int>(i));
  }
}

void QuantBuilder::redo_on_reals(ZeroPoint zero_point) {
  const std::vector<ValueId> made = again([this](ValueId id) { return real_at(id); });
  for (size_t i = 0; i < made.size(); ++i)
    define_real(made[i], zero_point, false, static_cast<int>(i));
}

void QuantBuilder::finish_outputs() {
  for (ValueId& id : graph_.outputs) {
    const auto i = static_cast<size_t>(id);
    if (!info_at(id) || constants_[i] >= 0) continue;
    ir::Node at;  // where what is added belongs
    at.outputs = {id};
    begin(std::move(at));
    id = integers_at(id);
  }
}

}  // namespace t2n::quant
