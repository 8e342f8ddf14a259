// SPDX-License-Identifier: Apache-2.0
// Diagnostics as text: headline, locations with the source line and a caret, why, help.
#include <algorithm>

#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/diag/printable.h"

namespace t2n {

std::string render_where(const Where& where) {
  std::string out = where.module;
  if (out.empty() && !where.module_class.empty()) out = "the model";
  if (!where.module_class.empty()) out += cat(" (", where.module_class, ")");
  std::string frames;
  for (const Frame& frame : where.frames) {
    if (!frames.empty()) frames += " < ";
    frames += cat(frame.file, ":", frame.line);
    if (frame.column > 0) frames += cat(":", frame.column);
  }
  if (!out.empty() && !frames.empty()) out += ", ";
  return out + frames;
}

void set_uses(Diagnostic& diagnostic, std::vector<Use> uses) {
  diagnostic.where.clear();
  for (const Use& use : uses)
    diagnostic.where.insert(diagnostic.where.end(), use.where.begin(), use.where.end());
  diagnostic.uses = std::move(uses);
}

namespace {

/// "2x aten::igamma   first: model.py:8", with its reason and help below.
std::string uses_text(const std::vector<Use>& uses) {
  const auto count_of = [](const Use& use) {
    return use.count == 0 ? std::string() : cat(use.count, "x ");
  };
  size_t text_width = 0, count_width = 0;
  for (const Use& use : uses) {
    text_width = std::max(text_width, use.what.size());
    count_width = std::max(count_width, count_of(use).size());
  }
  std::string out;
  for (const Use& use : uses) {
    const std::string count = count_of(use);
    std::string row = cat(std::string(count_width - count.size(), ' '), count, use.what);
    const std::string location = use.where.empty() ? "" : render_where(use.where[0]);
    if (!location.empty())
      row += cat(std::string(text_width - use.what.size(), ' '), "   ",
                 use.count == 0 ? "" : "first: ", location);
    const std::string below(3 + std::max<size_t>(count_width, 3), ' ');
    out += cat("   ", printable(row), "\n");
    if (!use.why.empty()) out += cat(below, "why: ", printable(use.why), "\n");
    if (!use.help.empty()) out += cat(below, "help: ", printable(use.help), "\n");
  }
  return out;
}

}  // namespace

std::string headline(const Diagnostic& diagnostic) {
  const bool shows_subject = diagnostic.id == "internal" || diagnostic.id == "lint";
  if (!shows_subject || diagnostic.subject.empty()) return diagnostic.message;
  return cat(diagnostic.subject, ": ", diagnostic.message);
}

std::string render_text(const Diagnostic& diagnostic) {
  std::string out;
  const std::string first = printable_line(headline(diagnostic));
  if (diagnostic.id == "internal") {
    out = cat("internal error: ", first, "\n");
  } else {
    switch (diagnostic.severity) {
      case Severity::error: out = "error"; break;
      case Severity::warning: out = "warning"; break;
      case Severity::note: out = "note"; break;
    }
    out += cat("[", diagnostic.id, "]: ", first, "\n");
  }
  out += uses_text(diagnostic.uses);
  for (const Where& where : diagnostic.where) {
    if (!diagnostic.uses.empty()) break;
    const std::string location = printable_line(render_where(where));
    if (!location.empty()) out += cat("  --> ", location, "\n");
    if (where.excerpt.empty()) continue;
    out += cat("   |  ", printable_line(where.excerpt), "\n");
    if (where.caret_width > 0)
      out += cat("   |  ", std::string(static_cast<size_t>(where.caret), ' '),
                 std::string(static_cast<size_t>(where.caret_width), '^'), "\n");
  }
  for (const std::string& line : diagnostic.details) out += cat("   ", printable(line), "\n");
  if (!diagnostic.why.empty()) out += cat("  why:  ", printable(diagnostic.why), "\n");
  if (!diagnostic.help.empty()) out += cat("  help: ", printable(diagnostic.help), "\n");
  return out;
}

}  // namespace t2n
