// SPDX-License-Identifier: Apache-2.0
// What the terminal shows: its width, and colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace t2n::cli {

/// "auto", "always" or "never". `auto` colours on terminals, unless NO_COLOR is set. Errors:
/// `usage`.
void set_color(const std::string& mode);

/// Characters of a line of the terminal that a stream writes to; nothing for files and pipes.
std::optional<size_t> terminal_width(int stream);
/// Characters of a line: COLUMNS, or the terminal's; nothing for files and pipes.
std::optional<size_t> known_width();
/// The same, with 80 for files and pipes.
size_t line_width();

/// Printable text of diagnostics with colours for stderr, unchanged without colours.
std::string colored_diagnostics(std::string_view text);
/// Printable results with coloured verdicts for stdout, unchanged without colours.
std::string colored_verdicts(std::string_view text);

}  // namespace t2n::cli
