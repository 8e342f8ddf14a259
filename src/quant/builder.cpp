// SPDX-License-Identifier: Apache-2.0
#include "src/quant/builder.h"

#include <algorithm>

#include "ir/building.h"
#include "src/diag/error.h"

namespace t2n::quant {

constexpr const char* kMemoryOrder = "memory_order";

int QuantBuilder::uses(std::string_view argument) const { return uses_.at(original(argument)); }

bool QuantBuilder::involves_quantised() const {
  bool found = std::any_of(node_.outputs.begin(), node_.outputs.end(),
                           [this](ValueId id) { return info_at(id).has_value(); });
  ir::for_each_input(node_, [&](ValueId id) { found = found || info_at(id).has_value(); });
  return found;
}

ValueId QuantBuilder::original(std::string_view argument) const {
  const auto* ref = std::get_if<TensorRef>(&required(argument));
  return ref == nullptr ? ir::kNoValue : ref->id;
}

std::vector<ValueId> QuantBuilder::originals(std::string_view argument) const {
  return std::get<ir::TensorRefs>(required(argument)).ids;
}

bool QuantBuilder::is_quantised(std::string_view argument) const {
  return info_at(original(argument)).has_value();
}

const QuantInfo& QuantBuilder::info(std::string_view argument) const {
  const std::optional<QuantInfo>& found = info_at(original(argument));
  T2N_ASSERT(found, ir::op_name(node_.op), ": '", argument, "' is not quantised");
  return *found;
}

const QuantInfo& QuantBuilder::output_integers() const {
  ignore({"dtype"}, "the result's QuantInfo has it");
  return *info_at(node_.outputs.at(0));
}

const QuantInfo* QuantBuilder::output_info(int index) const {
  static const std::initializer_list<std::string_view> kNames = {
      "output_scale", "output_zero_point", "scale",          "zero_point", "scales",
      "zero_points",  "Y_scale_i",         "Y_zero_point_i", "axis",       "dtype"};
  ignore(kNames, "the result's QuantInfo has them");
  const auto& found = info_at(node_.outputs.at(index));
  // The QuantInfo has the scale of one run only.
  for (const std::string_view each : kNames)
    if (sizes_vary_ && found && has(each) && original(each) != ir::kNoValue &&
        depends_on_inputs_[original(each)])
      refuse_dynamic_argument(each);
  return found ? &*found : nullptr;
}

bool QuantBuilder::involves_dynamic() const {
  bool found = false;
  ir::for_each_input(node_, [&](ValueId id) { found = found || dynamic_.contains(id); });
  return found;
}

DynamicScale QuantBuilder::dynamic_scale(std::string_view argument) const {
  const auto found = dynamic_.find(original(argument));
  return found == dynamic_.end() ? DynamicScale() : found->second;
}

int QuantBuilder::quantised_operands() const {
  std::set<ValueId> found;
  ir::for_each_input(node_, [&](ValueId id) {
    if (info_at(id)) found.insert(id);
  });
  return static_cast<int>(found.size());
}

bool QuantBuilder::shares_zero_point() const {
  std::set<int64_t> points;
  const auto collect = [&](ValueId id) {
    if (const std::optional<QuantInfo>& each = info_at(id))
      points.insert(each->zero_points.begin(), each->zero_points.end());
  };
  ir::for_each_input(node_, collect);
  for (const ValueId id : node_.outputs) collect(id);
  return points.size() <= 1;
}

bool QuantBuilder::have_equal_qparams() const {
  const QuantInfo* first = nullptr;
  bool equal = true;
  const auto compare = [&](ValueId id) {
    const std::optional<QuantInfo>& each = info_at(id);
    if (!each) return;
    if (first == nullptr) first = &*each;
    equal = equal && *first == *each;
  };
  ir::for_each_input(node_, compare);
  for (const ValueId id : node_.outputs) compare(id);
  return equal;
}

bool QuantBuilder::has_wide_points() const {
  bool found = false;
  const auto check = [&](ValueId id) {
    if (const std::optional<QuantInfo>& each = info_at(id); each && each->bits > 8)
      found = found || std::any_of(each->zero_points.begin(), each->zero_points.end(),
                                   [](int64_t point) { return point != 0; });
  };
  ir::for_each_input(node_, check);
  for (const ValueId id : node_.outputs) check(id);
  return found;
}

void QuantBuilder::propagate_wide(bool creates) {
  const auto is_of_32_bits = [this](ValueId id) {
    const std::optional<QuantInfo>& found = info_at(id);
    return found && found->bits > 8;
  };
  ir::for_each_input(node_, [&](ValueId id) { creates = creates || may_be_wide(id); });
  if (!creates) return;
  for (const ValueId id : node_.outputs)
    if (is_of_32_bits(id)) wide_.insert(id);
}

ValueId QuantBuilder::dequantised(std::string_view argument) {
  if (is_none(argument)) return ir::kNoValue;
  const ValueId id = original(argument);
  return id == ir::kNoValue ? number(scalar(argument, 0), DType::f32) : dequantised_at(id);
}

std::vector<ValueId> QuantBuilder::dequantised_list(std::string_view argument) {
  std::vector<ValueId> out;
  for (const ValueId id : originals(argument)) out.push_back(dequantised_at(id));
  return out;
}

ValueId QuantBuilder::dequantised_in_loops(std::string_view argument, const Vectors& vectors) {
  return is_quantised(argument) ? dequantised_in_loops_at(original(argument), vectors)
                                : dequantised(argument);
}

ValueId QuantBuilder::dequantised_in_loops_at(ValueId original, const Vectors& vectors) {
  const QuantInfo& qparams = *info_at(original);
  const double error = premultiplied_error(qparams);
  if (error == 0 || vectors.reach == Vectors::Reach::none) return dequantised_at(original);
  if (const auto parts = scale_parts(qparams, error)) {
    const ValueId product = times(centred_at(original), {parts->high}, 0);
    if (parts->low == 0) return product;
    const ValueId errors = select_vectorised(vectors, error, 0, DType::f32);
    return passes::add(*this, product,
                       passes::add(*this, times(centred_at(original), {parts->low}, 0), errors));
  }
  const ValueId product = binary("aten::mul.Tensor", cast(centred_at(original), DType::f64),
                                 number(as_f32(qparams.scales[0]), DType::f64));
  const ValueId errors = select_vectorised(vectors, error, 0, DType::f64);
  return cast(binary("aten::add.Tensor", product, errors), DType::f32);
}

Vectors QuantBuilder::loop_over(std::initializer_list<std::string_view> arguments) const {
  if (sizes_vary_) return {};
  std::vector<ir::Shape> operands;
  for (const std::string_view each : arguments)
    if (const ValueId id = original(each); id != ir::kNoValue) operands.push_back(value(id).shape);
  return vectors_in_loops(output().shape, operands, order_);
}

void QuantBuilder::read_order() {
  order_ = MemoryOrder::rows;
  if (!has(kMemoryOrder)) return;
  order_ = text(kMemoryOrder, "") == "mixed" ? MemoryOrder::mixed : MemoryOrder::channels_last;
  std::erase_if(node_.args, [](const ir::Argument& arg) { return arg.name == kMemoryOrder; });
}

std::optional<std::vector<double>> QuantBuilder::known(std::string_view argument) const {
  const ValueId id = original(argument);
  if (id == ir::kNoValue) return std::vector<double>{scalar(argument, 0)};
  const int at = constants_.at(id);
  if (const auto computed = computed_.find(id); computed != computed_.end())
    return ir::to_f64(computed->second);
  if (at < 0) return std::nullopt;
  const ir::Tensor& data = graph_.constants[at].data;
  if (data.elements() > 0 && data.bytes.empty()) return std::nullopt;  // not loaded
  return ir::to_f64(data);
}

bool QuantBuilder::depends_on_inputs(std::string_view argument) const {
  const ValueId id = has(argument) ? original(argument) : ir::kNoValue;
  return id != ir::kNoValue && depends_on_inputs_.at(id);
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
  return shape(value).at(axis);
}

void QuantBuilder::copy_locations(ir::Graph& body) const {
  body.scopes = graph_.scopes;
  body.sources = graph_.sources;
}

std::vector<ValueId> QuantBuilder::emit_again(const std::function<ValueId(ValueId)>& operand,
                                              std::string_view op) {
  ignore_rest("the operation has them again");
  std::vector<ir::Argument> args = node_.args;
  for (ir::Argument& arg : args)
    ir::change_refs(arg.value, [&](ValueId& id) {
      if (id != ir::kNoValue) id = operand(id);
    });
  std::vector<std::pair<DType, ir::Shape>> results;
  for (const ValueId id : node_.outputs) results.emplace_back(value(id).dtype, value(id).shape);
  return emit_all(op.empty() ? ir::op_name(node_.op) : op, std::move(args), results);
}

void QuantBuilder::define_float(ValueId x, ZeroPoint zero_point, bool is_relu, int index) {
  const QuantInfo* to = output_info(index);
  if (to == nullptr) return define(x, index);
  if (zero_point == ZeroPoint::fused && !is_relu) return define(centred_from_fused(x, *to), index);
  std::vector<double> inverse;
  for (const double scale : to->scales) inverse.push_back(as_f32(1 / as_f32(scale)));
  define(centred_from(times(x, inverse, to->axis), *to, zero_point, is_relu), index);
}

void QuantBuilder::define_float(ValueId x, const Vectors& vectors) {
  const QuantInfo* to = output_info();
  if (to == nullptr) return define(x);
  const double inverse = as_f32(1 / as_f32(to->scales.at(0)));
  define(centred_from(times(x, {inverse}, 0), *to, vectors));
}

void QuantBuilder::define_dynamic(ValueId centred, const DynamicScale& scale) {
  define(centred);
  dynamic_[node_.outputs.at(0)] = scale;
}

void QuantBuilder::apply_to_centred(std::string_view op) {
  std::optional<DynamicScale> scale;
  ir::for_each_input(node_, [&](ValueId id) {
    if (const auto found = dynamic_.find(id); found != dynamic_.end()) scale = found->second;
  });
  const std::vector<ValueId> results =
      emit_again([this](ValueId id) { return centred_at(id); }, op);
  for (size_t i = 0; i < results.size(); ++i) {
    define(results[i], static_cast<int>(i));
    if (scale && info_at(node_.outputs[i])) dynamic_[node_.outputs[i]] = *scale;
  }
}

void QuantBuilder::apply_to_integers() {
  const std::vector<ValueId> results =
      emit_again([this](ValueId id) { return float_integers_at(id); });
  for (size_t i = 0; i < results.size(); ++i) {
    const QuantInfo* to = output_info(static_cast<int>(i));
    define(to == nullptr ? results[i] : minus_zero_points(results[i], *to), static_cast<int>(i));
  }
}

void QuantBuilder::apply_and_requantise(const Vectors& vectors) {
  const std::vector<ValueId> results = emit_again([this](ValueId id) { return centred_at(id); });
  for (size_t i = 0; i < results.size(); ++i) {
    const QuantInfo* to = output_info(static_cast<int>(i));
    define(to == nullptr ? results[i] : centred_from(results[i], *to, vectors),
           static_cast<int>(i));
  }
}

void QuantBuilder::apply_to_dequantised(ZeroPoint zero_point) {
  const std::vector<ValueId> results =
      emit_again([this](ValueId id) { return dequantised_at(id); });
  for (size_t i = 0; i < results.size(); ++i)
    define_float(results[i], zero_point, false, static_cast<int>(i));
}

}  // namespace t2n::quant
