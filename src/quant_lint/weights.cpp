// SPDX-License-Identifier: Apache-2.0
// Rules about the values of weights.
#include <algorithm>
#include <cmath>

#include "ir/elements.h"
#include "src/diag/error.h"
#include "src/quant_lint/rules.h"

namespace t2n::lint {
namespace {

/// Signed integers of 8 bits whose scale, one for each row, has the least squared error.
ir::QuantInfo fitted(const ir::Tensor& integers, const ir::Tensor& floats) {
  ir::QuantInfo out{.scales = {}, .zero_points = {}, .is_signed = true};
  const std::vector<double> q = ir::to_f64(integers);
  const std::vector<double> w = ir::to_f64(floats);
  const size_t row = ir::inner_size(integers.shape, 0);
  for (size_t first = 0; first < q.size(); first += row) {
    double product = 0;
    double square = 0;
    for (size_t i = first; i < first + row; ++i) {
      product += q[i] * w[i];
      square += q[i] * q[i];
    }
    out.scales.push_back(square > 0 ? product / square : 0);
    out.zero_points.push_back(0);
  }
  return out;
}

/// Whether the integers are the floats, rounded within half a step; clipped values count.
bool is_rounding_of(const Value& integers, const ir::Tensor& floats) {
  const ir::QuantInfo info = integers.quant ? *integers.quant : fitted(*integers.data, floats);
  const double half = integers.quant ? 0.501 : 0.55;  // fitted scales are estimates
  const size_t inner = ir::inner_size(integers.data->shape, static_cast<size_t>(info.axis));
  bool has_values = false;
  for (int64_t i = 0; i < floats.elements(); ++i) {
    const size_t channel = static_cast<size_t>(i) / inner % info.scales.size();
    const double q = ir::element_f64(*integers.data, i);
    const double centred = q - static_cast<double>(info.zero_points[channel]);
    const double scale = info.scales[channel];
    const double error = ir::element_f64(floats, i) - centred * scale;
    const bool is_clipped = (q == static_cast<double>(info.lowest()) && error < 0) ||
                            (q == static_cast<double>(info.highest()) && error > 0);
    if (!(std::abs(error) <= half * std::abs(scale)) && !is_clipped) return false;
    has_values = has_values || (centred != 0 && scale > 0);
  }
  return has_values;
}

/// Constants with at least two axes and a reader.
std::vector<const Value*> read_weights(const Program& program, bool is_integer) {
  std::vector<const Value*> out;
  for (const Value& value : program.values) {
    constexpr size_t kLeastRank = 2;
    if (value.data == nullptr || value.readers.empty() || value.data->shape.size() < kLeastRank)
      continue;
    const bool is_signed_byte = value.data->dtype == ir::DType::i8;
    const bool has_grid = value.quant || (is_signed_byte && is_distinctive(*value.data));
    if (is_integer ? has_grid : value.data->dtype == ir::DType::f32) out.push_back(&value);
  }
  return out;
}

/// Before integers are stored: some readers round the weight, others do not.
void find_half_rounded(const Program& program, const Value& weight, std::vector<Finding>& out) {
  std::optional<size_t> rounds;
  std::optional<size_t> reads;
  for (const size_t reader : weight.readers) {
    const Kind kind = program.statements[reader].kind;
    const bool is_rounding =
        kind == Kind::quantise || kind == Kind::fake_quantise || kind == Kind::observe;
    (is_rounding ? rounds : reads) = reader;
  }
  if (rounds && reads)
    out.push_back(finding(program, "stored-twice", *reads,
                          cat(quoted(weight.name), " is read in floats here, and rounded for ",
                              quoted(program.statements[*rounds].name))));
}

}  // namespace

bool is_distinctive(const ir::Tensor& weight) {
  constexpr int64_t kFewest = 64;
  const auto wide = std::count_if(weight.shape.begin(), weight.shape.end(),
                                  [](int64_t size) { return size > 1; });
  return wide >= 2 && weight.elements() >= kFewest;  // biases and norms often are equal
}

void find_stored_twice(const Program& program, std::vector<Finding>& out) {
  const std::vector<const Value*> all = read_weights(program, false);
  for (const Value* weight : all) find_half_rounded(program, *weight, out);
  for (const Value* integers : read_weights(program, true))
    for (const Value* floats : all)
      if (floats->data->shape == integers->data->shape && is_rounding_of(*integers, *floats->data))
        out.push_back(finding(
            program, "stored-twice", floats->readers.front(),
            cat(quoted(floats->name), " is stored as floats for this reader, and as the integers ",
                quoted(integers->name), " for ",
                quoted(program.statements[integers->readers.front()].name))));
}

std::string dead_channels(const std::string& name, const ir::Tensor& weight, size_t axis,
                          const std::optional<ir::QuantInfo>& quant) {
  if (axis >= weight.shape.size() || weight.elements() == 0) return "";
  const size_t count = weight.shape[axis];
  const size_t inner = ir::inner_size(weight.shape, axis);
  const std::vector<int64_t> points = quant ? quant->zero_points : std::vector<int64_t>{0};
  const size_t inner_of_points =
      points.size() > 1 ? ir::inner_size(weight.shape, static_cast<size_t>(quant->axis)) : 1;
  std::vector<bool> is_alive(count);
  ir::for_each_part(weight, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t zero = points[(first + i) / inner_of_points % points.size()];
      if (values[i] != static_cast<double>(zero)) is_alive[(first + i) / inner % count] = true;
    }
  });
  constexpr int64_t kShown = 8;
  int64_t dead = 0;
  std::string indices;
  for (size_t i = 0; i < count; ++i)
    if (!is_alive[i] && dead++ < kShown) indices += cat(indices.empty() ? "" : ", ", i);
  if (dead == 0) return "";
  return cat(dead, dead == 1 ? " channel of " : " channels of ", quoted(name),
             " can hold nothing but zero: ", indices, dead > kShown ? ", …" : "");
}

}  // namespace t2n::lint
