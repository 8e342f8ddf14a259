// SPDX-License-Identifier: Apache-2.0
// Shared by operators that resize spatial axes, of known and of symbolic sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/shapes/shape_rule.h"
#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// The sizes for which torch takes their quotient instead of a factor that the user passed:
/// interpolation copies between equal ones, and some kernels of nearest pixels also double.
enum class ExactSizes : std::uint8_t { none, equal, equal_or_double };

/// The change of one axis from `in` to `out` entries.
struct ResizedAxis {
  int64_t in = 1;
  int64_t out = 1;
  std::optional<double> scale;  ///< out / in as the user passed it, if torch uses that
  bool align_corners = false;
  ExactSizes exact = ExactSizes::none;

  bool has_exact_sizes() const {
    return (exact != ExactSizes::none && out == in) ||
           (exact == ExactSizes::equal_or_double && out == 2 * in);
  }
  /// Input entries per output entry, as torch computes it (ATen/native/UpSample.h).
  double step() const {
    if (align_corners)
      return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
    if (scale && *scale > 0 && !has_exact_sizes()) return 1.0 / *scale;
    return static_cast<double>(in) / static_cast<double>(out);
  }
  double source(int64_t i) const {
    const auto at = static_cast<double>(i);
    return align_corners ? step() * at : step() * (at + 0.5) - 0.5;
  }
};

/// The sampling of an axis with a symbolic size.
struct SymbolicAxis {
  Dim in;
  Dim out;
  std::optional<double> scale;
  bool align_corners = false;
  ExactSizes exact = ExactSizes::none;
  std::optional<Ref> takes_exact = {};  ///< a boolean; otherwise always
};

/// ResizedAxis::step as a number of the model.
Ref symbolic_step(Emitter& out, const SymbolicAxis& a, DType dtype);
/// Keys' kernel at distance x; torch takes a = -0.75, and -0.5 with antialiasing.
double cubic_weight(double x, double a);

Ref sampled_tensor(const OpView& op);
/// Refuses integers, which torch interpolates with rounded weights of its own.
void check_float(const OpView& op, const Emitter& out, Ref x);

struct Resizing {
  Ref x;
  std::vector<ResizedAxis> axes;
};
Resizing read_resizing(const OpView& op, Emitter& out);

using SymbolicSample = Ref (*)(Emitter& out, Ref x, int axis, const SymbolicAxis& a);
/// Resizes axis by axis, the last first, if some are symbolic. Nothing if none is.
std::optional<Ref> symbolic_resized(const OpView& op, Emitter& out, SymbolicSample sample);

shapes::Shapes upsample_shapes(const shapes::ShapeView& op);

}  // namespace t2n::ops
