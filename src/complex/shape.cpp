// SPDX-License-Identifier: Apache-2.0
// Rearrangements keep the pairs together; other linear operations act on each part separately.
#include <algorithm>
#include <array>

#include "src/complex/rules.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::complex {
namespace {

/// Operands that select or count, and are not computed with.
bool is_selector(std::string_view argument) {
  constexpr std::array<std::string_view, 5> kNames = {"index", "indices", "mask", "condition",
                                                      "repeats"};
  return is_one_of(argument, kNames);
}

/// The rank of the first complex operand, without the axis of pairs.
int operand_rank(const PairBuilder& b) {
  int rank = -1;
  ir::for_each_input(b.node(), [&](ValueId id) {
    if (rank < 0 && b.is_complex(id)) rank = b.rank(b.resolve(id)) - 1;
  });
  return rank;
}

void count_from_front(Attr& attr, int rank) {
  for (Dim& dim : ir::dims(attr))
    if (dim.value() < 0) dim = dim + Dim(rank);
}

void append_size(Attr& attr, int64_t size) {
  if (const auto* one = std::get_if<Dim>(&attr)) attr = std::vector<Dim>{*one};
  if (auto* many = std::get_if<std::vector<Dim>>(&attr)) many->emplace_back(size);
}

void rearrange_argument(ir::Argument& arg, const ir::Rearrangement& how, int rank) {
  if (arg.name == how.sizes) append_size(arg.value, how.last_size);
  if (arg.name == how.order) {
    count_from_front(arg.value, rank);
    append_size(arg.value, rank);
  }
  if (arg.name == how.axes[0] || arg.name == how.axes[1])
    count_from_front(arg.value, how.adds_axis ? rank + 1 : rank);
}

std::vector<std::pair<ir::DType, Shape>> recorded_results(const PairBuilder& b) {
  std::vector<std::pair<ir::DType, Shape>> out;
  for (size_t i = 0; i < b.node().outputs.size(); ++i) {
    const ir::Value& value = b.output(static_cast<int>(i));
    out.emplace_back(value.dtype, value.shape);
  }
  return out;
}

void define_all(PairBuilder& b, const std::vector<ValueId>& results) {
  for (size_t i = 0; i < results.size(); ++i) b.define(results[i], static_cast<int>(i));
}

/// The same operation on pairs.
void rearrange(PairBuilder& b, const ir::Rearrangement& how) {
  std::vector<ir::Argument> args = b.node().args;
  const int rank = operand_rank(b);
  for (ir::Argument& arg : args) {
    ir::change_refs(arg.value, [&](ValueId& id) {
      const ValueId now = b.resolve(id);
      if (is_selector(arg.name))
        id = now;
      else
        id = b.is_complex(id) ? b.cast(now, b.component()) : b.pairs(b.cast(now, b.component()));
    });
    rearrange_argument(arg, how, rank);
  }
  define_all(b, b.emit_all(ir::op_name(b.node().op), std::move(args), recorded_results(b)));
}

enum class Part { real, imaginary };

/// An argument of an operation that acts on one part. Real operands have no imaginary part.
ValueId part_of(PairBuilder& b, ValueId id, Part part) {
  const ValueId now = b.resolve(id);
  if (b.is_complex(id)) {
    const Complex both = b.parts(now);
    return b.cast(part == Part::real ? both.re : both.im, b.component());
  }
  if (part == Part::real) return b.cast(now, b.component());
  return b.expand(b.number(0, b.component()), b.shape(now));
}

void take_part(PairBuilder& b, ir::Argument& arg, Part part) {
  if (is_selector(arg.name)) {
    ir::change_refs(arg.value, [&](ValueId& id) { id = b.resolve(id); });
    return;
  }
  ir::change_refs(arg.value, [&](ValueId& id) { id = part_of(b, id, part); });
  if (auto* dtype = std::get_if<ir::DType>(&arg.value)) *dtype = ir::component_dtype(*dtype);
  const bool is_number = std::holds_alternative<double>(arg.value) ||
                         std::holds_alternative<Dim>(arg.value) ||
                         std::holds_alternative<std::complex<double>>(arg.value);
  if (arg.name != "value" || !is_number) return;
  const std::complex<double> number = b.number_of(arg.name);
  arg.value = part == Part::real ? number.real() : number.imag();
}

std::vector<ValueId> act_on(PairBuilder& b, Part part, std::string_view op) {
  std::vector<ir::Argument> args = b.node().args;
  for (ir::Argument& arg : args) take_part(b, arg, part);
  std::vector<std::pair<ir::DType, Shape>> results;
  for (size_t i = 0; i < b.node().outputs.size(); ++i)
    results.emplace_back(b.component(), b.output_shape(static_cast<int>(i)));
  return b.emit_all(op, std::move(args), results);
}

void part_by_part(PairBuilder& b) {
  if (b.has("reduce"))
    return b.refuse("values for the same element are not summed",
                    "use scatter_add, or keep the tensors real");
  const std::string_view op = ir::op_name(b.node().op);
  const std::vector<ValueId> re = act_on(b, Part::real, op);
  const std::vector<ValueId> im = act_on(b, Part::imaginary, op);
  for (size_t i = 0; i < re.size(); ++i) b.define(Complex{re[i], im[i]}, static_cast<int>(i));
}

/// Transposed and conjugated.
void adjoint_rule(PairBuilder& b) {
  const ValueId re = act_on(b, Part::real, "aten::mT")[0];
  b.define(Complex{re, b.unary("aten::neg", act_on(b, Part::imaginary, "aten::mT")[0])});
}

/// var(z) = var(re) + var(im)
void variance_rule(PairBuilder& b) {
  std::string op(ir::op_name(b.node().op));
  const bool is_root = b.base_name() == "std";
  if (is_root) op.replace(op.find("std"), 3, "var");
  const ValueId sum =
      b.binary("aten::add.Tensor", act_on(b, Part::real, op)[0], act_on(b, Part::imaginary, op)[0]);
  b.define(is_root ? b.unary("aten::sqrt", sum) : sum);
}

/// The norm of a complex tensor is that of its magnitudes.
void norm_rule(PairBuilder& b) {
  std::vector<ir::Argument> args = b.node().args;
  for (ir::Argument& arg : args) {
    if (arg.name == "self") arg.value = TensorRef{magnitude(b, b.operand("self"))};
    if (auto* dtype = std::get_if<ir::DType>(&arg.value)) *dtype = ir::component_dtype(*dtype);
  }
  b.define(b.emit(ir::op_name(b.node().op), std::move(args), b.output().dtype, b.output().shape));
}

void rearrange_rule(PairBuilder& b) {
  const ir::Rearrangement& how = *b.rearrangement();
  if (b.has("dtype") && b.base_name() == "view")
    return b.refuse("its bytes are read as another dtype", "use torch.view_as_real");
  const bool has_axes = !how.axes[0].empty() && !how.adds_axis;
  const bool all_axes = b.base_name() == "roll" && b.dims("dims").empty();
  if (all_axes || (has_axes && operand_rank(b) == 0)) return part_by_part(b);
  rearrange(b, how);
}

void like_other_rule(PairBuilder& b) {
  if (!b.is_output_complex()) {
    const ValueId self = b.tensor("self");
    const bool is_expand = b.base_name() == "expand_as";
    return b.define(is_expand ? b.expand(self, b.output_shape())
                              : b.reshape(self, b.output_shape()));
  }
  const ValueId self = b.tensor("self");
  b.define(b.base_name() == "expand_as" ? b.expand(self, b.output().shape)
                                        : b.reshape(self, b.output().shape));
}

const PairRules& shape_table() {
  static const PairRules table = {
      {"adjoint", adjoint_rule},    {"expand_as", like_other_rule},
      {"linalg_norm", norm_rule},   {"linalg_vector_norm", norm_rule},
      {"mH", adjoint_rule},         {"matrix_H", adjoint_rule},
      {"norm", norm_rule},          {"reshape_as", like_other_rule},
      {"std", variance_rule},       {"var", variance_rule},
      {"view_as", like_other_rule},
  };
  return table;
}

}  // namespace

PairRule find_shape_rule(const PairBuilder& b) {
  if (const PairRule rule = rule_in(shape_table(), b.base_name())) return rule;
  if (b.rearrangement() != nullptr) return rearrange_rule;
  return b.is_linear() ? part_by_part : nullptr;
}

}  // namespace t2n::complex
