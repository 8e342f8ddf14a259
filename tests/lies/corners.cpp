// SPDX-License-Identifier: Apache-2.0
// Files that are wrong in a corner only: at some sizes, for some integers, beyond some number.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/diag/error.h"
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

using nnef::array;
using nnef::identifier;
using nnef::integer;
using nnef::scalar;

nnef::Value axes(const std::vector<int64_t>& numbers) {
  nnef::Values out;
  for (const int64_t number : numbers) out.push_back(integer(number));
  return array(std::move(out));
}

nnef::Value all_axes(size_t rank) {
  std::vector<int64_t> out;
  for (size_t axis = 0; axis < rank; ++axis) out.push_back(static_cast<int64_t>(axis));
  return axes(out);
}

/// The size of an axis of a tensor of floats, with ones in the place of all others.
nnef::Value size_of(const std::string& name, size_t axis, size_t rank) {
  const nnef::Value ones = call("add", {call("mul", {identifier(name), scalar(0)}), scalar(1)});
  const nnef::Value count =
      call("sum_reduce", {ones}, {{"axes", axes({static_cast<int64_t>(axis)})}});
  return call("max_reduce", {count}, {{"axes", all_axes(rank)}});
}

/// `name` + `wrong`, which is 0 where the file is right, and positive elsewhere.
void add(const Truth& truth, Lies& out, const char* kind, const std::string& name,
         const std::string& what, const nnef::Value& wrong) {
  out.push_back(
      {kind, what,
       replaced(truth.document, name, call("add", {identifier(name), call("relu", {wrong})}))});
}

/// The least constant length that is not below a size.
std::optional<int64_t> table_from(const Truth& truth, int64_t size) {
  std::optional<int64_t> out;
  for (const nnef::Blob& blob : truth.document.blobs)
    for (const int64_t length : blob.shape)
      if (length >= size && length > 1) out = std::min(out.value_or(length), length);
  return out;
}

void lie_of_sizes(const Truth& truth, const std::string& name, const ir::Tensor& value, Lies& out) {
  const size_t rank = value.shape.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const nnef::Value size = size_of(name, axis, rank);
    const std::string what = cat(name, ", axis ", axis);
    if (value.shape[axis] > 1)
      add(truth, out, "size-of-one", name, what, call("sub", {scalar(2), size}));
    if (const auto length = table_from(truth, value.shape[axis]))
      add(truth, out, "beyond-a-table", name, cat(what, " > ", *length),
          call("sub", {size, scalar(static_cast<double>(*length))}));
    for (size_t other = axis + 1; other < rank; ++other) {
      const bool is_longer = value.shape[axis] >= value.shape[other];
      const nnef::Value second = size_of(name, other, rank);
      add(truth, out, "order-of-sizes", name, cat(what, " and ", other),
          is_longer ? call("sub", {second, size}) : call("sub", {size, second}));
    }
  }
}

double sum_of(const ir::Tensor& tensor) {
  double out = 0;
  for (const double each : ir::to_f64(tensor)) out += each;
  return out;
}

void lie_of_inputs_beyond(const Truth& truth, const std::string& name, Lies& out) {
  const std::vector<std::string>& inputs = truth.document.graph.parameters;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::Tensor& input = truth.inputs[i];
    if (input.shape.empty() || input.elements() == 0) continue;
    const nnef::Argument all{"axes", all_axes(input.shape.size())};
    const auto beyond = [&](const char* kind, const nnef::Value& number, double limit) {
      // Of rank 0, whatever the output's is.
      const nnef::Value one = call("squeeze", {number}, {all});
      add(truth, out, kind, name, cat(inputs[i], " > ", limit),
          call("sub", {call("min", {one, scalar(limit + 1)}), scalar(limit)}));
    };
    if (ir::is_float(input.dtype)) {
      constexpr double kFar = 30;
      beyond("sum-beyond", call("sum_reduce", {identifier(inputs[i])}, {all}),
             kFar * (std::abs(sum_of(input)) + 1));
    } else if (input.dtype == ir::DType::i64) {
      const nnef::Value most =
          call("tract_core_cast", {call("max_reduce", {identifier(inputs[i])}, {all})},
               {{"to", nnef::string("f32")}});
      for (const double limit : {127.0, 255.0, 32767.0, 0x1p24})
        beyond("integer-beyond", most, limit);
    }
  }
}

}  // namespace

void lie_of_corners(const Truth& truth, Lies& out) {
  const std::vector<std::string>& names = truth.document.graph.results;
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::Tensor& value = truth.outputs[i];
    if (value.dtype != ir::DType::f32) continue;
    if (!truth.sizes.empty()) lie_of_sizes(truth, names[i], value, out);
    lie_of_inputs_beyond(truth, names[i], out);
    constexpr double kRare = 50;
    double largest = 1;
    for (const double each : ir::to_f64(value))
      if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
    out.push_back({"rare-limit", cat(names[i], " <= ", kRare * largest),
                   replaced(truth.document, names[i],
                            call("min", {identifier(names[i]), scalar(kRare * largest)}))});
    constexpr double kSlightly = 1.0001;
    out.push_back({"slightly-scaled", names[i],
                   replaced(truth.document, names[i],
                            call("mul", {identifier(names[i]), scalar(kSlightly)}))});
  }
}

}  // namespace t2n::test
