// SPDX-License-Identifier: Apache-2.0
#include "src/diag/clipped_start.h"

#include "src/diag/printable.h"

namespace t2n {

std::string clipped_start(const std::string& text, size_t most) {
  size_t rest = text_width(text);
  if (rest <= most) return text;
  size_t at = 0;
  for (; rest + 1 > most; --rest) do
      ++at;
    while ((text[at] & 0xc0) == 0x80);
  return "…" + text.substr(at);
}

}  // namespace t2n
