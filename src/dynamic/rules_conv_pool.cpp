// Convolutions and pools: windows that move over spatial axes.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// How a window moves along one axis.
struct AxisWindow {
  Dim kernel;
  Dim stride = 1;
  Dim padding = 0;
  Dim dilation = 1;
  Dim reach() const { return dilation * (kernel - 1) + 1; }
  /// The number of positions, at least one; the last one may be cut off.
  Dim count(const ShapeView& op, const Dim& size) const {
    op.require(size + 2 * padding, Relation::ge, reach());
    return floor_div(size + 2 * padding - reach(), stride) + 1;
  }
};

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

Shapes conv(const ShapeView& op) {
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
Shapes conv_tbc(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape& weight = op.shape("weight");
  const AxisWindow w{weight.at(0), 1, op.dim("pad"), 1};
  op.unified(x.at(2), weight.at(1));
  op.unified(op.shape("bias"), {weight.at(2)});
  return {{w.count(op, x.at(0)), x.at(1), weight.at(2)}};
}

/// The digit in "max_pool2d".
size_t spatial_rank(const ShapeView& op) {
  const std::string_view name = op.op();
  const size_t digit = name.find_first_of("123", name.find("::") + 2);
  T2N_ASSERT(digit != std::string_view::npos, name, " names no rank");
  return name[digit] - '0';
}

/// With ceil_mode, a last window counts if it starts within the input or its left padding.
Dim pooled(const ShapeView& op, const AxisWindow& w, const Dim& size) {
  if (!op.boolean("ceil_mode")) return w.count(op, size);
  op.require(size + 2 * w.padding, Relation::ge, w.reach() - w.stride + 1);
  const Dim count = ceil_div(size + 2 * w.padding - w.reach(), w.stride) + 1;
  const Dim begun = floor_div(size + w.padding - 1, w.stride) + 1;
  if (!ir::is_unbacked(size)) op.constraints().decide(count, Relation::le, begun);
  return op.constraints().smaller(count, begun);
}

Shapes pool(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t rank = spatial_rank(op);
  const Shape kernel = op.dims("kernel_size", rank, 1);
  Shape out = all_but_last(x, rank);
  for (size_t i = 0; i < rank; ++i) {
    const bool strides = op.has("stride") && !op.dims("stride").empty();
    const AxisWindow w{kernel.at(i), strides ? op.dims("stride", rank, 1).at(i) : kernel[i],
                       op.dims("padding", rank, 0).at(i), op.dims("dilation", rank, 1).at(i)};
    out.push_back(pooled(op, w, last_dims(x, rank)[i]));
  }
  return repeated(op, out);
}

Shapes adaptive_pool(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t rank = spatial_rank(op);
  Shape out = all_but_last(x, rank);
  for (const Dim& size : op.dims("output_size", rank, 1)) out.push_back(size);
  return repeated(op, out);
}

Dim positions(const ShapeView& op, const Shape& sizes) {
  Dim out = 1;
  for (size_t i = 0; i < 2; ++i)
    out = out * AxisWindow{op.dims("kernel_size", 2, 1).at(i), op.dims("stride", 2, 1).at(i),
                           op.dims("padding", 2, 0).at(i), op.dims("dilation", 2, 1).at(i)}
                    .count(op, sizes.at(i));
  return out;
}

Shapes im2col(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Shape out = all_but_last(x, 2);
  out.back() = out.back() * product(op.dims("kernel_size", 2, 1));
  out.push_back(positions(op, last_dims(x, 2)));
  return {out};
}

Shapes col2im(const ShapeView& op) {
  Shape out = all_but_last(op.shape("self"), 1);
  op.unified(op.shape("self").back(), positions(op, op.dims("output_size", 2, 1)));
  out.back() = floor_div(out.back(), product(op.dims("kernel_size", 2, 1)));
  for (const Dim& size : op.dims("output_size", 2, 1)) out.push_back(size);
  return {out};
}

}  // namespace

void add_conv_pool_rules(ShapeRules& r) {
  r.add(conv,
        "_convolution _convolution_mode conv1d conv2d conv3d conv_transpose1d "
        "conv_transpose2d conv_transpose3d convolution");
  r.add(conv_tbc, "conv_tbc");
  r.add(pool,
        "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool1d_with_indices max_pool2d "
        "max_pool2d_with_indices max_pool3d max_pool3d_with_indices");
  r.add(adaptive_pool,
        "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
        "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d "
        "max_unpool2d max_unpool3d");
  r.add(im2col, "im2col");
  r.add(col2im, "col2im");
}

}  // namespace t2n::dynamic
