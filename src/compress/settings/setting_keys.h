// SPDX-License-Identifier: Apache-2.0
// The keys of settings, and what each does. Private to the reading of settings.
#pragma once

#include <string>

#include "src/compress/settings/settings.h"

namespace t2n::compress {

/// Applies the options of an entry.   Errors: `usage` for unknown keys and values out of range.
void apply(NodeSettings& settings, const SettingsEntry& entry);

/// "the compression settings of FILE for 'layer1': …"
[[noreturn]] void refuse(const SettingsEntry& entry, const std::string& what,
                         const std::string& help);

/// As JSON writes it.
std::string value_text(const OptionValue& value);

}  // namespace t2n::compress
