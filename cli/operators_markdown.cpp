// SPDX-License-Identifier: Apache-2.0
#include "cli/operators_markdown.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ops/all.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::cli {
namespace {

/// A row for all overloads and aliases of one registry entry.
struct Row {
  std::vector<std::string_view> operators;
  const ops::Entry* translation = nullptr;
};

/// Text in a cell: a bar would end it, and brackets could become a link.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '[' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) { return cat("`", text, "`"); }

std::string family_of(std::string_view file) {
  const size_t slash = file.rfind('/');
  std::string name(file.substr(slash + 1, file.rfind('.') - slash - 1));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// "`tract_core_silu` (tract 0.23.0), `t2n_silu`": variants with more requirements first.
std::string forms_text(const ops::Entry& translation) {
  std::vector<ops::Variant> variants = translation.variants;
  std::stable_sort(variants.begin(), variants.end(), [](const auto& a, const auto& b) {
    return a.when.features.size() > b.when.features.size();
  });
  std::string out = translation.refusal ? "-" : "";
  for (const ops::Variant& variant : variants) {
    out += out.empty() ? "" : ", ";
    out += variant.nnef.empty() ? "several operations" : code(variant.nnef);
    if (!variant.when.features.empty())
      out += cat(" (tract ", target::version_str(ops::oldest_version(variant)), ")");
  }
  return out;
}

std::string refused(const ops::Entry& translation) {
  return translation.refusal ? cat("always: ", target::limit_row(translation.refusal->limit).why)
                             : std::string(translation.limits);
}

std::string line(const Row& row) {
  std::string names;
  for (const std::string_view name : row.operators)
    names += (names.empty() ? "" : ", ") + code(name);
  return cat("| ", names, " | ", forms_text(*row.translation), " | ", cell(row.translation->doc),
             " | ", cell(refused(*row.translation)), " |\n");
}

bool same_entry(const ops::Entry& a, const ops::Entry& b) {
  return a.doc == b.doc && refused(a) == refused(b) && forms_text(a) == forms_text(b);
}

/// Rows in the order of their first operator's name.
std::map<std::string, std::vector<Row>> families() {
  std::map<std::string, std::vector<Row>> out;
  for (const ir::OpId op : ops::registry().ops()) {
    const ops::Entry& translation = *ops::registry().find(op);
    std::vector<Row>& rows = out[family_of(translation.file)];
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& known) {
      return same_entry(*known.translation, translation);
    });
    if (row == rows.end())
      rows.push_back({{ir::op_name(op)}, &translation});
    else
      row->operators.push_back(ir::op_name(op));
  }
  return out;
}

}  // namespace

std::string operators_markdown() {
  const std::vector<ir::OpId> all = ops::registry().ops();
  const auto refused_count = std::count_if(all.begin(), all.end(), [](ir::OpId op) {
    return ops::registry().find(op)->refusal.has_value();
  });
  std::string out = cat(
      "# Operators\n\nMade by `t2nnef ops --markdown`; a test fails while it is stale. ",
      static_cast<std::ptrdiff_t>(all.size()) - refused_count, " operators have a translation, ",
      refused_count,
      " are refused as a whole with their reason. An operation with a version in brackets is "
      "written from that version of tract on, and the next one before. `t2nnef ops aten::gelu` "
      "explains one operator, with its signature; [matrix.md](matrix.md) says what the tests have "
      "seen in each engine.\n");
  for (const auto& [family, rows] : families()) {
    out += cat("\n## ", family, "\n\n| operator | written as | meaning | refused |\n",
               "| --- | --- | --- | --- |\n");
    for (const Row& row : rows) out += line(row);
  }
  return out;
}

}  // namespace t2n::cli
