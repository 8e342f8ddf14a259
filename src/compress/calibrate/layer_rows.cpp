// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/layer_rows.h"

#include <string>
#include <utility>

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::Node;
using ir::Tensor;

ir::TensorRef first() { return {0}; }

Tensor reshaped(const ir::Evaluator& evaluate, const Tensor& x, std::vector<Dim> shape) {
  return call(evaluate, "aten::reshape", {{"self", first()}, {"shape", std::move(shape)}}, {x});
}

/// The argument of a one- or two-dimensional convolution for two axes; a number applies to all
/// axes.
std::vector<Dim> two_axes(const Node& node, std::string_view argument, bool is_flat, int64_t none) {
  const ir::Attr& attr = *node.find(argument);
  std::vector<Dim> out;
  if (const auto* one = std::get_if<Dim>(&attr))
    out.assign(is_flat ? 1 : 2, *one);
  else
    out = std::get<std::vector<Dim>>(attr);
  if (!is_flat && out.size() == 1) out.push_back(out[0]);
  if (is_flat) out.insert(out.begin(), Dim(none));
  return out;
}

/// `x` with four axes and the zero padding of "same" or "valid"; an odd padding has the extra zero
/// at the end.
Tensor padded_by_name(const ir::Evaluator& evaluate, const Tensor& x, const std::string& name,
                      const std::vector<Dim>& kernel, const std::vector<Dim>& dilation) {
  if (name != "same") return x;
  std::vector<Dim> pad;
  for (const size_t axis : {size_t{1}, size_t{0}}) {
    const int64_t all = dilation[axis].value() * (kernel[axis].value() - 1);
    pad.emplace_back(all / 2);
    pad.emplace_back(all - all / 2);
  }
  return call(evaluate, "aten::constant_pad_nd",
              {{"self", first()}, {"pad", std::move(pad)}, {"value", 0.0}}, {x});
}

/// [batch, channels, height, width]: a missing batch axis is added, and lines become images of one
/// row.
Tensor image_of(const ir::Evaluator& evaluate, const Tensor& x, size_t rank) {
  std::vector<Dim> shape;
  for (const int64_t size : x.shape) shape.emplace_back(size);
  if (x.shape.size() < rank) shape.insert(shape.begin(), Dim(1));
  if (rank == 3) shape.insert(shape.begin() + 2, Dim(1));
  return reshaped(evaluate, x, std::move(shape));
}

}  // namespace

Tensor call(const ir::Evaluator& evaluate, std::string_view op, std::vector<ir::Argument> args,
            const std::vector<Tensor>& tensors) {
  Node node;
  node.op = ir::op_id(op);
  node.args = std::move(args);
  node.outputs = {static_cast<ir::ValueId>(tensors.size())};
  return evaluate(node, [&](ir::ValueId id) { return tensors.at(id); }).at(0);
}

Tensor input_rows(const Node& node, const ir::Operand& operand, const ir::Evaluator& evaluate) {
  Tensor x = operand(std::get<ir::TensorRef>(*node.find("input")).id);
  if (ir::op_short_name(ir::op_name(node.op)) == "linear")
    return reshaped(evaluate, x, {Dim(-1), Dim(x.shape.back())});
  const Tensor weight = operand(std::get<ir::TensorRef>(*node.find("weight")).id);
  const bool is_flat = weight.shape.size() == 3;
  const std::vector<Dim> kernel = {Dim(is_flat ? 1 : weight.shape[2]), Dim(weight.shape.back())};
  const std::vector<Dim> dilation = two_axes(node, "dilation", is_flat, 1);
  x = image_of(evaluate, x, weight.shape.size());
  std::vector<Dim> padding = {Dim(0), Dim(0)};
  if (const auto* name = std::get_if<std::string>(node.find("padding")))
    x = padded_by_name(evaluate, x, *name, kernel, dilation);
  else
    padding = two_axes(node, "padding", is_flat, 0);
  const Tensor columns = call(evaluate, "aten::im2col",
                              {{"self", first()},
                               {"kernel_size", kernel},
                               {"dilation", dilation},
                               {"padding", padding},
                               {"stride", two_axes(node, "stride", is_flat, 1)}},
                              {x});
  const int64_t width = columns.shape.at(1);
  const Tensor last = call(evaluate, "aten::transpose.int",
                           {{"self", first()}, {"dim0", Dim(1)}, {"dim1", Dim(2)}}, {columns});
  return reshaped(evaluate, last, {Dim(-1), Dim(width)});
}

}  // namespace t2n::compress
