// SPDX-License-Identifier: Apache-2.0
// A shape rule's view of a call.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef_ops/book.h"
#include "src/spec/bound_call.h"

namespace t2n::nnef_ops {

using ir::Ints;
using spec::Pairs;

/// The shape of a tensor, or nullptr if it is unknown. Not called for literals.
using ShapeOf = std::function<const Ints*(std::string_view)>;

/// How a slice that ends beyond its axis is treated.
enum class Slices { refused, clamped, unknown };

/// A call whose arguments have the declared types. Numbers instead of tensors have rank 0, arrays
/// of them rank 1.
class ShapeCall : public spec::BoundCall {
 public:
  ShapeCall(const BoundCall& call, const ShapeOf& shape_of, Slices slices = Slices::refused)
      : BoundCall(call), slices_(slices), shape_of_(shape_of) {}

  Ints shape(std::string_view parameter) const { return shape_of(value(parameter)); }
  Shapes shapes(std::string_view parameter) const;
  /// The integers of a tensor, if they are literals in the call.
  std::optional<Ints> numbers_of(std::string_view parameter) const;
  std::optional<int64_t> number_of(std::string_view parameter) const;
  Ints first_shape() const { return shape_of(first()); }  ///< operand
  /// The shapes of all operands that are single tensors.
  Shapes operand_shapes() const;
  Slices slices() const { return slices_; }

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw Error("nnef-invalid", cat("'", operation(), "': ", parts...));
  }
  template <typename... Parts>
  void require(bool condition, const Parts&... parts) const {
    if (!condition) refuse(parts...);
  }

  // Checks that many operations share; messages name the parameter.

  /// A list of `count` positive numbers.
  Ints positive(std::string_view parameter, size_t count) const;
  /// Axes of a tensor with `rank` axes; none may occur twice.
  Ints axes(std::string_view parameter, size_t rank) const;
  size_t axis(std::string_view parameter, size_t rank) const;
  void one_of(std::string_view parameter, std::span<const std::string_view> allowed) const;

 private:
  Ints shape_of(const nnef::Value& value) const;

  Slices slices_;
  const ShapeOf& shape_of_;
};

/// The shape of each result of a call in the standard, those of a list one after another; none if
/// the shape of an operand is unknown. The arguments have passed check_types. Errors:
/// `nnef-invalid` if an argument breaks a rule of its operation (§4, argument validity), if the
/// operands' shapes are incompatible, or if a number does not fit into the readers' 32 bits.
std::optional<Shapes> infer_shapes(const spec::BoundCall& call, const ShapeOf& shape_of);

/// Border modes (§4.3); the last one means that there is no border.
inline constexpr std::array<std::string_view, 5> kBorders = {"constant", "replicate", "reflect",
                                                             "reflect-even", "ignore"};
inline constexpr std::span<const std::string_view> kFilledBorders = std::span(kBorders).first(4);

/// Checks that padding by reflection does not exceed the extent.
void check_reflection(const ShapeCall& call, size_t axis, int64_t extent,
                      std::pair<int64_t, int64_t> padding);

/// "[1,3,8]", computed only when a message is printed.
struct ShapeText {
  const Ints& shape;
};
std::ostream& operator<<(std::ostream& out, const ShapeText& text);
inline ShapeText shape_text(const Ints& shape) { return {shape}; }

/// The shape that both broadcast to: axes are matched from the first on (§4.2.2).
Ints broadcast(const ShapeCall& call, const Ints& a, const Ints& b);
/// Whether `from` broadcasts to `to` without changing it.
bool broadcasts_to(const Ints& from, const Ints& to);

inline auto axis_at(const Ints& shape, size_t axis) {
  return shape.begin() + static_cast<ptrdiff_t>(axis);
}

/// The product of sizes, without silent overflow.
int64_t volume(const Ints& sizes);
int64_t product(int64_t a, int64_t b);

// Rules that several families share.
Shapes unary_shape(const ShapeCall& call);  ///< the first operand's
Shapes broadcast_shape(const ShapeCall& call);
/// Later operands broadcast to the first one: the reference reader refuses a result of another
/// shape.
Shapes over_first_shape(const ShapeCall& call);

}  // namespace t2n::nnef_ops
