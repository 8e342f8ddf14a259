// Shapes of the results of tract's operations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {

using MaybeShapes = std::optional<Shapes>;
inline MaybeShapes one_shape(Ints shape) { return Shapes{std::move(shape)}; }

/// How a slice that ends beyond its axis is treated.
enum class Slices { refused, clamped, unknown };

/// The shape of each result; std::nullopt if sizes do not depend on shapes alone, or if tract's
/// versions differ. Refuses (`nnef-invalid`) only calls that no version of tract accepts.
struct TractRule {
  using Rule = MaybeShapes (*)(const ShapeCall& call);
  using SliceRule = MaybeShapes (*)(const ShapeCall& call, Slices beyond);
  ShapeRule standard = nullptr;  ///< the standard's,
  Rule specific = nullptr;       ///< one of tract's,
  SliceRule slicing = nullptr;   ///< or one of slices
  MaybeShapes operator()(const ShapeCall& call, Slices beyond) const {
    if (slicing != nullptr) return slicing(call, beyond);
    return standard != nullptr ? standard(call) : specific(call);
  }
};

struct TractRow {
  std::string_view operation;
  TractRule::Rule rule;
};
/// The rows of one file.
std::span<const TractRow> tract_product_rows();

/// nullptr for an operation without a rule.
const TractRule* tract_rule(std::string_view operation);

}  // namespace t2n::spec
