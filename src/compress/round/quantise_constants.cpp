// SPDX-License-Identifier: Apache-2.0
// The pass `quantise-constants`: constants that are fake-quantised to at most 8 bits become
// integers followed by a dequantisation.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "ir/elements.h"
#include "ir/spilled.h"
#include "src/compress/fake_quant.h"
#include "src/compress/passes.h"
#include "src/compress/skipped_weights.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

/// Rounds as torch's kernel does: the product with the inverse in f32, half to even. Source:
/// ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, fake_quantize.
ir::Tensor integers_of(const ir::Tensor& weights, const FakeQuant& fake, bool is_signed) {
  const size_t inner =
      fake.axis ? ir::inner_size(weights.shape, static_cast<size_t>(*fake.axis)) : 1;
  ir::OwnedTensor out = ir::allocate(is_signed ? ir::DType::i8 : ir::DType::u8, weights.shape);
  ir::for_each_part(weights, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t channel = fake.axis ? (first + i) / inner % fake.scales.size() : 0;
      const float inverse = 1.0F / static_cast<float>(fake.scales[channel]);
      const float centred = std::nearbyint(static_cast<float>(values[i]) * inverse);
      const double q =
          static_cast<double>(centred) + static_cast<double>(fake.zero_points[channel]);
      const auto integer = static_cast<int64_t>(
          std::clamp(q, static_cast<double>(fake.low), static_cast<double>(fake.high)));
      out.data[first + i] = static_cast<std::byte>(integer & 0xff);
    }
  });
  return std::move(out.tensor);
}

class Storing : public passes::Rewriter {
 public:
  explicit Storing(ir::Graph& graph) : Rewriter(graph), constants_(ir::constant_index(graph)) {}

  bool run() {
    return replace_where([this] {
      const auto fake = read_fake_quant(graph_, node_, constants_);
      return fake && store(*fake);
    });
  }

 private:
  bool store(const FakeQuant& fake) {
    const int index = constants_[fake.self];
    auto info = quant_info(fake);
    if (index < 0) return false;
    if (!info) {
      const auto bits = std::bit_width(static_cast<uint64_t>(fake.high - fake.low));
      note_skipped(graph_, value(fake.self).name,
                   cat("integers of ", bits, " bits are not supported"));
      return false;
    }
    const ir::Tensor& weights = graph_.constants[index].data;
    const bool is_finite = weights.is_loaded() && weights.dtype == ir::DType::f32;
    if (!is_finite) return false;
    const ir::ValueId stored = constant(ir::spilled(integers_of(weights, fake, info->is_signed)));
    value(stored).quant = std::move(info);
    define(emit("aten::dequantize.self", {{"self", ir::TensorRef{stored}}}, ir::DType::f32,
                value(fake.self).shape));
    return true;
  }

  std::vector<int> constants_;
};

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::quantise_constants(ir::Graph& graph, const passes::PassContext& /*context*/) {
  return compress::Storing(graph).run();
}
