// Where an artefact begins to differ, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "src/check/localisation.h"

namespace t2n {

/// The object "localisation" of a check; `where_json` writes locations. Infinite numbers are null.
nlohmann::ordered_json localisation_json(const Localisation& found,
                                         nlohmann::ordered_json (*where_json)(const Where& where));

}  // namespace t2n
