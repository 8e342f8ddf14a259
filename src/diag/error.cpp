// SPDX-License-Identifier: Apache-2.0
// Error, and helpers for messages: quoting and "did you mean".
#include "src/diag/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace t2n {

Error::Error(Diagnostic diagnostic)
    : diagnostic_(std::move(diagnostic)), text_(render_text(diagnostic_)) {}

Error::Error(Diagnostic diagnostic, std::vector<Diagnostic> others)
    : Error(std::move(diagnostic)) {
  others_ = std::move(others);
}

Error::Error(std::string_view id, std::string message, std::string why, std::string help,
             std::string subject)
    : Error(Diagnostic{.id = std::string(id),
                       .message = std::move(message),
                       .where = {},
                       .details = {},
                       .why = std::move(why),
                       .help = std::move(help),
                       .subject = std::move(subject)}) {}

void internal_error(std::string_view file, int line, const std::string& message) {
  const size_t slash = file.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? file : file.substr(slash + 1);
  throw Error("internal", message, "this is a bug in t2nnef, not in your model",
              "please report it with the command you ran", cat(name, ":", line));
}

std::string quoted(std::string_view text) { return cat("'", text, "'"); }

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Letters added, removed, replaced, or exchanged with their neighbour; case is free.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool is_exchanged =
          i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (is_exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

/// Both without a namespace that they share: "aten::".
std::pair<std::string_view, std::string_view> without_namespace(std::string_view a,
                                                                std::string_view b) {
  const size_t colons = a.rfind("::");
  if (colons == std::string_view::npos || !b.starts_with(a.substr(0, colons + 2))) return {a, b};
  return {a.substr(colons + 2), b.substr(colons + 2)};
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) out += cat(&part == parts.data() ? "" : separator, part);
  return out;
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 200;  // longer text is no misspelling, and the cost is quadratic
  if (text.size() > kLongest) return {};
  std::string best;
  size_t best_distance = kLongest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const auto [a, b] = without_namespace(text, candidate);
    const size_t distance = edit_distance(a, b);
    const size_t length = std::max(a.size(), b.size());
    const bool is_near = distance <= std::max<size_t>(1, length / 3) && 2 * distance <= length;
    if (is_near && distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace t2n
