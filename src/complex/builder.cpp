// SPDX-License-Identifier: Apache-2.0
#include "src/complex/builder.h"

#include <algorithm>

#include "ir/prove.h"
#include "src/diag/error.h"

namespace t2n::complex {

PairBuilder::PairBuilder(ir::Graph& graph, const ir::OpTable& operators)
    : Rewriter(graph), operators_(operators) {
  for (ir::Constant& constant : graph_.constants)
    constant.data = ir::as_pairs(std::move(constant.data));
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    complex_.push_back(ir::is_complex(graph_.values[i].dtype));
    if (complex_.back()) make_pairs(static_cast<ValueId>(i));
  }
}

void PairBuilder::make_pairs(ValueId id) {
  value(id).dtype = ir::component_dtype(value(id).dtype);
  value(id).shape.emplace_back(2);
}

bool PairBuilder::is_complex(ValueId original) const {
  return original != ir::kNoValue && complex_.at(original);
}

bool PairBuilder::involves_complex() const {
  bool found = std::any_of(node_.outputs.begin(), node_.outputs.end(),
                           [this](ValueId id) { return is_complex(id); });
  ir::for_each_input(node_, [&](ValueId id) { found = found || is_complex(id); });
  for (const ir::Argument& arg : node_.args)
    found = found || std::holds_alternative<std::complex<double>>(arg.value);
  return found;
}

bool PairBuilder::is_complex_tensor(std::string_view argument) const {
  const ValueId id = ir::operand(node_, argument);
  return id != ir::kNoValue && is_complex(id);
}

bool PairBuilder::is_complex(std::string_view argument) const {
  const Attr* attr = node_.find(argument);
  return is_complex_tensor(argument) ||
         (attr != nullptr && std::holds_alternative<std::complex<double>>(*attr));
}

std::complex<double> PairBuilder::number_of(std::string_view argument) const {
  const Attr* attr = node_.find(argument);
  T2N_ASSERT(attr != nullptr, ir::op_name(node_.op), " has no argument '", argument, "'");
  if (const auto* number = std::get_if<std::complex<double>>(attr)) return *number;
  if (const auto* number = std::get_if<double>(attr)) return *number;
  if (const auto* number = std::get_if<bool>(attr)) return *number ? 1.0 : 0.0;
  const auto* dim = std::get_if<Dim>(attr);
  T2N_ASSERT(dim != nullptr, ir::op_name(node_.op), ": '", argument, "' is no number");
  return static_cast<double>(dim->value());
}

Complex PairBuilder::operand(std::string_view argument) {
  const ValueId id = tensor(argument);
  if (id == ir::kNoValue) {
    const std::complex<double> plain = number_of(argument);
    return {number(plain.real(), component()),
            is_complex(argument) ? number(plain.imag(), component()) : ir::kNoValue};
  }
  if (!is_complex_tensor(argument)) return {cast(id, component())};
  const Complex both = parts(id);
  return {cast(both.re, component()), cast(both.im, component())};
}

ValueId PairBuilder::operand_pairs(std::string_view argument) {
  const ValueId id = tensor(argument);
  if (id == ir::kNoValue) {
    const std::complex<double> plain = number_of(argument);
    return constant({2}, {plain.real(), plain.imag()}, component());
  }
  const ValueId typed = cast(id, component());
  return is_complex_tensor(argument) ? typed : pairs(typed);
}

DType PairBuilder::component() const {
  if (is_output_complex()) {
    const DType out = output().dtype;
    return node_.compute_dtype == DType::c128 ? DType::f64 : out;
  }
  bool wide = node_.compute_dtype == DType::c128;
  ir::for_each_input(node_, [&](ValueId id) {
    wide = wide || (is_complex(id) && dtype(resolve(id)) == DType::f64);
  });
  return wide ? DType::f64 : DType::f32;
}

bool PairBuilder::is_output_complex(int index) const { return is_complex(node_.outputs.at(index)); }

Shape PairBuilder::output_shape(int index) const {
  Shape shape = output(index).shape;
  if (is_output_complex(index)) shape.pop_back();
  return shape;
}

bool PairBuilder::proves(const ir::Comparison& relation) const {
  return ir::prove(relation, ir::relations(graph_)) == ir::Verdict::always;
}

ValueId PairBuilder::with_zeros(ValueId x, int axis, const Dim& count) {
  if (count.is_constant()) return pad(x, axis, 0, count.value());
  Shape to = shape(x);
  to[axis] = to[axis] + count;
  std::vector<Dim> amounts(2 * static_cast<size_t>(rank(x) - axis), Dim(0));
  amounts.back() = count;
  return emit("aten::constant_pad_nd",
              {{"self", TensorRef{x}}, {"pad", amounts}, {"value", Dim(0)}}, dtype(x), to);
}

Complex PairBuilder::parts(ValueId pairs) {
  const auto found = parts_.find(pairs);
  if (found != parts_.end()) return found->second;
  const int axis = rank(pairs) - 1;
  const Complex both{select(pairs, axis, 0), select(pairs, axis, 1)};
  parts_.emplace(pairs, both);
  return both;
}

ValueId PairBuilder::pairs(ValueId real) {
  return pad(unsqueeze(real, rank(real)), rank(real), 0, 1);
}

ValueId PairBuilder::pairs(const Complex& x, const Shape& to) {
  const ValueId re = expand(x.re, to);
  if (x.is_real()) return pairs(re);
  const ValueId im = expand(x.im, to);
  Shape both = to;
  both.emplace_back(2);
  const ValueId out =
      emit("aten::stack",
           {{"tensors", ir::TensorRefs{{re, im}}}, {"dim", Dim(static_cast<int64_t>(to.size()))}},
           dtype(re), both);
  parts_.emplace(out, Complex{re, im});
  return out;
}

void PairBuilder::define(const Complex& result, int index) {
  T2N_ASSERT(is_output_complex(index), ir::op_name(node_.op), " has a real result");
  define(pairs(result, output_shape(index)), index);
}

}  // namespace t2n::complex
