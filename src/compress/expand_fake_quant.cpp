// The pass `expand-fake-quant`: activations that are rounded to the full 8-bit range, with one
// scale, become 8-bit integers, dequantised. Fewer bits, narrow ranges, scales per channel and
// dtypes other than f32 are left unchanged, and so are weights, which belong to
// `quantise-constants`.
//
// Results are equal except for ties: fake quantisation rounds x / scale half to even and then adds
// the zero point; quantize_per_tensor adds it first. If the zero point is odd, halves go the other
// way; if it is not 0, so may x / scale within 2^-16 of a half. The difference is one step.
#include <utility>

#include "src/compress/fake_quant.h"
#include "src/compress/layers.h"
#include "src/passes/pass.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

/// How the 8-bit integers represent reals, if the whole range is used.
std::optional<ir::QuantInfo> full_grid(const FakeQuant& of) {
  constexpr int kBits = 8;
  auto info = quant_info(of);
  if (!info || of.axis || info->bits != kBits || info->narrow_range) return std::nullopt;
  return info;
}

class Expanding : public passes::Rewriter {
 public:
  explicit Expanding(ir::Graph& graph)
      : Rewriter(graph), constants_(ir::constant_index(graph)), known_(known_values(graph)) {}

  bool run() {
    return replace_where([this] {
      const auto of = read_fake_quant(graph_, node_, constants_);
      return of && expand(*of);
    });
  }

 private:
  bool expand(const FakeQuant& of) {
    auto info = full_grid(of);
    const auto at = static_cast<size_t>(of.self);
    if (!info || known_[at] || value(of.self).dtype != ir::DType::f32) return false;
    const ir::DType dtype = info->is_signed ? ir::DType::i8 : ir::DType::u8;
    const ir::Shape shape = output().shape;
    const ir::ValueId integers = emit("aten::quantize_per_tensor",
                                      {{"self", ir::TensorRef{resolve(of.self)}},
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

bool t2n::passes::expand_fake_quant(ir::Graph& graph, const PassContext& /*context*/) {
  return compress::Expanding(graph).run();
}
