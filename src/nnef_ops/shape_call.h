// A shape rule's view of one call.
#pragma once

#include <array>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/shape.h"
#include "src/diag/error.h"
#include "src/nnef_ops/shapes.h"
#include "src/spec/operations.h"

namespace t2n::spec {

using ir::Ints;
using Shapes = std::vector<Ints>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// Arguments by parameter, with the declared types. Numbers instead of tensors have rank 0, arrays
/// of them rank 1.
class ShapeCall {
 public:
  ShapeCall(const nnef::Fragment& declaration, const Arguments& arguments, const ShapeOf& shape_of)
      : declaration_(declaration), arguments_(arguments), shape_of_(shape_of) {}

  Ints shape(std::string_view parameter) const;
  Shapes shapes(std::string_view parameter) const;
  int64_t integer(std::string_view parameter) const;
  double number(std::string_view parameter) const;
  bool flag(std::string_view parameter) const;
  const std::string& text(std::string_view parameter) const;
  Ints ints(std::string_view parameter) const;
  Pairs pairs(std::string_view parameter) const;
  size_t list_size(std::string_view parameter) const { return value(parameter).items.size(); }
  /// The integers of a tensor, if they are literals in the call.
  std::optional<Ints> numbers_of(std::string_view parameter) const;
  std::optional<int64_t> number_of(std::string_view parameter) const;
  Ints first_shape() const { return shape(declaration_.parameters[0].name); }  ///< operand
  /// The shapes of all operands that are single tensors.
  Shapes operand_shapes() const;

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw Error("nnef-invalid", cat("'", declaration_.name, "': ", parts...));
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
  const nnef::Value& value(std::string_view parameter) const;
  Ints shape_of(const nnef::Value& value) const;

  const nnef::Fragment& declaration_;
  const Arguments& arguments_;
  const ShapeOf& shape_of_;
};

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

using ShapeRule = Shapes (*)(const ShapeCall& call);
struct ShapeRow {
  std::string_view operation;
  ShapeRule rule;
};

/// The rule of an operation of the standard.
ShapeRule standard_rule(std::string_view operation);

// By file.
std::span<const ShapeRow> elementwise_shapes();
std::span<const ShapeRow> window_shapes();
std::span<const ShapeRow> structure_shapes();
std::span<const ShapeRow> other_shapes();

}  // namespace t2n::spec
