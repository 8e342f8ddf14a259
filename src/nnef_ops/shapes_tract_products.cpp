// Shapes of tract's products, windows and recurrent steps.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "src/nnef_ops/tract_rules.h"

namespace t2n::spec {
namespace {

/// Summed axes must be equal, or one of them has extent 1.
void check_inner(const ShapeCall& call, int64_t a, int64_t b) {
  call.require(a == b || a == 1 || b == 1, "rows of ", a, " do not match columns of ", b);
}

MaybeShapes tract_matmul(const ShapeCall& call) {
  Ints a = call.shape("A"), b = call.shape("B");
  const size_t rank = a.size();
  if (rank != b.size() || rank < 2) return {};  // packed weights may have another rank
  if (call.flag("transposeA")) std::swap(a[rank - 1], a[rank - 2]);
  if (call.flag("transposeB")) std::swap(b[rank - 1], b[rank - 2]);
  check_inner(call, a[rank - 1], b[rank - 2]);
  Ints out = broadcast(call, Ints(axis_at(a, 0), axis_at(a, rank - 2)),
                       Ints(axis_at(b, 0), axis_at(b, rank - 2)));
  out.push_back(a[rank - 2]);
  out.push_back(b[rank - 1]);
  return one_shape(out);
}

MaybeShapes tract_linear(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (input.size() != 2 || filter.size() != 2) return {};
  check_inner(call, input[1], filter[1]);
  return one_shape(broadcast(call, {input[0], filter[0]}, call.shape("bias")));
}

/// The letters of an expression such as "bij,bjk->bik": for each operand, then for the result.
std::vector<std::string> einsum_terms(const std::string& expression) {
  std::vector<std::string> out(1);
  for (const char c : expression) {
    if (c == ',' || c == '>') out.emplace_back();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out.back() += c;
  }
  return out;
}

MaybeShapes einsum(const ShapeCall& call) {
  const Shapes inputs = call.shapes("inputs");
  const std::vector<std::string> terms = einsum_terms(call.text("expr"));
  if (terms.size() != inputs.size() + 1) return {};
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (terms[i].size() != inputs[i].size()) return {};
    for (size_t axis = 0; axis < inputs[i].size(); ++axis) {
      int64_t& extent = extents.try_emplace(terms[i][axis], 1).first->second;
      const int64_t size = inputs[i][axis];
      call.require(extent == size || extent == 1 || size == 1, "the axes '", terms[i][axis],
                   "' have ", extent, " and ", size, " entries");
      extent = extent == 1 ? size : extent;
    }
  }
  Ints out;
  for (const char letter : terms.back()) {
    const auto found = extents.find(letter);
    if (found == extents.end()) return {};
    out.push_back(found->second);
  }
  return one_shape(out);
}

MaybeShapes attention(const ShapeCall& call) {
  Ints q = call.shape("q");
  const Ints k = call.shape("k"), v = call.shape("v");
  if (q.size() < 3 || k.size() != q.size() || v.size() != q.size()) return {};
  const size_t last = q.size() - 1;
  call.require(q[last] == k[last], "queries of ", q[last], " do not match keys of ", k[last]);
  call.require(k[last - 1] == v[last - 1], "there are ", k[last - 1], " keys and ", v[last - 1],
               " values");
  q[last] = v[last];
  return one_shape(q);
}

/// Windows over axes 2 and higher; std::nullopt if a window does not fit.
MaybeShapes windows(const ShapeCall& call, Ints out, const Ints& size, size_t skipped) {
  const Pairs padding = call.pairs("padding");
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  const auto entry = [&](const Ints& list, size_t axis) {
    return list.empty() ? 1 : list.at(axis - skipped);
  };
  const size_t count = out.size() - skipped;
  const auto fits = [&](size_t items) { return items == 0 || items == count; };
  if (!fits(padding.size()) || !fits(stride.size()) || !fits(dilation.size())) return {};
  for (size_t axis = 2; axis < out.size(); ++axis) {
    const int64_t step = entry(stride, axis);
    if (step <= 0) return {};
    if (padding.empty()) {
      out[axis] = (out[axis] + step - 1) / step;
      continue;
    }
    const auto [before, after] = padding[axis - skipped];
    const int64_t window = (size[axis] - 1) * entry(dilation, axis) + 1;
    const int64_t room = out[axis] + before + after - window;
    if (room < 0) return {};
    out[axis] = room / step + 1;
  }
  return one_shape(out);
}

/// The groups of a convolution with compatible operands; std::nullopt if ranks differ.
std::optional<int64_t> groups(const ShapeCall& call, const Ints& input, const Ints& filter) {
  const int64_t out = call.integer("groups");
  if (input.size() < 3 || filter.size() != input.size() || out <= 0) return {};
  call.require(product(filter[1], out) == input[1], "filters over ", filter[1], " channels in ",
               out, out == 1 ? " group" : " groups", " do not fit an input of ", input[1],
               " channels");
  return out;
}

MaybeShapes tract_conv(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (!groups(call, input, filter)) return {};
  Ints out = input;
  out[1] = filter[0];
  return windows(call, std::move(out), filter, 2);
}

/// `output_shape` has no entries for batch and channels.
MaybeShapes tract_deconv(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (!groups(call, input, filter)) return {};
  Ints out = {input[0], filter[0]};
  const Ints requested = call.ints("output_shape");
  const size_t count = input.size() - 2;
  const Pairs padding = call.pairs("padding");
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  if (padding.size() != count || (!stride.empty() && stride.size() != count)) return {};
  if (!dilation.empty() && dilation.size() != count) return {};
  for (size_t i = 0; i < count; ++i) {
    const int64_t window = (filter[i + 2] - 1) * (dilation.empty() ? 1 : dilation[i]) + 1;
    const int64_t full = product(input[i + 2] - 1, stride.empty() ? 1 : stride[i]) + window;
    const bool is_requested = requested.size() == count;
    out.push_back(is_requested ? requested[i] : full - padding[i].first - padding[i].second);
    if (out.back() <= 0) return {};
  }
  return one_shape(out);
}

MaybeShapes tract_pool(const ShapeCall& call) {
  const Ints input = call.shape("input"), size = call.ints("size");
  call.require(input.size() == size.size(), "'size' has ", size.size(), " numbers, and the tensor ",
               input.size(), " axes");
  return windows(call, input, size, 0);
}

MaybeShapes tract_pool_with_index(const ShapeCall& call) {
  const MaybeShapes out = tract_pool(call);
  if (!out) return {};
  return Shapes{(*out)[0], (*out)[0]};
}

MaybeShapes resize(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto sizes = call.numbers_of("sizes");
  return sizes && sizes->size() == input.size() ? one_shape(*sizes) : MaybeShapes{};
}

MaybeShapes grid_sample(const ShapeCall& call) {
  const Ints input = call.shape("input"), grid = call.shape("grid");
  if (input.size() < 3 || grid.size() != input.size()) return {};
  Ints out = {input[0], input[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  return one_shape(out);
}

MaybeShapes lstm_epilogue(const ShapeCall& call) {
  return Shapes{call.shape("c_prev"), call.shape("c_prev")};
}
MaybeShapes gru_epilogue(const ShapeCall& call) { return one_shape(call.shape("h_prev")); }

constexpr TractRow kTractProductRows[] = {
    {"matmul", tract_matmul},
    {"linear", tract_linear},
    {"tract_core_einsum", einsum},
    {"tract_transformers_sdpa", attention},
    {"conv", tract_conv},
    {"deconv", tract_deconv},
    {"box", tract_pool},
    {"max_pool", tract_pool},
    {"avg_pool", tract_pool},
    {"rms_pool", tract_pool},
    {"max_pool_with_index", tract_pool_with_index},
    {"tract_core_resize", resize},
    {"tract_core_grid_sample", grid_sample},
    {"tract_core_lstm_epilogue", lstm_epilogue},
    {"tract_core_gru_epilogue", gru_epilogue},
};

}  // namespace

std::span<const TractRow> tract_product_rows() { return kTractProductRows; }

}  // namespace t2n::spec
