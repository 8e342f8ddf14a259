// Shapes of the results of tract's operations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "src/spec/call.h"

namespace t2n::spec {

using MaybeShapes = std::optional<Shapes>;
inline MaybeShapes one_shape(Ints shape) { return Shapes{std::move(shape)}; }

/// How a slice that ends beyond its axis is treated.
enum class Slices { refused, cut_off, unknown };

/// The shape of each result; nothing if sizes do not follow from shapes alone, or if tract's
/// versions differ. Refuses (`nnef-invalid`) only what no version of tract accepts.
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
/// The rows of one file.
std::span<const TractRow> tract_product_rows();

/// Null for an operation without a rule.
const TractRule* tract_rule(std::string_view operation);

}  // namespace t2n::spec
