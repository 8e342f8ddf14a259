// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text safe to print: a file must not control the user's terminal.
#pragma once

#include <string>
#include <string_view>

namespace t2n {

/// Writes control characters, direction marks and bytes that are not UTF-8 as `\x1b` or `\u{202e}`.
/// Newlines and tabs stay.
std::string printable(std::string_view text);

/// The same on one line: a newline becomes `\n`.
std::string printable_line(std::string_view text);

/// The same for JSON, where only strings contain such characters: `\u001b`.
std::string printable_json(std::string_view text);

/// First line of a text, at most `limit` characters.
std::string first_line(const std::string& text, size_t limit = 300);

/// Printable lines that no workflow runner reads as commands: "::" at the start of a line, and
/// "##[" anywhere, begin with an escaped character.
std::string without_commands(std::string text);

/// At most so many characters of UTF-8 text; the last one is "…" if some are missing.
std::string clipped(const std::string& text, size_t most);

/// A number in a format of printf, for a reader: "%.4g".
std::string number_text(const char* format, double value);

/// Characters of UTF-8 text: bytes that do not continue a character.
size_t text_width(std::string_view text);

}  // namespace t2n
