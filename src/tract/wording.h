// What tract says when it refuses or panics, reduced to the lines that a user can use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace t2n::tract {

struct Reason {
  std::string headline;              ///< the root cause, one line
  std::vector<std::string> details;  ///< the way to it, outermost first
};

/// An error text with its "Caused by:" chain. `Identifier("x")` becomes 'x'; backtraces are cut.
Reason reason_of_error(std::string_view text);

/// The first panic in what a process printed, and where in tract it happened. Without a panic: the
/// last line printed. An empty headline if nothing was printed.
Reason reason_of_crash(std::string_view output);

}  // namespace t2n::tract
