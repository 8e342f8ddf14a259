// SPDX-License-Identifier: Apache-2.0
// Tensors made from numbers, copies of tensors, and casts.
#include <algorithm>
#include <cmath>

#include "ops/structure/families.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// Constant tensors: every element is `value`, or the number passed as `argument`.
struct FillRow {
  std::string_view op;
  double value;
  std::string_view argument = {};
};
constexpr FillRow kFills[] = {
    {"aten::zeros", 0},
    {"aten::zeros_like", 0},
    {"aten::new_zeros", 0},
    {"aten::ones", 1},
    {"aten::ones_like", 1},
    {"aten::new_ones", 1},
    // Torch does not define their values.
    {"aten::empty.memory_format", 0},
    {"aten::empty_like", 0},
    {"aten::new_empty", 0},
    {"aten::empty_strided", 0},
    {"aten::new_empty_strided", 0},
    {"aten::empty_permuted", 0},
    {"aten::full", 0, "fill_value"},
    {"aten::full_like", 0, "fill_value"},
    {"aten::new_full", 0, "fill_value"},
    {"aten::scalar_tensor", 0, "s"},
    {"aten::tensor.int", 0, "t"},
    {"aten::tensor.float", 0, "t"},
    {"aten::tensor.bool", 0, "t"},
    {"aten::as_tensor.int", 0, "t"},
    {"aten::as_tensor.float", 0, "t"},
    {"aten::as_tensor.bool", 0, "t"},
};

void ignore_placement(const OpView& op) {
  ignore_present(op,
                 {"dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking",
                  "copy", "other", "requires_grad"},
                 "the result shows its dtype, and nothing else has a meaning here");
}

void copy_of_self(const OpView& op, Emitter& out) {
  ignore_placement(op);
  finish(op, out, op.tensor("self"));
}

void copy_of_data(const OpView& op, Emitter& out) {
  ignore_placement(op);
  finish(op, out, op.tensor("data"));
}

void fill(const OpView& op, Emitter& out) {
  ignore_placement(op);
  ignore_present(op, {"self", "size", "stride", "physical_layout"}, "the result shows its shape");
  const auto row = std::find_if(std::begin(kFills), std::end(kFills),
                                [&](const FillRow& r) { return r.op == op.op(); });
  const Ref value = row->argument.empty() ? out.cast(out.scalar(row->value, DType::f32), op.dtype())
                                          : converted_number(op, out, row->argument, op.dtype());
  out.result(out.full(value, op.shape()));
}

/// first + i * step, in the dtype of the result.
void sequence(const OpView& op, Emitter& out, double first, double step) {
  std::vector<double> values(op.sizes()[0]);
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<double>(i) * step;
  const Ref known = out.constant(ir::tensor_of(DType::f64, op.sizes(), values), "range");
  out.result(out.cast(known, op.dtype()));
}

/// Torch converts the bounds to the result's dtype first.
double range_bound(const OpView& op, std::string_view name, double otherwise) {
  if (!op.has_argument(name)) return otherwise;
  const double value = op.f64(name);
  return ir::is_float(op.dtype()) ? value : std::trunc(value);
}

/// first + i * step, if the number of entries, the first entry or the step is symbolic.
void symbolic_sequence(const OpView& op, Emitter& out) {
  const auto is_integer = [&](std::string_view name) {
    return !op.has_argument(name) || op.is_symbolic(name) ||
           op.f64(name) == std::trunc(op.f64(name));
  };
  const bool is_exact = !ir::is_float(op.dtype()) || (is_integer("start") && is_integer("step"));
  const DType dtype = is_exact ? DType::i64 : DType::f64;
  const auto number = [&](std::string_view name) { return converted_number(op, out, name, dtype); };
  Ref y = out.cast(iota(out, op.shape()[0], 0, 1), dtype);
  if (op.has_argument("step") && (op.is_symbolic("step") || op.f64("step") != 1))
    y = mul(out, y, number("step"));
  if (op.has_argument("start") && (op.is_symbolic("start") || op.f64("start") != 0))
    y = add(out, y, number("start"));
  finish(op, out, y);
}

bool is_symbolic_sequence(const OpView& op) {
  return !op.shape()[0].is_constant() || op.is_symbolic("start") ||
         (op.has_argument("step") && op.is_symbolic("step"));
}

void arange(const OpView& op, Emitter& out) {
  ignore_placement(op);
  op.ignore("end", "the length of the result shows it");
  if (is_symbolic_sequence(op)) return symbolic_sequence(op, out);
  sequence(op, out, range_bound(op, "start", 0), range_bound(op, "step", 1));
}

/// start + i * (end - start) / (steps - 1), with bounds that the model computes.
Ref computed_sequence(const OpView& op, Emitter& out) {
  const DType dtype = op.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Dim steps = op.dim("steps");
  const Ref start = operand(op, out, "start", dtype), end = operand(op, out, "end", dtype);
  const Ref numbers = out.cast(iota(out, steps, 0, 1), dtype);
  const Ref share = div(out, numbers, out.size(max(steps - Dim(1), Dim(1)), dtype));
  return add(out, mul(out, share, sub(out, end, start)), start);
}

/// torch computes steps between integers as f64 quotients and truncates the numbers.
void refuse_integers(const OpView& op) {
  if (!ir::is_float(op.dtype())) op.refuse_op(Limit::quotient_f64, "compute it in float32");
}

void linspace(const OpView& op, Emitter& out) {
  ignore_placement(op);
  if (!op.shape()[0].is_constant()) {
    refuse_integers(op);
    return finish(op, out, computed_sequence(op, out));
  }
  const double start = op.f64("start"), end = op.f64("end");
  const auto steps = static_cast<double>(op.i64("steps"));
  sequence(op, out, start, steps > 1 ? (end - start) / (steps - 1) : 0);
}

void computed_linspace(const OpView& op, Emitter& out) {
  ignore_placement(op);
  refuse_integers(op);
  finish(op, out, computed_sequence(op, out));
}

void computed_logspace(const OpView& op, Emitter& out) {
  ignore_placement(op);
  refuse_integers(op);
  const Ref exponents = computed_sequence(op, out);
  const Ref base = out.scalar(op.f64("base"), out.dtype(exponents));
  finish(op, out, out.elementwise("pow", {base, exponents}));
}

void logspace(const OpView& op, Emitter& out) {
  if (!op.shape()[0].is_constant()) return computed_logspace(op, out);
  ignore_placement(op);
  const double start = op.f64("start"), end = op.f64("end"), base = op.f64("base");
  const auto steps = static_cast<double>(op.i64("steps"));
  std::vector<double> values(op.sizes()[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const double share = steps > 1 ? static_cast<double>(i) / (steps - 1) : 0;
    values[i] = std::pow(base, start + share * (end - start));
  }
  const Ref known = out.constant(ir::tensor_of(DType::f64, op.sizes(), values), "range");
  out.result(out.cast(known, op.dtype()));
}

/// Both ends are included.
void closed_range(const OpView& op, Emitter& out) {
  ignore_placement(op);
  op.ignore("end", "the length of the result shows it");
  if (is_symbolic_sequence(op)) return symbolic_sequence(op, out);
  sequence(op, out, op.f64("start"), op.has_argument("step") ? op.f64("step") : 1);
}

/// The rows of the entries `positions` of a lower triangle that is read row by row.
Ref triangle_rows(Emitter& out, Ref positions) {
  const Ref one = out.scalar(1, DType::i64), doubled = add(out, positions, positions);
  const Ref square = out.cast(add(out, mul(out, doubled, like(out, 4, doubled)), one), DType::f32);
  const Ref root = out.elementwise("sqrt", {square});  // of floats: at most one row off
  const Ref half = mul(out, sub(out, root, like(out, 1, root)), like(out, 0.5, root));
  const Ref row = out.cast(out.elementwise("floor", {half}), DType::i64);
  const Ref next = add(out, row, one), end = mul(out, next, add(out, next, one));
  const Ref is_low = compare(out, "ge", doubled, end);
  const Ref is_high = compare(out, "lt", doubled, mul(out, row, next));
  return sub(out, add(out, row, out.cast(is_low, DType::i64)), out.cast(is_high, DType::i64));
}

/// A triangle of a square of open size: the upper one is the lower one, read from its end.
void open_triangle_indices(const OpView& op, Emitter& out, bool is_upper) {
  op.ignore("col", "the shape rule accepts squares only");
  const int64_t shift = is_upper ? op.i64("offset") : -op.i64("offset");
  const Dim count = op.shape()[1], size = op.dim("row") - shift;
  const auto from_end = [&](Ref index, const Dim& n) {
    return is_upper ? sub(out, out.size(n, DType::i64), add(out, index, like(out, 1, index)))
                    : index;
  };
  const Ref positions = from_end(out.range(count), count), row = triangle_rows(out, positions);
  const Ref start = mul(out, row, add(out, row, like(out, 1, row)));
  const Ref twice = sub(out, add(out, positions, positions), start);
  Ref rows = from_end(row, size), columns = from_end(div(out, twice, like(out, 2, twice)), size);
  Ref& moved = is_upper ? columns : rows;
  moved = add(out, moved, like(out, static_cast<double>(shift), moved));
  finish(op, out, out.concat({out.unsqueeze(rows, {0}), out.unsqueeze(columns, {0})}, 0));
}

/// Row indices, then column indices, of the entries on one side of a diagonal.
template <bool kUpper>
void triangle_indices(const OpView& op, Emitter& out) {
  ignore_placement(op);
  if (!op.shape()[1].is_constant()) return open_triangle_indices(op, out, kUpper);
  const int64_t rows = op.i64("row"), columns = op.i64("col"), offset = op.i64("offset");
  Ints first, second;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      if (kUpper ? j - i < offset : j - i > offset) continue;
      first.push_back(i);
      second.push_back(j);
    }
  first.insert(first.end(), second.begin(), second.end());
  out.result(out.cast(int_constant(out, first, op.sizes(), "indices"), op.dtype()));
}

/// Outside of training nothing is dropped.
void native_dropout(const OpView& op, Emitter& out) {
  const bool is_training = op.is_none("train") || op.boolean("train");
  if (op.f64("p") != 0 && is_training)
    op.refuse("train", Limit::random_numbers, "call model.eval() before saving the model");
  finish(op, out, op.tensor("input"), 0);
  out.result(out.full(out.scalar(true), op.shape(1)), 1);
}

Ref padded_at(Emitter& out, Ref x, int64_t before, int64_t after, double value) {
  std::vector<std::pair<int64_t, int64_t>> padding(static_cast<size_t>(out.rank(x)), {0, 0});
  padding[0] = {before, after};
  return before + after == 0 ? x : out.pad(x, padding, value);
}

/// Sequences of different lengths, side by side.
void pad_sequence(const OpView& op, Emitter& out) {
  const bool is_left = op.one_of("padding_side", {"left", "right"}) == "left";
  const bool batch_first = op.boolean("batch_first");
  const double value = op.f64("padding_value");
  const std::vector<Ref> sequences = op.tensors("sequences");
  int64_t longest = 0;
  for (const Ref x : sequences) longest = std::max(longest, extent(out, x, 0));
  std::vector<Ref> parts;
  for (const Ref x : sequences) {
    const int64_t missing = longest - extent(out, x, 0);
    const Ref y = padded_at(out, x, is_left ? missing : 0, is_left ? 0 : missing, value);
    parts.push_back(out.unsqueeze(y, {batch_first ? 0 : 1}));
  }
  finish(op, out, out.concat(parts, batch_first ? 0 : 1));
}

void shape_as_tensor(const OpView& op, Emitter& out) {
  const Shape shape = out.shape(op.tensor("self"));
  if (!is_static(shape)) {
    std::vector<Ref> parts;
    for (const Dim& size : shape) parts.push_back(at_least_1d(out, out.size(size, DType::i64)));
    return out.result(out.concat(parts, 0));
  }
  const Ints sizes = ir::static_shape(shape);
  out.result(int_constant(out, sizes, {static_cast<int64_t>(sizes.size())}, "shape"));
}

void eye(const OpView& op, Emitter& out) {
  ignore_placement(op);
  ignore_present(op, {"n", "m"}, "the result shows its shape");
  if (!is_static(op.shape()))
    return finish(
        op, out,
        compare(out, "eq", iota(out, op.shape()[0], 0, 2), iota(out, op.shape()[1], 1, 2)));
  const Ints sizes = op.sizes();
  Ints values(static_cast<size_t>(ir::element_count(sizes)), 0);
  for (int64_t i = 0; i < std::min(sizes[0], sizes[1]); ++i) values[i * sizes[1] + i] = 1;
  out.result(out.cast(int_constant(out, values, sizes, "eye"), op.dtype()));
}

/// The number of classes is one more than the largest value.
void unbacked_classes(const OpView& op, Emitter& out, Ref index) {
  const int rank = out.rank(index);
  const Ref numbers = out.cast(index, DType::i64);
  const Ref largest = out.squeeze(reduce(out, "max_reduce", flattened(out, numbers), {0}), {0});
  const Ref classes =
      unbacked_range(out, add(out, largest, out.scalar(int64_t{1}, DType::i64)), op.shape().back());
  Ints leading;
  for (int axis = 0; axis < rank; ++axis) leading.push_back(axis);
  finish(op, out,
         compare(out, "eq", out.unsqueeze(numbers, {rank}), out.unsqueeze(classes, leading)));
}

void one_hot(const OpView& op, Emitter& out) {
  const Ref index = op.tensor("self");
  const Dim classes = op.dim("num_classes");
  const int rank = out.rank(index);
  if (classes.is_constant() && classes.value() < 0) {
    if (!is_unbacked(op.shape().back()) || !out.has(Feature::non_zero))
      op.refuse("num_classes", Limit::data_dependent_shape, "pass num_classes to one_hot");
    return unbacked_classes(op, out, index);
  }
  const Ref wide = out.unsqueeze(out.cast(index, DType::i64), {rank});
  finish(op, out, compare(out, "eq", wide, iota(out, classes, rank, rank + 1)));
}

void register_sequences(Registry& r) {
  r.same({"aten::arange", "aten::arange.start", "aten::arange.start_step"},
         {"tract_core_range", "start + i * step, below end", arange});
  r.same({"aten::range", "aten::range.step"},
         {"variable", "start + i * step, up to end", closed_range});
  r.same({"aten::linspace"}, {"variable", "steps numbers from start to end", linspace});
  r.same({"aten::linspace.Tensor_Tensor", "aten::linspace.Tensor_Scalar",
          "aten::linspace.Scalar_Tensor"},
         {"mul", "steps numbers from start to end", computed_linspace, {}, "integers"});
  r.same({"aten::logspace"}, {"variable", "base ** (steps numbers from start to end)", logspace});
  r.same({"aten::logspace.Tensor_Tensor", "aten::logspace.Tensor_Scalar",
          "aten::logspace.Scalar_Tensor"},
         {"pow", "base ** (steps numbers from start to end)", computed_logspace, {}, "integers"});
  r.same({"aten::tril_indices"},
         {"variable", "rows and columns of the entries up to a diagonal", triangle_indices<false>});
  r.same({"aten::triu_indices"}, {"variable", "rows and columns of the entries from a diagonal on",
                                  triangle_indices<true>});
}

Bounds range_bounds(const OperandBounds& x) { return hull(hull(x.at("start"), x.at("end")), {}); }

Bounds pad_bounds(const OperandBounds& x) { return hull(x.at("sequences"), x.at("padding_value")); }

Bounds fill_bounds(const OperandBounds& x) { return x.at("fill_value"); }

}  // namespace

void register_creation(Registry& r) {
  const Shared copy{"tract_core_cast", "self, cast to the result's dtype", copy_of_self};
  r.elementwise({"aten::to.device",
                 "aten::to.dtype",
                 "aten::to.dtype_layout",
                 "aten::to.prim_Device",
                 "aten::to.prim_dtype",
                 "aten::to.prim_other",
                 "aten::_to_copy",
                 "aten::clone",
                 "aten::contiguous",
                 "aten::detach",
                 "aten::detach_copy",
                 "aten::alias",
                 "aten::alias_copy",
                 "aten::lift",
                 "aten::lift_fresh",
                 "aten::lift_fresh_copy",
                 "aten::cpu",
                 "aten::resolve_conj",
                 "aten::resolve_neg",
                 "aten::_cast_Byte",
                 "aten::_cast_Char",
                 "aten::_cast_Double",
                 "aten::_cast_Float",
                 "aten::_cast_Half",
                 "aten::_cast_Int",
                 "aten::_cast_Long",
                 "aten::_cast_Short",
                 "t2n::cast"},
                copy);
  r.same({"aten::to.other", "aten::type_as"}, copy);
  r.elementwise({"aten::as_tensor"},
                {"tract_core_cast", "data, cast to the result's dtype", copy_of_data});
  for (const FillRow& row : kFills)
    r.same({row.op},
           {"tract_core_broadcast",
            row.argument.empty() ? "zeros or ones" : "one number in every element", fill});
  register_sequences(r);
  r.elementwise({"aten::native_dropout"},
                {"", "input, and a mask of ones", native_dropout, {}, "train=True: it is random"});
  r.same({"aten::pad_sequence"},
         {"pad", "sequences of several lengths side by side", pad_sequence});
  r.same({"aten::_shape_as_tensor"}, {"variable", "sizes as a tensor", shape_as_tensor});
  r.same({"aten::eye", "aten::eye.m"}, {"variable", "1 on the diagonal, else 0", eye});
  r.same({"aten::one_hot"}, {"eq",
                             "1 where the class equals self, else 0, along a new last axis",
                             one_hot,
                             {},
                             "num_classes=-1"});
  r.bounds({bounds::flag}, "ones ones_like new_ones eye one_hot");
  r.bounds({bounds::count}, "tril_indices triu_indices _shape_as_tensor randperm");
  r.bounds({range_bounds}, "arange range linspace");
  r.bounds({fill_bounds}, "full full_like new_full");
  r.bounds({bounds::nothing}, "zeros zeros_like new_zeros empty empty_like new_empty");
  r.bounds({bounds::kept}, "clone alias contiguous detach scalar_tensor resolve_conj lift_fresh");
  r.bounds({pad_bounds}, "pad_sequence");
  r.zero_signs(ZeroSign::propagated, "t2n::cast to _to_copy clone contiguous detach alias");
  r.rearranges({}, "alias clone contiguous detach lift_fresh lift_fresh_copy");
}

}  // namespace t2n::ops
