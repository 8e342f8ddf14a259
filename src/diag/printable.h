// Text that others wrote, made safe to print: a file must not steer the user's terminal.
#pragma once

#include <string>
#include <string_view>

namespace t2n {

/// Control characters, marks that turn the direction of text, and bytes that are no UTF-8, as
/// `\x1b` or `\u{202e}`. Newlines and tabs stay.
std::string printable(std::string_view text);

/// The same on one line: a newline becomes `\n`.
std::string printable_line(std::string_view text);

/// The same for JSON, whose strings are the only place where such characters stand: `\u001b`.
std::string printable_json(std::string_view text);

/// First line of a text, at most `limit` characters.
std::string first_line(const std::string& text, size_t limit = 300);

}  // namespace t2n
