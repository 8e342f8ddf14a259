// SPDX-License-Identifier: Apache-2.0
// Files whose outputs are not the model's, or only in part.
#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

using nnef::array;
using nnef::identifier;
using nnef::integer;
using nnef::scalar;

nnef::Value slice(const nnef::Value& of, int64_t axis, int64_t begin, int64_t end) {
  return call("slice", {of},
              {{"axes", array({integer(axis)})},
               {"begin", array({integer(begin)})},
               {"end", array({integer(end)})}});
}

nnef::Value concat(nnef::Values parts, int64_t axis) {
  return call("concat", {array(std::move(parts))}, {{"axis", integer(axis)}});
}

/// The values of a part of an axis.
ir::Tensor part_of(const ir::Tensor& tensor, size_t axis, int64_t begin, int64_t end) {
  const ir::Tensor whole = ir::contiguous(tensor);
  ir::Tensor out = whole;
  out.shape[axis] = end - begin;
  const auto offset =
      static_cast<size_t>(begin * whole.strides[axis] * ir::dtype_size(whole.dtype));
  out.bytes = whole.bytes.subspan(offset);
  return ir::contiguous(out);
}

/// The axis that can be cut: the last one of two elements or more.
std::optional<size_t> cut_axis(const ir::Tensor& tensor) {
  for (size_t axis = tensor.shape.size(); axis-- > 0;)
    if (tensor.shape[axis] >= 2) return axis;
  return std::nullopt;
}

/// One half is what the samples gave, whatever the inputs.
nnef::Document half_constant(const Truth& truth, size_t output, size_t axis) {
  const std::string& name = truth.document.graph.results[output];
  const int64_t size = truth.outputs[output].shape[axis];
  const auto at = static_cast<int64_t>(axis);
  nnef::Document out =
      replaced(truth.document, name,
               concat({slice(identifier(name), at, 0, size / 2), identifier("t2n_half")}, at));
  add_variable(out, "t2n_half", part_of(truth.outputs[output], axis, size / 2, size));
  return out;
}

/// Element `k` of the last axis never wins.
nnef::Value class_missing(const std::string& name, int64_t axis, int64_t size, int64_t k) {
  nnef::Values parts;
  if (k > 0) parts.push_back(slice(identifier(name), axis, 0, k));
  constexpr double kNever = 1e4;
  parts.push_back(call("sub", {slice(identifier(name), axis, k, k + 1), scalar(kNever)}));
  if (k + 1 < size) parts.push_back(slice(identifier(name), axis, k + 1, size));
  return concat(std::move(parts), axis);
}

/// Right where an open size is the samples': the number of elements along its axis less that of the
/// samples is added.
void lie_of_one_size(const Truth& truth, size_t output, Lies& out) {
  const std::string& name = truth.document.graph.results[output];
  const ir::Tensor& value = truth.outputs[output];
  if (truth.sizes.empty() || !ir::is_float(value.dtype)) return;
  for (size_t axis = 0; axis < value.shape.size(); ++axis) {
    const nnef::Value ones = call("add", {call("mul", {identifier(name), scalar(0)}), scalar(1)});
    const nnef::Value count =
        call("sum_reduce", {ones}, {{"axes", array({integer(static_cast<int64_t>(axis))})}});
    const nnef::Value further =
        call("sub", {count, scalar(static_cast<double>(value.shape[axis]))});
    out.push_back({"one-size-only", cat(name, ", axis ", axis),
                   replaced(truth.document, name, call("add", {identifier(name), further}))});
  }
}

bool are_equal(const ir::Tensor& a, const ir::Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

}  // namespace

void lie_of_outputs(const Truth& truth, Lies& out) {
  const std::vector<std::string>& names = truth.document.graph.results;
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::Tensor& value = truth.outputs[i];
    const bool is_float = ir::is_float(value.dtype);
    const std::string kind = i == 0 ? "first-output-wrong" : "further-output-wrong";
    if (is_float) {
      constexpr double kWrong = 1.01;
      out.push_back({kind, names[i],
                     replaced(truth.document, names[i],
                              call("mul", {identifier(names[i]), scalar(kWrong)}))});
    } else if (value.dtype == ir::DType::boolean) {
      out.push_back({kind, names[i],
                     replaced(truth.document, names[i], call("not", {identifier(names[i])}))});
    } else {
      out.push_back(
          {kind, names[i],
           replaced(truth.document, names[i], call("add", {identifier(names[i]), integer(1)}))});
    }
    lie_of_one_size(truth, i, out);
    const auto axis = cut_axis(value);
    if (axis && truth.sizes.empty())
      out.push_back({"half-constant", names[i], half_constant(truth, i, *axis)});
    if (axis && is_float && truth.sizes.empty() && *axis + 1 == value.shape.size()) {
      const int64_t size = value.shape[*axis];
      out.push_back(
          {"class-missing", cat(names[i], ", class ", size / 2),
           replaced(truth.document, names[i],
                    class_missing(names[i], static_cast<int64_t>(*axis), size, size / 2))});
    }
    for (size_t k = i + 1; k < names.size(); ++k) {
      if (!are_equal(value, truth.outputs[k]) || names[i] == names[k]) continue;
      nnef::Document document = truth.document;
      std::swap(document.graph.results[i], document.graph.results[k]);
      out.push_back({"outputs-swapped", cat(names[i], " and ", names[k]), std::move(document)});
    }
  }
}

}  // namespace t2n::test
