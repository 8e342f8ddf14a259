// SPDX-License-Identifier: Apache-2.0
// Where an artefact begins to differ, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/check/localisation.h"

namespace t2n {

/// The object "localisation" of a check.
nlohmann::ordered_json localisation_json(const Localisation& found);

}  // namespace t2n
