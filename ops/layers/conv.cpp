// SPDX-License-Identifier: Apache-2.0
// Convolutions over one, two or three spatial axes, and their transposes.
#include <algorithm>

#include "ops/layers/families.h"
#include "ops/structure/spatial.h"
#include "ops/structure/window_shapes.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

Convolution read_common(const OpView& op, Emitter& out) {
  Convolution c;
  c.input = op.tensor("input");
  c.weight = op.tensor("weight");
  c.bias = op.opt_tensor("bias");
  const int spatial = out.rank(c.weight) - 2;
  c.stride = op.expand_ints("stride", spatial);
  c.dilation = op.expand_ints("dilation", spatial);
  c.groups = op.i64("groups");
  if (!ir::is_float(out.dtype(c.input)) && out.has(target::Feature::computes_integers))
    op.refuse_op(Limit::integer_convolution, "compute the convolution in float32");
  return c;
}

Pads symmetric(const Ints& padding) {
  Pads out;
  for (const int64_t p : padding) out.emplace_back(p, p);
  return out;
}

/// `same` keeps the size at stride 1; with an odd padding the larger half is at the end, as in
/// torch.
Pads named_padding(const OpView& op, Emitter& out, const Convolution& c) {
  const std::string mode = op.one_of("padding", {"same", "valid"});
  const Ints weight = out.sizes(c.weight);
  Pads pads(c.stride.size());
  if (mode == "valid") return pads;
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t total = c.dilation[i] * (weight[i + 2] - 1);
    pads[i] = {total / 2, total - total / 2};
  }
  return pads;
}

Attributes conv_attributes(const Convolution& c) {
  return {{"border", "constant"},
          {"padding", c.pads},
          {"stride", c.stride},
          {"dilation", c.dilation},
          {"groups", c.groups}};
}

/// Where no part of the kernel reads the entries that the stride leaves out, tract drops them
/// first, and moves that in front of earlier operations, which is wrong for a softmax and fails for
/// reshapes, products, broadcasts, slices and scans. A gather stays where it is.
void gather_strides(Emitter& out, Convolution& c) {
  if (!out.has(target::Feature::moves_strides)) return;
  const Ints kernel = out.sizes(c.weight);
  for (size_t i = 0; i < c.stride.size(); ++i) {
    const bool skips = kernel.at(i + 2) == 1 || c.dilation[i] % c.stride[i] == 0;
    if (c.stride[i] == 1 || !skips || c.pads[i] != Pads::value_type()) continue;
    const int axis = out.rank(c.input) - c.spatial() + static_cast<int>(i);
    c.input = out.slice(c.input, axis, Dim(0), size_of(out, c.input, axis), c.stride[i]);
    c.dilation[i] = std::max<int64_t>(c.dilation[i] / c.stride[i], 1);
    c.stride[i] = 1;
  }
}

/// Half floats are convolved in f32, as in torch: tract's own f16 sums are ten times coarser than
/// the rounding of their result.
void emit(const OpView& op, Emitter& out, Convolution c) {
  gather_strides(out, c);
  std::vector<Ref> operands = {widened(out, batched(out, c.input, c.spatial())),
                               widened(out, c.weight)};
  if (c.bias) operands.push_back(widened(out, *c.bias));
  const Ref y = out.call(op.nnef(), operands, conv_attributes(c), out.dtype(operands[0]),
                         batched_shape(op, c.spatial()));
  batched_result(op, out, out.cast(y, op.dtype()));
}

/// tract expects [O, I/groups, k…] with the groups outermost in O; torch has [I, O/groups, k…].
Ref transposed_weight(Emitter& out, Ref weight, int64_t groups) {
  const Shape shape = out.shape(weight);
  Shape grouped = {groups, shape[0].value() / groups};
  grouped.insert(grouped.end(), shape.begin() + 1, shape.end());
  Ints swap(grouped.size());
  for (size_t i = 0; i < swap.size(); ++i) swap[i] = static_cast<int64_t>(i);
  std::swap(swap[1], swap[2]);
  Shape target = {shape[1] * Dim(groups), grouped[1]};
  target.insert(target.end(), shape.begin() + 2, shape.end());
  return out.reshape(out.transpose(out.reshape(weight, grouped), swap), target);
}

bool any_positive(const Ints& list) {
  return std::any_of(list.begin(), list.end(), [](int64_t p) { return p > 0; });
}

/// The result with the entries that padding would remove, and zeros after them.
Ref longer(Emitter& out, Convolution c, const Ints& extra, Shape shape) {
  const int first = 2;
  Pads zeros(static_cast<size_t>(c.spatial() + first));
  for (size_t i = 0; i < extra.size(); ++i) {
    zeros[i + first].second = std::max<int64_t>(extra[i] - c.pads[i].second, 0);
    c.pads[i].second = std::max<int64_t>(c.pads[i].second - extra[i], 0);
  }
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = shape[i] - Dim(zeros[i].second);
  const Ref y =
      out.call("deconv", {c.input, c.weight}, conv_attributes(c), out.dtype(c.input), shape);
  const Ref filled = out.pad(y, zeros);
  if (!c.bias) return filled;
  Ints spatial;
  for (int axis = 0; axis < c.spatial(); ++axis) spatial.push_back(1 + axis);
  return add(out, filled, out.unsqueeze(*c.bias, spatial));
}

/// Inserts zeros between the entries of a streamed axis, which then needs no stride: tract
/// miscounts the delay of a tensor that it stretches.
void stretch_streamed(Emitter& out, Convolution& c, Ints& extra) {
  for (size_t i = 0; i < c.stride.size(); ++i) {
    Shape shape = out.shape(c.input);
    const size_t axis = i + 2;
    const int64_t stride = c.stride[i];
    if (stride == 1 || !out.is_streamed(shape[axis])) continue;
    const auto next = static_cast<int>(axis) + 1;
    Pads zeros(shape.size() + 1);
    zeros[axis + 1].second = stride - 1;
    shape[axis] = shape[axis] * Dim(stride);
    c.input = out.reshape(out.pad(out.unsqueeze(c.input, {next}), zeros), shape);
    // The zeros after the last entry lengthen the result, which `extra` requests.
    c.pads[i].second += stride - 1 - extra[i];
    c.stride[i] = 1;
    extra[i] = 0;
  }
}

/// The output padding of each axis. A symbolic one becomes the largest that torch accepts: `shape`
/// grows to match, and the caller slices the result.
Ints output_padding(const OpView& op, const Convolution& c, Shape& shape) {
  if (!op.is_symbolic("output_padding")) return op.expand_ints("output_padding", c.spatial());
  const Shape padding = op.dims("output_padding");
  Ints out;
  for (size_t i = 0; i < c.stride.size(); ++i) {
    const Dim size = padding.size() == 1 ? padding[0] : padding.at(i);
    out.push_back(size.is_constant() ? size.value() : std::max(c.stride[i], c.dilation[i]) - 1);
    shape[i + 2] = shape[i + 2] - size + Dim(out.back());
  }
  return out;
}

void emit_transposed(const OpView& op, Emitter& out, Convolution c) {
  const Shape expected = batched_shape(op, c.spatial());
  Shape shape = expected;
  Ints extra = output_padding(op, c, shape);
  out.sizes(c.weight);
  c.weight = widened(out, transposed_weight(out, c.weight, c.groups));
  c.input = widened(out, batched(out, c.input, c.spatial()));
  if (c.bias) c.bias = widened(out, *c.bias);
  stretch_streamed(out, c, extra);
  Ref y = transposed_convolution(out, c, extra, shape);
  for (size_t axis = 2; axis < shape.size(); ++axis)
    if (!(shape[axis] == expected[axis]))
      y = out.slice(y, static_cast<int>(axis), Dim(0), expected[axis]);
  batched_result(op, out, out.cast(y, op.dtype()));
}

void conv(const OpView& op, Emitter& out) {
  Convolution c = read_common(op, out);
  c.pads = symmetric(op.expand_ints("padding", c.spatial()));
  emit(op, out, c);
}

void conv_named(const OpView& op, Emitter& out) {
  Convolution c = read_common(op, out);
  c.pads = named_padding(op, out, c);
  emit(op, out, c);
}

void conv_transpose(const OpView& op, Emitter& out) {
  Convolution c = read_common(op, out);
  c.pads = symmetric(op.expand_ints("padding", c.spatial()));
  emit_transposed(op, out, c);
}

/// One operator for both directions: plain and transposed.
void convolution(const OpView& op, Emitter& out) {
  Convolution c = read_common(op, out);
  c.pads = symmetric(op.expand_ints("padding", c.spatial()));
  if (op.boolean("transposed")) return emit_transposed(op, out, c);
  op.ignore("output_padding", "torch reads it for transposed convolutions only");
  emit(op, out, c);
}

void convolution_with_flags(const OpView& op, Emitter& out) {
  op.ignore_all({"benchmark", "deterministic", "cudnn_enabled"}, "choose a kernel, not a result");
  if (op.has_argument("allow_tf32")) op.ignore("allow_tf32", "chooses a kernel");
  convolution(op, out);
}

/// self [T, N, I], weight [k, I, O], result [T', N, O].
void conv_tbc(const OpView& op, Emitter& out) {
  Convolution c;
  c.input = widened(out, out.transpose(op.tensor("self"), {1, 2, 0}));
  c.weight = widened(out, out.transpose(op.tensor("weight"), {2, 1, 0}));
  c.stride = c.dilation = {1};
  c.pads = symmetric({op.i64("pad")});
  const Shape shape = {op.shape()[1], op.shape()[2], op.shape()[0]};
  const Ref y = out.call(op.nnef(), {c.input, c.weight, widened(out, op.tensor("bias"))},
                         conv_attributes(c), out.dtype(c.input), shape);
  out.result(out.cast(out.transpose(y, {2, 0, 1}), op.dtype()));
}

constexpr std::string_view kConvLimits = "integer tensors are refused";

bool is_transposed(const ShapeView& op) {
  return op.boolean("transposed", op.op().find("transpose") != std::string_view::npos);
}

Dim transposed_size(const ShapeView& op, const AxisWindow& w, const Dim& size, size_t axis,
                    size_t rank) {
  const Dim more = op.dims("output_padding", rank, 0).at(axis);
  if (!more.is_constant()) {
    op.require(more, Relation::ge, 0);
    op.require(more, Relation::lt, max(w.stride, w.dilation));
  }
  const Dim out = (size - 1) * w.stride - 2 * w.padding + w.reach() + more;
  op.require(out, Relation::ge, 1);
  return out;
}

/// padding="same" keeps a size; "valid" pads nothing.
Dim convolved(const ShapeView& op, AxisWindow w, const Dim& size, size_t axis, size_t rank) {
  if (op.is_text("padding")) {
    if (op.str("padding") == "same") return size;
    return w.count(op, size);
  }
  w.padding = op.dims("padding", rank, 0).at(axis);
  return is_transposed(op) ? transposed_size(op, w, size, axis, rank) : w.count(op, size);
}

Shapes conv_shapes(const ShapeView& op) {
  const Shape& x = op.shape("input");
  const Shape& weight = op.shape("weight");
  const size_t rank = weight.size() - 2;
  Shape out = all_but_last(x, rank);
  const Dim groups = op.has("groups") ? op.dim("groups") : Dim(1);
  op.unified(out.back(), is_transposed(op) ? weight.at(0) : weight.at(1) * groups);
  out.back() = is_transposed(op) ? weight.at(1) * groups : weight.at(0);
  if (op.is_tensor("bias")) op.unified(op.shape("bias"), {out.back()});
  for (size_t i = 0; i < rank; ++i) {
    const AxisWindow w{weight[i + 2], op.dims("stride", rank, 1).at(i), 0,
                       op.dims("dilation", rank, 1).at(i)};
    out.push_back(convolved(op, w, last_dims(x, rank)[i], i, rank));
  }
  return {out};
}

/// Axes: time, batch, channels.
Shapes conv_tbc_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape& weight = op.shape("weight");
  const AxisWindow w{weight.at(0), 1, op.dim("pad"), 1};
  op.unified(x.at(2), weight.at(1));
  op.unified(op.shape("bias"), {weight.at(2)});
  return {{w.count(op, x.at(0)), x.at(1), weight.at(2)}};
}

}  // namespace

Ref transposed_convolution(Emitter& out, const Convolution& c, const Ints& extra,
                           const Shape& shape) {
  Attributes attributes = conv_attributes(c);
  if (any_positive(extra)) {
    // tract takes `output_shape` only if all axes are known, and no negative padding.
    if (!is_static(shape) || !is_static(out.shape(c.input))) return longer(out, c, extra, shape);
    attributes.emplace_back("output_shape", Shape(shape.begin() + 2, shape.end()));
  }
  std::vector<Ref> operands = {c.input, c.weight};
  if (c.bias) operands.push_back(*c.bias);
  return out.call("deconv", operands, attributes, out.dtype(c.input), shape);
}

void register_conv(Registry& r) {
  constexpr std::string_view kDoc = "y[o] = bias[o] + sum over I/groups and k of weight * input";
  constexpr std::string_view kTransposedDoc = "gradient of a convolution by its input, plus bias";
  r.same({"aten::conv2d", "aten::conv1d", "aten::conv3d"}, {"conv", kDoc, conv, {}, kConvLimits});
  r.same({"aten::conv2d.padding", "aten::conv1d.padding", "aten::conv3d.padding",
          "aten::_convolution_mode"},
         {"conv", kDoc, conv_named, {}, kConvLimits});
  r.same({"aten::conv_transpose2d.input", "aten::conv_transpose1d", "aten::conv_transpose3d.input"},
         {"deconv", kTransposedDoc, conv_transpose, {}, kConvLimits});
  r.same({"aten::convolution"},
         {"conv", "a convolution, or its transpose", convolution, {}, kConvLimits});
  r.same({"aten::_convolution", "aten::_convolution.deprecated"},
         {"conv", "a convolution, or its transpose", convolution_with_flags, {}, kConvLimits});
  r.same({"aten::conv_tbc"}, {"conv", "conv1d over [time, batch, channels]", conv_tbc});
  r.shapes(conv_shapes,
           "_convolution _convolution_mode conv1d conv2d conv3d conv_transpose1d "
           "conv_transpose2d conv_transpose3d convolution");
  r.shapes(conv_tbc_shapes, "conv_tbc");
  r.zero_signs(ZeroSign::dropped,
               "conv1d conv2d conv3d convolution _convolution _convolution_mode "
               "conv_transpose1d conv_transpose2d conv_transpose3d");
}

}  // namespace t2n::ops
