// Settings of compression in a JSON file.
#pragma once

#include <string>
#include <vector>

#include "src/compress/settings.h"

namespace t2n::config {

/// {"": {"weights": {"bits": 8}}, "layer1.*": {"activations": null}}: an entry for each key, in the
/// order of the file. `origin` names the file in messages.   Errors: `usage` for what is no JSON,
/// for keys that are given twice, and for anything but such tables. Keys of settings are looked at
/// by compress::Settings.
std::vector<compress::Entry> read_compression_settings(const std::string& text,
                                                       const std::string& origin);

}  // namespace t2n::config
