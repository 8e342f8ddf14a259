// The pass `expand-fake-quant`: activations that are rounded to all integers of 8 bits, with one
// scale for all, become these integers, dequantised. Fewer bits, a narrow range, scales per channel
// and other dtypes than f32 stay as they are, and so do weights, which are `quantise-constants`'s.
//
// The results are the same but for ties: fake quantisation rounds x / scale half to even and adds
// the zero point then, quantize_per_tensor adds it before. Where the zero point is odd, halves go
// the other way; where it is not 0, x / scale within 2^-16 of a half may, too. One step differs.
#include <utility>

#include "src/compress/fake_quant.h"
#include "src/compress/layers.h"
#include "src/passes/pass.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

/// How the integers of 8 bits stand for reals, if it is all of them that there are.
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
