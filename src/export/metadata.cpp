// SPDX-License-Identifier: Apache-2.0
#include "src/export/metadata.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n {
namespace {

/// The first characters of keys that t2nnef, and tract's own writer, use.
constexpr std::array<std::string_view, 4> kReserved = {"t2nnef_", "t2nnef.", "tract_", "tract."};

[[noreturn]] void refuse(const std::string& text, const std::string& why, const std::string& help) {
  throw Error("usage", cat("--metadata ", quoted(text), " ", why), {}, help);
}

std::pair<std::string, std::string> parse_entry(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(text, "is not of the form KEY=VALUE", "write, for example, --metadata author=me");
  if (printable_line(text) != text || text.find('\t') != std::string::npos)
    refuse(text, "contains a control character, or is not UTF-8", "use one line of plain text");
  const std::string key = text.substr(0, equals);
  for (const std::string_view prefix : kReserved)
    if (key.starts_with(prefix))
      refuse(text, cat("has a key that begins with ", quoted(prefix)),
             "keys with this prefix belong to t2nnef and tract; choose another one");
  return {key, text.substr(equals + 1)};
}

}  // namespace

Metadata parse_metadata(const std::vector<std::string>& texts, const target::Target& target) {
  if (!texts.empty() && target.engine == target::Engine::khronos)
    throw Error("usage", cat("--metadata has no place in a file for ", target::target_name(target)),
                "strict NNEF has no properties", "keep it elsewhere, or use --target tract");
  Metadata out;
  for (const std::string& text : texts) {
    std::pair<std::string, std::string> entry = parse_entry(text);
    const bool is_known = std::any_of(out.begin(), out.end(),
                                      [&](const auto& each) { return each.first == entry.first; });
    if (is_known) refuse(text, "gives the same key again", "give each key once");
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace t2n
