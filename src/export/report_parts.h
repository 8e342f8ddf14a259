// SPDX-License-Identifier: Apache-2.0
// Objects that several reports have.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/shape.h"
#include "src/model/model.h"

namespace t2n {

/// "traced", "scripted", "frozen", "graph"
std::string_view kind_name(trace::FileKind kind);

/// Sizes as numbers, or as text if they depend on symbols.
nlohmann::ordered_json shape_json(const ir::Shape& shape);

nlohmann::ordered_json model_json(const trace::ModelInfo& model, const std::string& file);

/// Operators with their uses.
nlohmann::ordered_json operators_json(
    const std::vector<std::pair<std::string, int64_t>>& operators);

}  // namespace t2n
