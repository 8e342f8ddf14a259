// SPDX-License-Identifier: Apache-2.0
// Operations that join and divide tensors.
#include <algorithm>

#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

/// More than any statement has names, to bound the memory.
constexpr int64_t kMostResults = 1 << 16;

void check_equal(const ShapeCall& call, const Ints& a, const Ints& b, size_t except) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i) equal = i == except || a[i] == b[i];
  call.require(equal, "the shapes ", shape_text(a), " and ", shape_text(b), " are incompatible");
}

Shapes concat_shape(const ShapeCall& call) {
  const Shapes values = call.shapes("values");
  call.require(!values.empty(), "the list of tensors is empty");
  const size_t axis = call.axis("axis", values[0].size());
  Ints out = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    check_equal(call, values[0], values[i], axis);
    out[axis] += values[i][axis];
  }
  return {out};
}

Flows concat_flow(const FlowCall& call) {
  const std::vector<Flow> parts = call.flows("values");
  const Flow all = combined_flow(parts);
  Flow out = all;
  if (!out.streams()) blocked("concatenates tensors of the input length in an unsupported way");
  if (call.integer("axis") == out.axis &&
      std::count_if(parts.begin(), parts.end(), [](const Flow& f) { return f.streams(); }) > 1)
    blocked("concatenates two streams along the time axis", kNoEnd);
  return {out};
}

Shapes stack_shape(const ShapeCall& call) {
  const Shapes values = call.shapes("values");
  call.require(!values.empty(), "the list of tensors is empty");
  const size_t axis = call.axis("axis", values[0].size() + 1);
  for (const Ints& value : values) check_equal(call, values[0], value, value.size());
  Ints out = values[0];
  out.insert(axis_at(out, axis), static_cast<int64_t>(values.size()));
  return {out};
}

Flows stack_flow(const FlowCall& call) {
  Flow out = combined_flow(call.flows("values"));
  if (call.integer("axis") <= out.axis) ++out.axis;
  if (out.rank >= 0) ++out.rank;
  return {out};
}

/// By `concat` along an added axis: NNEF-Tools' converter to ONNX lacks `stack`.
Refs lower_stack(const StrictCall& call, Builder& out) {
  const int64_t axis = call.at("axis").integer;
  Refs parts;
  for (const Ref x : call.operands) parts.push_back(out.unsqueeze(x, {axis}));
  const Form list{.is_list = true};
  return emit_same({"concat", parts, call.attributes, call.results, list, {}}, out, "concat",
                   call.attributes);
}

Shapes unstack_shape(const ShapeCall& call) {
  const Ints value = call.shape("value");
  const size_t axis = call.axis("axis", value.size());
  Ints shape = value;
  shape.erase(axis_at(shape, axis));
  const int64_t count = std::min(value[axis], kMostResults);
  return Shapes(static_cast<size_t>(count), shape);
}

Shapes split_shape(const ShapeCall& call) {
  const Ints value = call.shape("value");
  const size_t axis = call.axis("axis", value.size());
  const Ints ratios = call.positive("ratios", call.list_size("ratios"));
  int64_t sum = 0;
  for (const int64_t ratio : ratios) sum += ratio;
  call.require(sum > 0 && value[axis] % sum == 0, "the extent ", value[axis],
               " cannot be split into ", shape_text(ratios));
  Shapes out(ratios.size(), value);
  for (size_t i = 0; i < out.size(); ++i) out[i][axis] = value[axis] / sum * ratios[i];
  return out;
}

Shapes copy_n_shape(const ShapeCall& call) {
  const int64_t times = call.integer("times");
  call.require(times > 0 && times <= kMostResults, "'times' is ", times);
  return Shapes(static_cast<size_t>(times), call.shape("x"));
}

Shapes add_n_shape(const ShapeCall& call) {
  const Shapes values = call.shapes("x");
  call.require(!values.empty(), "the list of tensors is empty");
  for (const Ints& value : values) check_equal(call, values[0], value, value.size());
  return {values[0]};
}

}  // namespace

void add_join(Book& book) {
  book.add("concat", {concat_shape, concat_shape, concat_flow, lower_unchanged,
                      kMovesData | kJoin | kStructural});
  book.add("stack",
           {stack_shape, stack_shape, stack_flow, lower_stack, kMovesData | kJoin | kStructural});
  book.add("unstack", {unstack_shape, unstack_shape, nullptr, lower_unchanged, kMovesData});
  book.add("split", {split_shape, nullptr, nullptr, lower_unchanged, kMovesData});
  book.add("copy_n", {copy_n_shape});
  book.add("add_n", {add_n_shape});
}

}  // namespace t2n::nnef_ops
