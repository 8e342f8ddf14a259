// SPDX-License-Identifier: Apache-2.0
// Normalisations: by stored statistics, or by those of the tensor itself over some axes.
#include <algorithm>
#include <limits>

#include "ops/layers/families.h"
#include "ops/reduction/reduce.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// One value per channel for [N, C, …]: tract adds the missing axes at the end. torch accepts as
/// many numbers as channels in any shape.
Ref per_channel(Emitter& out, Ref x) { return out.unsqueeze(flattened(out, widened(out, x)), {0}); }

Ref per_channel_or(const OpView& op, Emitter& out, std::string_view name, double value,
                   DType dtype) {
  const auto tensor = op.opt_tensor(name);
  return tensor ? per_channel(out, *tensor) : out.scalar(value, dtype);
}

Ref eps_of(const OpView& op, Emitter& out, DType dtype) { return out.scalar(op.f64("eps"), dtype); }

/// y * weight + bias, each if present.
Ref affine(Emitter& out, Ref y, std::optional<Ref> weight, std::optional<Ref> bias) {
  if (weight) y = mul(out, y, widened(out, *weight));
  if (bias) y = add(out, y, widened(out, *bias));
  return y;
}

/// The axes of a normalisation, for outputs that only the backward pass needs.
struct NormAxes {
  Ref x;
  Ints axes;
  Ref eps;
};

/// 1 / sqrt(mean(x^2) + eps)
Ref inverse_root(Emitter& out, Ref x, const NormAxes& norm) {
  const Ref mean = reduce(out, "mean_reduce", mul(out, x, x), norm.axes);
  return out.elementwise("rsqrt", {add(out, mean, norm.eps)});
}

void statistic_result(const OpView& op, Emitter& out, Ref y, int index) {
  if (op.is_used(index))
    out.result(out.cast(out.reshape(y, op.shape(index)), op.dtype(index)), index);
}

/// The mean and 1 / sqrt(var + eps); a norm without a mean gives the second only.
void finish_statistics(const OpView& op, Emitter& out, const NormAxes& norm) {
  if (op.outputs() == 2) statistic_result(op, out, inverse_root(out, norm.x, norm), 1);
  if (op.outputs() < 3) return;
  const Ref mean = reduce(out, "mean_reduce", norm.x, norm.axes);
  statistic_result(op, out, mean, 1);
  statistic_result(op, out, inverse_root(out, sub(out, norm.x, mean), norm), 2);
}

/// With stored statistics torch leaves these outputs empty.
void finish_empty_statistics(const OpView& op, Emitter& out) {
  for (int i = 1; i < op.outputs(); ++i)
    if (op.is_used(i))
      out.result(out.constant(ir::allocate(op.dtype(i), op.sizes(i)).tensor, "empty"), i);
}

Ref normalised(Emitter& out, Ref x, Ref eps, const Ints& axes) {
  const bool is_symbolic = std::any_of(
      axes.begin(), axes.end(), [&](int64_t axis) { return !size_of(out, x, axis).is_constant(); });
  if (is_symbolic && out.has(target::Feature::open_sizes)) {
    const Ref centred = sub(out, x, reduce(out, "mean_reduce", x, axes));
    return mul(out, centred, inverse_root(out, centred, {x, axes, eps}));
  }
  const bool is_f64 = out.dtype(x) == DType::f64;
  return out.call(is_f64 ? "t2n_layer_norm_f64" : "t2n_layer_norm", {x, eps}, {{"axes", axes}},
                  out.dtype(x), out.shape(x));
}

Ref by_stored_statistics(const OpView& op, Emitter& out, Ref x) {
  const DType dtype = out.dtype(x);
  const std::vector<Ref> operands = {x,
                                     per_channel(out, op.tensor("running_mean")),
                                     per_channel(out, op.tensor("running_var")),
                                     per_channel_or(op, out, "bias", 0, dtype),
                                     per_channel_or(op, out, "weight", 1, dtype),
                                     eps_of(op, out, dtype)};
  return out.call("batch_normalization", operands, {}, dtype, out.shape(x));
}

/// `weight` and `bias` of one value per channel, with rank enough to broadcast.
std::optional<Ref> channel_tensor(const OpView& op, Emitter& out, std::string_view name, int rank) {
  const auto tensor = op.opt_tensor(name);
  if (!tensor) return {};
  Ints trailing;
  for (int axis = 1; axis < rank - 1; ++axis) trailing.push_back(axis);
  return out.unsqueeze(flattened(out, *tensor), trailing);
}

Ref by_own_statistics(const OpView& op, Emitter& out, Ref x, const Ints& axes) {
  const int rank = out.rank(x);
  const Ref y = normalised(out, x, eps_of(op, out, out.dtype(x)), axes);
  return affine(out, y, channel_tensor(op, out, "weight", rank),
                channel_tensor(op, out, "bias", rank));
}

Ints axes_but_channels(int rank, int first) {
  Ints axes;
  for (int axis = first; axis < rank; ++axis)
    if (axis != 1) axes.push_back(axis);
  return axes;
}

/// Statistics of the batch. A model without stored ones uses them in inference too.
void from_batch(const OpView& op, Emitter& out, std::string_view flag, int first_axis) {
  const Ref x = widened(out, op.tensor("input"));
  for (const std::string_view name : {"running_mean", "running_var"})
    if (op.has_argument(name) && !op.is_none(name))
      op.refuse(flag, Limit::running_statistics, "call model.eval() before saving the model");
  const Ints axes = axes_but_channels(out.rank(x), first_axis);
  out.result(out.cast(by_own_statistics(op, out, x, axes), op.dtype()));
  finish_statistics(op, out, {x, axes, eps_of(op, out, out.dtype(x))});
}

void batch_norm(const OpView& op, Emitter& out) {
  op.ignore("momentum", "updates statistics, in training");
  ignore_present(op, {"cudnn_enabled"}, "chooses a kernel");
  if (op.has_argument("training") && op.boolean("training"))
    return from_batch(op, out, "training", 0);
  const Ref y = by_stored_statistics(op, out, widened(out, op.tensor("input")));
  out.result(out.cast(y, op.dtype()));
  finish_empty_statistics(op, out);
}

void instance_norm(const OpView& op, Emitter& out) {
  op.ignore("momentum", "updates statistics, in training");
  op.ignore("cudnn_enabled", "chooses a kernel");
  if (op.boolean("use_input_stats")) return from_batch(op, out, "use_input_stats", 2);
  const Ref y = by_stored_statistics(op, out, widened(out, op.tensor("input")));
  out.result(out.cast(y, op.dtype()));
}

Ints last_axes(int rank, size_t count) {
  Ints axes;
  for (int axis = rank - static_cast<int>(count); axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

void layer_norm(const OpView& op, Emitter& out) {
  ignore_present(op, {"cudnn_enable"}, "chooses a kernel");
  const Ref x = widened(out, op.tensor("input"));
  const Ints axes = last_axes(out.rank(x), op.dims("normalized_shape").size());
  const Ref eps = eps_of(op, out, out.dtype(x));
  const Ref y = normalised(out, x, eps, axes);
  out.result(out.cast(affine(out, y, op.opt_tensor("weight"), op.opt_tensor("bias")), op.dtype()));
  finish_statistics(op, out, {x, axes, eps});
}

/// Without `eps` torch takes the machine epsilon of its compute dtype, f32 for half floats.
double rms_eps(const OpView& op, DType dtype) {
  const auto eps = op.opt_f64("eps");
  if (eps) return *eps;
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : static_cast<double>(std::numeric_limits<float>::epsilon());
}

void finish_rms_norm(const OpView& op, Emitter& out, Ref y, const NormAxes& norm) {
  out.result(out.cast(affine(out, y, op.opt_tensor("weight"), {}), op.dtype()));
  finish_statistics(op, out, norm);
}

void rms_norm(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("input"));
  const Ints axes = last_axes(out.rank(x), op.dims("normalized_shape").size());
  const double eps = rms_eps(op, out.dtype(x));
  const bool is_f64 = out.dtype(x) == DType::f64;
  const Ref scalar = out.scalar(eps, out.dtype(x));
  const Ref y = out.call(is_f64 ? "t2n_rms_norm_f64" : "t2n_rms_norm", {x, scalar},
                         {{"axes", axes}}, out.dtype(x), out.shape(x));
  finish_rms_norm(op, out, y, {x, axes, scalar});
}

/// tract's own operation takes one axis, and computes f64 in f32.
void rms_norm_core(const OpView& op, Emitter& out) {
  const Ref input = op.tensor("input");
  if (op.dims("normalized_shape").size() != 1 || out.dtype(input) == DType::f64)
    return rms_norm(op, out);
  const Ref x = widened(out, input);
  const int last = out.rank(x) - 1;
  const double eps = rms_eps(op, out.dtype(x));
  const Ref y =
      out.call(op.nnef(), {x}, {{"axis", last}, {"eps", eps}}, out.dtype(x), out.shape(x));
  finish_rms_norm(op, out, y, {x, {last}, out.scalar(eps, out.dtype(x))});
}

/// [N, groups, the rest], normalised over the rest.
void group_norm(const OpView& op, Emitter& out) {
  const bool is_native = op.has_argument("group");
  ignore_present(op, {"cudnn_enabled"}, "chooses a kernel");
  ignore_present(op, {"N", "C", "HxW"}, "they are the sizes of the input");
  const Ref x = widened(out, op.tensor("input"));
  const Shape shape = out.shape(x);
  const int64_t groups = op.i64(is_native ? "group" : "num_groups");
  Dim rest = floor_div(shape.at(1), groups);
  for (size_t i = 2; i < shape.size(); ++i) rest = rest * shape[i];
  const Ref grouped = out.reshape(x, {shape[0], groups, rest});
  const Ref eps = eps_of(op, out, out.dtype(x));
  const Ref y = out.reshape(normalised(out, grouped, eps, {2}), shape);
  const int rank = out.rank(x);
  const Ref scaled = affine(out, y, channel_tensor(op, out, "weight", rank),
                            channel_tensor(op, out, "bias", rank));
  out.result(out.cast(scaled, op.dtype()));
  finish_statistics(op, out, {grouped, {2}, eps});
}

/// v * (g / ||v||), the norm taken over all axes but `dim`; over all of them for -1.
void weight_norm(const OpView& op, Emitter& out) {
  const Ref v = widened(out, op.tensor("v"));
  const int rank = out.rank(v);
  const int64_t dim = op.i64("dim");
  Ints axes = all_axes(rank);
  if (dim != -1) axes.erase(axes.begin() + dim);
  Ref norm = out.elementwise("sqrt", {reduce(out, "sum_reduce", mul(out, v, v), axes)});
  if (dim == -1) norm = out.squeeze(norm, axes);
  const Ref y = mul(out, v, div(out, widened(out, op.tensor("g")), norm));
  out.result(out.cast(y, op.dtype()));
  if (op.outputs() > 1) out.result(out.cast(norm, op.dtype(1)), 1);
}

/// Entries of an axis whose norm exceeds `maxnorm` are scaled to about it: torch adds 1e-7.
void renorm(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  Ints axes = all_axes(out.rank(x));
  axes.erase(axes.begin() + op.axis("dim"));
  const Ref norm = vector_norm(out, x, op.f64("p"), axes);
  const Ref limit = op.number("maxnorm", out.dtype(x));
  const Ref factor = div(out, limit, add(out, norm, like(out, 1e-7, norm)));
  const Ref one = like(out, 1, norm);
  const Ref scale = select(out, compare(out, "gt", norm, limit), factor, one);
  out.result(out.cast(mul(out, x, scale), op.dtype()));
}

/// Each parameter has one element per channel, in any shape.
void require_channels(const ShapeView& op) {
  for (const char* name : {"weight", "bias", "running_mean", "running_var"})
    if (op.has(name)) op.unified(shapes::product(op.shape(name)), op.shape("input").at(1));
}

Shapes by_channel_shapes(const ShapeView& op) {
  require_channels(op);
  return {op.shape("input")};
}

/// The last axes have the sizes of `normalized_shape`, and so have the parameters.
void require_last(const ShapeView& op) {
  const Shape size = op.dims("normalized_shape");
  for (const Dim& each : size)  // tract divides by it
    if (!each.is_constant()) op.require(each, Relation::ge, 1);
  op.unified(last_dims(op.shape("input"), size.size()), size);
  for (const char* name : {"weight", "bias"})
    if (op.is_tensor(name)) op.unified(op.shape(name), size);
}

Shapes over_last_shapes(const ShapeView& op) {
  require_last(op);
  return {op.shape("input")};
}

/// The statistics have size 1 along the normalised axes.
Shapes layer_norm_shapes(const ShapeView& op) {
  require_last(op);
  const Shape& x = op.shape("input");
  Shape statistics = x;
  const size_t count = op.dims("normalized_shape").size();
  for (size_t i = x.size() - count; i < x.size(); ++i) statistics[i] = 1;
  Shapes out = repeated(op, statistics);
  out.at(0) = x;
  return out;
}

Shapes group_norm_shapes(const ShapeView& op) {
  require_channels(op);
  const Shape statistics = {op.dim("N"), op.dim("group")};
  return {op.shape("input"), statistics, statistics};
}

/// Statistics per channel in training; otherwise empty ones.
Shapes batch_norm_shapes(const ShapeView& op) {
  require_channels(op);
  const Shape& x = op.shape("input");
  Shapes out = repeated(op, Shape{op.boolean("training") ? x.at(1) : Dim(0)});
  out.at(0) = x;
  return out;
}

/// One norm for each index of `dim`.
Shapes weight_norm_shapes(const ShapeView& op) {
  return op.outputs() == 1 ? Shapes{op.shape("v")} : Shapes{op.shape("v"), op.shape("g")};
}

}  // namespace

void register_norm(Registry& r) {
  r.same({"aten::batch_norm", "aten::native_batch_norm", "aten::_native_batch_norm_legit",
          "aten::_native_batch_norm_legit.no_stats", "aten::_native_batch_norm_legit_no_training",
          "aten::_batch_norm_no_update"},
         {"batch_normalization",
          "(input - mean) / sqrt(var + eps) * weight + bias",
          batch_norm,
          {},
          "training=True with running statistics is refused"});
  r.same({"aten::instance_norm"}, {"t2n_layer_norm",
                                   "batch_norm of each example by itself",
                                   instance_norm,
                                   {},
                                   "use_input_stats=True with running statistics is refused"});
  r.same({"aten::layer_norm", "aten::native_layer_norm"},
         {"t2n_layer_norm", "(input - mean) / sqrt(var + eps) * weight + bias over the last axes",
          layer_norm});
  r.same({"aten::group_norm", "aten::native_group_norm"},
         {"t2n_layer_norm", "layer_norm over groups of channels", group_norm});
  r.add({.op = "aten::rms_norm",
         .also = {"aten::_fused_rms_norm"},
         .doc = "input / sqrt(mean(input^2) + eps) * weight over the last axes",
         .variants = {{has(Feature::core_rms_norm), "tract_core_rms_norm", rms_norm_core},
                      {any_target(), "t2n_rms_norm", rms_norm}}});
  r.same({"aten::_weight_norm", "aten::_weight_norm_interface"},
         {"sqrt", "v * (g / norm(v))", weight_norm});
  r.same({"aten::renorm"},
         {"sqrt", "self * min(1, maxnorm / norm(self)) for each entry of dim", renorm});
  r.shapes(by_channel_shapes, "batch_norm group_norm instance_norm");
  r.shapes(over_last_shapes, "layer_norm rms_norm");
  r.shapes(layer_norm_shapes, "native_layer_norm _fused_rms_norm");
  r.shapes(group_norm_shapes, "native_group_norm");
  r.shapes(batch_norm_shapes,
           "native_batch_norm _native_batch_norm_legit "
           "_native_batch_norm_legit_no_training _batch_norm_no_update");
  r.shapes(weight_norm_shapes, "_weight_norm _weight_norm_interface");
  r.shapes(shapes::same, "renorm");
}

}  // namespace t2n::ops
