// SPDX-License-Identifier: Apache-2.0
// tract's messages of refusals and panics, reduced to the lines that help a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace t2n::tract {

struct Reason {
  std::string headline;              ///< the root cause, in one line
  std::vector<std::string> details;  ///< the causes that lead to it, outermost first
};

/// Parses an error text with its "Caused by:" chain. `Identifier("x")` becomes 'x'; backtraces are
/// cut.
Reason reason_of_error(std::string_view text);

/// The first panic in the output of a process, with its location in tract. Without a panic: the
/// last line. An empty headline if there was no output.
Reason reason_of_crash(std::string_view output);

}  // namespace t2n::tract
