// SPDX-License-Identifier: Apache-2.0
// Reductions of parts of an axis: what is outside becomes the neutral element.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/diag/error.h"
#include "src/loops/iteration.h"
#include "src/loops/masked_body.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

struct ReductionRow {
  std::string_view name;
  double neutral = 0;
  bool keeps_axis = false;
  bool needs_elements = false;
  bool gives_indices = false;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ReductionRow kReductions[] = {
    {"sum"},
    {"mean", 0, false, true},
    {"prod", 1},
    {"any"},
    {"all", 1},
    {"softmax", -kInfinity, true},
    {"log_softmax", -kInfinity, true},
    {"logsumexp", -kInfinity, false, true},
    {"amax", -kInfinity, false, true},
    {"amin", kInfinity, false, true},
    {"max", -kInfinity, false, true, true},
    {"min", kInfinity, false, true, true},
    {"argmax", -kInfinity, false, true, true},
    {"argmin", kInfinity, false, true, true},
};

const ReductionRow* reduction_of(const Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  for (const ReductionRow& row : kReductions)
    if (row.name == name && node.find("other") == nullptr) return &row;
  return nullptr;
}

/// The axes in argument `dim`: an integer or a list; all if there is none.
ir::Ints dims_of(const Node& node, int64_t rank) {
  const ir::Attr* const attr = node.find("dim");
  ir::Ints out;
  if (attr != nullptr)
    for (const Dim& each : ir::dims(*attr))
      out.push_back(each.value() < 0 ? each.value() + rank : each.value());
  if (out.empty())
    for (int64_t axis = 0; axis < rank; ++axis) out.push_back(axis);
  return out;
}

}  // namespace

bool MaskedBody::is_reduction(const Node& node) { return reduction_of(node) != nullptr; }

/// Whether the last result is an index along an axis whose part may begin later.
bool MaskedBody::gives_shifted_index(const Node& node) const {
  const ReductionRow* const row = reduction_of(node);
  const MaskedAxes* const masks = find(ir::operand(node, "self"));
  if (row == nullptr || !row->gives_indices || masks == nullptr) return false;
  const ir::Ints dims = dims_of(node, rank(ir::operand(node, "self")));
  const ir::Attr* const dim = node.find("dim");
  const bool has_dim = dim != nullptr && !ir::dims(*dim).empty(),
             is_arg = row->name.starts_with("arg");
  if (!has_dim && (!is_arg || dims.size() > 1)) return is_arg;
  return std::any_of(masks->begin(), masks->end(), [&](const auto& each) {
    return !each.second.is_prefix && std::find(dims.begin(), dims.end(), each.first) != dims.end();
  });
}

/// The number of elements inside a part.
ValueId MaskedBody::count(const MaskedAxis& mask, ir::DType dtype, const Node& origin) {
  const ValueId ones = body_.node("t2n::cast", {{"self", TensorRef{mask.inside}}, {"dtype", dtype}},
                                  dtype, shape(mask.inside), origin);
  return body_.node("aten::sum", {{"self", TensorRef{ones}}, {"dtype", ir::None{}}}, dtype, {},
                    origin);
}

MaskedAxes MaskedBody::reduced(Node& node, std::span<const ir::Value> results) {
  const ReductionRow& row = *reduction_of(node);
  const ValueId self = ir::operand(node, "self");
  const MaskedAxes masks = *find(self);
  const ir::Ints dims = dims_of(node, rank(self));
  const ir::DType dtype = body_.graph().values[self].dtype;
  const ir::Attr* const keepdim = node.find("keepdim");
  const bool keeps = row.keeps_axis || (keepdim != nullptr && std::get<bool>(*keepdim));
  ir::Ints combined;
  MaskedAxes out;
  for (const auto& [axis, mask] : masks) {
    const bool is_reduced = std::find(dims.begin(), dims.end(), axis) != dims.end();
    const auto before =
        std::count_if(dims.begin(), dims.end(), [&](int64_t dim) { return dim < axis; });
    if (is_reduced) combined.push_back(axis);
    if (!is_reduced || row.keeps_axis) out.emplace(axis - (keeps ? 0 : before), mask);
    if (is_reduced && row.needs_elements) never_empty_.insert(mask.inside);
  }
  if (combined.empty()) return out;
  if (!std::isfinite(row.neutral) && !ir::is_float(dtype))
    refuse(node, cat(ir::op_name(node.op),
                     " of integers reads a part of an axis whose length "
                     "changes from iteration to iteration"));
  const ValueId inside = filled(self, combined, row.neutral, node);
  ir::change_refs(node.args[0].value, [&](ValueId& id) { id = inside; });
  if (row.name == "mean") divide_sum(node, combined, out, results[0]);
  return out;
}

/// Makes a quotient of the mean: the mean of sums over the number of elements in them.
void MaskedBody::divide_sum(Node& node, const ir::Ints& masked, const MaskedAxes& kept,
                            const ir::Value& result) {
  const ValueId self = ir::operand(node, "self");
  const ir::Value like = body_.graph().values[self];
  if (like.dtype == ir::DType::f16 || like.dtype == ir::DType::bf16)
    refuse(node, "a mean in 16 bits reads a part of an axis");
  ir::Shape shape = like.shape;
  std::vector<Dim> dims;
  for (const int64_t axis : masked) {
    shape[axis] = 1;
    dims.emplace_back(axis);
  }
  const ValueId sum = body_.node(
      "aten::sum.dim_IntList",
      {{"self", TensorRef{self}}, {"dim", dims}, {"keepdim", true}, {"dtype", ir::None{}}},
      like.dtype, shape, node);
  ir::change_refs(node.args[0].value, [&](ValueId& id) { id = sum; });
  ValueId out = append(node, {&result, 1}, kept)[0];
  for (const int64_t axis : masked) {
    const ValueId number = count(find(self)->at(axis), result.dtype, node);
    node.op = ir::op_id("aten::div.Tensor");
    node.args = {{"self", TensorRef{out}}, {"other", TensorRef{number}}};
    node.compute_dtype = result.dtype;
    if (axis != masked.back()) out = append(node, {&result, 1}, kept)[0];
  }
}

}  // namespace t2n::loops
