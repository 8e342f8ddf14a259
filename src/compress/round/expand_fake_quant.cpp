// SPDX-License-Identifier: Apache-2.0
// The pass `expand-fake-quant`: activations that are rounded to the full 8-bit range, with one
// scale, become 8-bit integers, dequantised. Fewer bits, narrow ranges, scales per channel and
// dtypes other than f32 are left unchanged, and so are weights, which
// `quantise-constants` handles.
//
// Results are equal except for ties: fake quantisation rounds x / scale half to even and then adds
// the zero point; quantize_per_tensor adds it first. If the zero point is odd, halves are rounded
// in the other direction; if it is not 0, so may x / scale within 2^-16 of a half. The difference
// is one quantisation step.
#include <utility>

#include "src/compress/fake_quant.h"
#include "src/compress/passes.h"
#include "src/passes/layers.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

/// The 8-bit quantisation parameters, if the full range of integers is used.
std::optional<ir::QuantInfo> full_range_qparams(const FakeQuant& fake) {
  constexpr int kBits = 8;
  auto info = quant_info(fake);
  if (!info || fake.axis || info->bits != kBits || info->narrow_range) return std::nullopt;
  return info;
}

class Expanding : public passes::Rewriter {
 public:
  explicit Expanding(ir::Graph& graph)
      : Rewriter(graph),
        constants_(ir::constant_index(graph)),
        known_(passes::known_values(graph)) {}

  bool run() {
    return replace_where([this] {
      const auto fake = read_fake_quant(graph_, node_, constants_);
      return fake && expand(*fake);
    });
  }

 private:
  bool expand(const FakeQuant& fake) {
    auto info = full_range_qparams(fake);
    const size_t at = fake.self;
    if (!info || known_[at] || value(fake.self).dtype != ir::DType::f32) return false;
    const ir::DType dtype = info->is_signed ? ir::DType::i8 : ir::DType::u8;
    const ir::Shape shape = output().shape;
    const ir::ValueId integers = emit("aten::quantize_per_tensor",
                                      {{"self", ir::TensorRef{resolve(fake.self)}},
                                       {"scale", info->scales[0]},
                                       {"zero_point", ir::Dim(info->zero_points[0])},
                                       {"dtype", dtype}},
                                      dtype, shape);
    value(integers).quant = std::move(info);
    define(
        emit("aten::dequantize.self", {{"self", ir::TensorRef{integers}}}, ir::DType::f32, shape));
    return true;
  }

  std::vector<int> constants_;
  std::vector<bool> known_;
};

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::expand_fake_quant(ir::Graph& graph, const passes::PassContext& /*context*/) {
  return compress::Expanding(graph).run();
}
