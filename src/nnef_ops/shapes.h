// Shapes of the results of NNEF 1.0.5's operations, if the shapes of all inputs are known.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/shape.h"
#include "src/spec/operations.h"

namespace t2n::spec {

/// The shape of a tensor, or nullptr if it is unknown. Not called for literals.
using ShapeOf = std::function<const ir::Ints*(std::string_view)>;

/// The shape of each result of a call in the standard, those of a list one after another; none if
/// the shape of an operand is unknown. The arguments have passed check_types. Errors:
/// `nnef-invalid` if an argument breaks a rule of its operation (§4, argument validity), if the
/// operands' shapes are incompatible, or if a number does not fit into the readers' 32 bits.
std::optional<std::vector<ir::Ints>> infer_shapes(const nnef::Fragment& declaration,
                                                  const Arguments& arguments,
                                                  const ShapeOf& shape_of);

}  // namespace t2n::spec
