// SPDX-License-Identifier: Apache-2.0
// Signatures of operators, from LibTorch's registry.
#pragma once

#include <optional>
#include <string>

#include "ir/schema.h"

namespace t2n::eval {

/// nullopt if LibTorch has no operator with this name and overload ("aten::gelu",
/// "aten::add.Tensor").
std::optional<ir::Schema> find_schema(const std::string& op);
/// All operators on numbers, strings and containers, sorted by text.
std::vector<ir::Schema> operators_without_tensors();

}  // namespace t2n::eval
