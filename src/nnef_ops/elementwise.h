// Elementwise operations of tract.
#pragma once

#include <span>
#include <string_view>

namespace t2n::spec {

/// Operations of one tensor: results have its shape.
std::span<const std::string_view> unary_operations();

/// Operations whose operands broadcast.
std::span<const std::string_view> broadcasting_operations();

}  // namespace t2n::spec
