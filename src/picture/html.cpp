// SPDX-License-Identifier: Apache-2.0
// The page and its data. In the data, no text can end the element that contains it.
#include <string_view>

#include "src/diag/error.h"
#include "src/picture/formats.h"
#include "src/picture/page.h"

namespace t2n::picture {
namespace {

/// In JSON only strings contain these characters.
std::string in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html(const Picture& picture) {
  if (page().empty())
    throw Error("cannot-write", "this t2nnef was built without the layout library of .html", {},
                "write .dot or .json, or run cmake/setup.sh and build t2nnef again");
  constexpr std::string_view kMark = "@DATA@";
  const size_t mark = page().find(kMark);
  T2N_ASSERT(mark != std::string_view::npos, "the page has no place for its data");
  return cat(page().substr(0, mark), in_script(json(picture)), page().substr(mark + kMark.size()));
}

}  // namespace t2n::picture
