// SPDX-License-Identifier: Apache-2.0
// Sizes as tract reads them, in files of other exporters.
#pragma once

#include <optional>
#include <string_view>

#include "ir/comparison.h"

namespace t2n::tract_forms {

/// The value of `a op b` for `+ - * /`, min and max. Quotients are truncated, by positive integers
/// only. std::nullopt for anything else, and if a number does not fit into 64 bits.
std::optional<ir::Dim> size_operation(std::string_view op, const ir::Dim& a, const ir::Dim& b);

/// The comparison of `extension tract_assert`. Its grammar differs from that of graphs: `a*b/2`
/// means `a*(b/2)`, `-` binds more tightly than `+`, and symbols may contain dots.
std::optional<ir::Comparison> read_assertion(std::string_view text);

}  // namespace t2n::tract_forms
