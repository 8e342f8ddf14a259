// Reads compression settings from a JSON file.
#pragma once

#include <string>
#include <vector>

#include "src/compress/settings.h"

namespace t2n::config {

/// {"": {"weights": {"bits": 8}}, "layer1.*": {"activations": null}}: one entry for each key, in
/// the file's order. `origin` names the file in messages.   Errors: `usage` for invalid JSON, for
/// keys that are given twice, and for anything but such tables. compress::Settings checks the keys
/// of settings.
std::vector<compress::Entry> read_compression_settings(const std::string& text,
                                                       const std::string& origin);

}  // namespace t2n::config
