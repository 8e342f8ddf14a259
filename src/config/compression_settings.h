// SPDX-License-Identifier: Apache-2.0
// Reads compression settings from a JSON file.
#pragma once

#include <string>
#include <vector>

#include "src/compress/settings/settings.h"

namespace t2n::config {

/// {"": {"weights": {"bits": 8}}, "layer1.*": {"activations": null}}: one entry for each key, in
/// the file's order. `$schema` is ignored.   Errors: `usage` for invalid JSON, for keys that are
/// given twice, and for anything but such tables. compress::Settings checks the keys of settings.
std::vector<compress::SettingsEntry> read_compression_settings(const std::string& text,
                                                               const std::string& file);

/// The same for a module's own settings, by submodule or for itself: {"weights": {"bits": 4}}.
/// `origin` is used in messages: "'quant_params' of 'head'".
std::vector<compress::SettingsEntry> read_module_settings(const std::string& text,
                                                          const std::string& origin);

}  // namespace t2n::config
