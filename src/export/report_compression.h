// "compression" of the report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/export/compressed_model.h"

namespace t2n {

/// Numbers that are infinite are null.
nlohmann::ordered_json compression_json(const Compression& compression);

}  // namespace t2n
