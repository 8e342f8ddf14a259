// SPDX-License-Identifier: Apache-2.0
// The "compression" object of the report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/export/compressed_model.h"

namespace t2n {

/// Infinite numbers are null.
nlohmann::ordered_json compression_json(const Compression& compression);

}  // namespace t2n
