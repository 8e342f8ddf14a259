// Error, and helpers for messages: quoting and "did you mean".
#include "src/diag/error.h"

#include <algorithm>
#include <numeric>

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

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replace});
      diagonal = above;
    }
  }
  return row.back();
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
  size_t best_distance = std::max<size_t>(2, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t distance = edit_distance(text, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace t2n
