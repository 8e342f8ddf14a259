// Shapes of what tract's operations result in.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "src/spec/call.h"

namespace t2n::spec {

using MaybeShapes = std::optional<Shapes>;
inline MaybeShapes one_shape(Ints shape) { return Shapes{std::move(shape)}; }

/// What becomes of a slice that ends beyond its axis.
enum class Slices { refused, cut_off, unknown };

/// The shape of each result; nothing where sizes follow from more than shapes, or where tract's
/// versions differ. Refuses (`nnef-invalid`) only what no version of tract takes.
struct TractRule {
  using Own = MaybeShapes (*)(const ShapeCall& call);
  using Slicing = MaybeShapes (*)(const ShapeCall& call, Slices beyond);
  ShapeRule standard = nullptr;  ///< the standard's,
  Own own = nullptr;             ///< one of tract's,
  Slicing slicing = nullptr;     ///< or one of slices
  MaybeShapes operator()(const ShapeCall& call, Slices beyond) const {
    if (slicing != nullptr) return slicing(call, beyond);
    return standard != nullptr ? standard(call) : own(call);
  }
};

struct TractRow {
  std::string_view operation;
  TractRule::Own rule;
};
/// Of one file.
std::span<const TractRow> tract_product_rows();

/// Null for an operation without a rule.
const TractRule* tract_rule(std::string_view operation);

}  // namespace t2n::spec
