// Shapes of what the operations of NNEF 1.0.5 result in, where every input's shape is known.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/shape.h"
#include "src/spec/operations.h"

namespace t2n::spec {

/// The shape of a tensor, or null where it is not known. Literals are not asked about.
using ShapeOf = std::function<const ir::Ints*(std::string_view)>;

/// The shape of each result of a call of the standard, those of a list one after the other; none
/// where the shape of an operand is not known. The arguments have passed check_types.
/// Errors: `nnef-invalid` where an argument breaks a rule of its operation (§4, argument validity),
/// the shapes of operands do not go together, or a number does not fit the readers' 32 bits.
std::optional<std::vector<ir::Ints>> infer_shapes(const nnef::Fragment& declaration,
                                                  const Arguments& arguments,
                                                  const ShapeOf& shape_of);

}  // namespace t2n::spec
