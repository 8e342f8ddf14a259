#include "src/translate/integer_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "src/diag/error.h"

namespace t2n::ops {
namespace {

using ir::ValueId;

Bounds plus(Bounds a, Bounds b) { return {a.low + b.low, a.high + b.high}; }

Bounds times(Bounds a, Bounds b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

Bounds sum_of(const Operands& x) {
  return plus(x.at("self"), times(x.at("alpha", {1, 1}), x.at("other")));
}
Bounds difference(const Operands& x) {
  return plus(x.at("self"), times({-1, -1}, times(x.at("alpha", {1, 1}), x.at("other"))));
}
Bounds reversed_difference(const Operands& x) {
  return plus(x.at("other"), times({-1, -1}, times(x.at("alpha", {1, 1}), x.at("self"))));
}
Bounds product(const Operands& x) { return times(x.at("self"), x.at("other")); }
Bounds negation(const Operands& x) { return times({-1, -1}, x.at("self")); }
Bounds absolute_value(const Operands& x) { return {0, magnitude(x.at("self"))}; }
Bounds square(const Operands& x) { return {0, std::pow(magnitude(x.at("self")), 2)}; }

Bounds power(const Operands& x) {
  const double base = std::max(1.0, magnitude(x.at("self")));
  return within(std::pow(base, std::max(0.0, x.at("exponent").high)));
}

Bounds total(const Operands& x) {
  const double terms = elements(x.shape(0)) / std::max(1.0, elements(x.output().shape));
  return times(hull(x.at("self"), {}), {terms, terms});
}
Bounds running_total(const Operands& x) {
  const double terms = x.axis_size("dim");
  return times(hull(x.at("self"), {}), {terms, terms});
}
Bounds running_product(const Operands& x) {
  return within(std::pow(std::max(1.0, magnitude(x.at("self"))), x.axis_size("dim")));
}
Bounds differences(const Operands& x) {
  return within(magnitude(x.at("self")) * std::exp2(x.at("n", {1, 1}).high));
}

/// self * other, summed over the first one's last axis.
Bounds plain_product(const Operands& x) {
  const ir::Shape& shape = x.shape(0);
  double out = shape.empty() ? 1 : static_cast<double>(shape.back().value());
  for (const std::string_view name : {"self", "other", "mat2", "vec", "tensor", "input", "weight"})
    out *= magnitude(x.at(name, {1, 1}));
  return within(out + magnitude(x.at("bias")));
}

/// Sums of products of any number of tensors, with an added tensor.
Bounds mixed_product(const Operands& x) {
  double all = 1, most = 1, out = 1;
  for (const ValueId id : x.tensors()) {
    all *= elements(x.value(id).shape);
    most = std::max(most, elements(x.value(id).shape));
    out *= std::max(1.0, magnitude(x.of(id)));
  }
  const bool is_list = x.has("tensors") || x.has("matrices");
  const double scale = std::max(magnitude(x.at("alpha", {1, 1})), magnitude(x.at("beta", {1, 1})));
  return within(2 * out * (is_list ? all : most) * std::max(1.0, scale));
}

/// Operations that write, add or multiply values into positions.
Bounds put(const Operands& x) {
  const Bounds self = x.at("self");
  Bounds update;
  for (const std::string_view name : {"src", "source", "values", "value"})
    update = hull(update, x.at(name));
  const double most = x.most();
  const std::string reduction = x.text("reduce");
  if (reduction == "prod" || reduction == "multiply")
    return within(std::max(1.0, magnitude(self)) *
                  std::pow(std::max(1.0, magnitude(update)), most));
  const double scale = magnitude(x.at("alpha", {1, 1}));
  const bool adds = x.has("accumulate") ? x.at("accumulate").high > 0
                                        : !reduction.empty() || !x.is_called("scatter");
  return adds ? plus(self, times(update, {most * scale, most * scale})) : hull(self, update);
}

Bounds added_product(const Operands& x) {
  return plus(x.at("self"), times(x.at("value", {1, 1}), times(x.at("tensor1"), x.at("tensor2"))));
}

/// The bits of both stay below the next power of two.
Bounds bits(const Operands& x) {
  const Bounds both = hull(x.at("self"), x.at("other"));
  double power = 1;
  while (power <= magnitude(both)) power *= 2;
  return both.low >= 0 ? Bounds{0, power - 1} : Bounds{-power, power - 1};
}
Bounds common_bits(const Operands& x) {
  const Bounds a = x.at("self"), b = x.at("other");
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  return b.low >= 0 ? Bounds{0, b.high} : bits(x);
}
Bounds other_bits(const Operands& x) { return plus({-1, -1}, negation(x)); }
Bounds shifted_up(const Operands& x) {
  constexpr double kMost = 64;
  const double power = std::exp2(std::clamp(x.at("other").high, 0.0, kMost));
  return times(x.at("self"), {power, power});
}

// Operations whose results are no larger than their operands.
Bounds kept(const Operands& x) {
  Bounds out;
  for (const std::string_view name :
       {"self", "tensors", "other", "input", "src", "source", "values", "value", "weight", "s"})
    out = hull(out, x.at(name));
  return out;
}
Bounds at_most_self(const Operands& x) { return within(magnitude(x.at("self"))); }
Bounds at_most_other(const Operands& x) { return within(magnitude(x.at("other"))); }
Bounds limited(const Operands& x) {
  constexpr double kNone = std::numeric_limits<double>::max();
  const Bounds self = x.at("self");
  const Bounds least = x.at("min", {-kNone, -kNone}), most = x.at("max", {kNone, kNone});
  return {std::min(std::max(self.low, least.low), most.low),
          std::min(std::max(self.high, least.high), most.high)};
}
Bounds filled(const Operands& x) { return x.at("fill_value"); }
Bounds nothing(const Operands& /*x*/) { return {}; }
Bounds common_divisor(const Operands& x) {
  return {0, std::max(magnitude(x.at("self")), magnitude(x.at("other")))};
}
Bounds count(const Operands& x) { return {-1, x.most()}; }
Bounds length(const Operands& x) { return {1, x.most()}; }
Bounds flag(const Operands& /*x*/) { return {-1, 1}; }
Bounds progression(const Operands& x) { return hull(hull(x.at("start"), x.at("end")), {}); }

struct Row {
  IntegerRule rule;
  std::vector<std::string_view> names;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{sum_of, true, false}, {"add", "__add__"}},
      {{difference, true, false}, {"sub", "subtract"}},
      {{reversed_difference, true, false}, {"rsub"}},
      {{product, true, false}, {"mul", "multiply", "lcm", "kron"}},
      {{negation, true, false}, {"neg", "negative"}},
      {{absolute_value, false, false}, {"abs", "absolute"}},
      {{square, true, false}, {"square"}},
      {{power, true, false}, {"pow"}},
      {{total, true, false}, {"sum", "nansum", "sum_to_size", "trace"}},
      {{running_total, true, false}, {"cumsum"}},
      {{running_product, true, false}, {"prod", "cumprod"}},
      {{differences, true, false}, {"diff"}},
      {{plain_product, true, false},
       {"mm", "bmm", "matmul", "mv", "dot", "vdot", "inner", "linear"}},
      {{mixed_product, true, false},
       {"addmm", "addbmm", "baddbmm", "addmv", "addr", "outer", "ger", "tensordot", "einsum",
        "cross", "linalg_cross", "chain_matmul", "linalg_multi_dot"}},
      {{put, true, false},
       {"scatter", "scatter_add", "scatter_reduce", "index_add", "index_put", "_index_put_impl",
        "_unsafe_index_put", "put"}},
      {{added_product, true, false}, {"addcmul"}},
      {{bits, true, false},
       {"bitwise_or", "bitwise_xor", "__or__", "__xor__", "__ior__", "__ixor__"}},
      {{common_bits, true, false}, {"bitwise_and", "__and__", "__iand__"}},
      {{other_bits, true, false}, {"bitwise_not"}},
      {{shifted_up, true, false}, {"bitwise_left_shift", "__lshift__", "__ilshift__"}},
      {{at_most_self, false, false},
       {"floor_divide", "div", "divide", "bitwise_right_shift", "__rshift__", "__irshift__"}},
      {{at_most_other, false, false}, {"remainder", "fmod"}},
      {{limited, false, false}, {"clamp", "clip", "clamp_min", "clamp_max"}},
      {{flag, false, false}, {"ones", "ones_like", "new_ones", "eye", "one_hot", "sign", "sgn"}},
      {{count, false, false},
       {"argmax", "argmin", "argsort", "searchsorted", "bucketize", "nonzero", "argwhere",
        "count_nonzero", "tril_indices", "triu_indices", "_shape_as_tensor", "bincount",
        "randperm"}},
      {{length, false, false}, {"t2n::sequence_lengths"}},
      {{progression, false, false}, {"arange", "range", "linspace"}},
      {{common_divisor, false, false}, {"gcd"}},
      {{filled, false, false}, {"full", "full_like", "new_full"}},
      {{nothing, false, false},
       {"zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty"}},
      {{kept, false, true},
       {"sort", "topk", "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin", "max", "min",
        "max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices",
        "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"}},
      // clang-format off
      {{kept, false, false},
       {"view", "reshape", "_reshape_alias", "view_as", "reshape_as", "flatten", "ravel", "squeeze",
        "unsqueeze", "expand", "expand_as", "permute", "transpose", "t", "slice", "select", "clone",
        "alias", "contiguous", "detach", "unflatten", "split", "split_with_sizes", "chunk",
        "unsafe_chunk", "unsafe_split", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit",
        "narrow", "cat", "concat", "concatenate", "stack", "_stack", "hstack", "vstack", "dstack",
        "column_stack", "row_stack", "where", "masked_fill", "masked_scatter", "masked_select", "t2n::batch_sizes",
        "index", "_unsafe_index", "index_select", "gather", "take", "take_along_dim", "index_copy",
        "index_fill", "slice_scatter", "select_scatter", "diagonal_scatter", "as_strided",
        "as_strided_scatter", "diagonal", "diag", "diag_embed", "diagflat", "flip", "fliplr",
        "flipud", "roll", "rot90", "repeat", "tile", "broadcast_to", "broadcast_tensors", "movedim",
        "moveaxis", "swapaxes", "swapdims", "adjoint", "mH", "mT", "numpy_T", "matrix_H", "unfold",
        "pad", "constant_pad_nd", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d",
        "replication_pad1d", "replication_pad2d", "replication_pad3d", "_pad_circular", "_pad_enum",
        "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "tril", "triu", "block_diag",
        "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d", "embedding", "copy", "fill",
        "scalar_tensor", "repeat_interleave", "msort", "amax", "amin", "aminmax", "_aminmax",
        "maximum", "minimum", "fmax", "fmin", "relu", "round", "ceil", "floor", "trunc", "fix",
        "nan_to_num", "max_pool1d", "max_pool2d", "max_pool3d", "im2col", "pad_sequence",
        "combinations", "cartesian_prod", "positive", "real", "heaviside", "resolve_conj",
        "lift_fresh"}}};
  // clang-format on
  return table;
}

}  // namespace

bool is_product(const IntegerRule& rule) { return rule.range == product; }

const IntegerRule* find_integer_rule(const ir::Node& node) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const IntegerRule*> out;
    for (const Row& row : rows())
      for (const std::string_view name : row.names)
        T2N_ASSERT(out.emplace(name, &row.rule).second, name, " has two ranges");
    return out;
  }();
  std::string_view name = ir::op_name(node.op);
  if (name.starts_with("aten::")) name.remove_prefix(std::string_view("aten::").size());
  const auto found = by_name.find(name.substr(0, name.find('.')));
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace t2n::ops
