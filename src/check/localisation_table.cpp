// SPDX-License-Identifier: Apache-2.0
#include "src/check/localisation_table.h"

#include <algorithm>
#include <array>

#include "src/diag/clipped_start.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::check {
namespace {

enum TensorColumn : size_t {
  distance_column,
  line_column,
  operation_column,
  tensor_column,
  kTensorColumns
};
using Cells = std::array<std::string, kTensorColumns>;
using CellWidths = std::array<size_t, kTensorColumns>;

constexpr size_t kIndent = 2;
constexpr size_t kLeastTensor = 16;

std::string distance_cell(const TensorRow& row) {
  if (!row.distance) return "-";
  return cat(row.is_wrong ? "DIFFERS " : "",
             *row.distance == 0 ? "0" : number_text("%.1e", *row.distance));
}

Cells cells_of(const TensorRow& row) {
  const StatementLocation& location = row.location;
  return {distance_cell(row), location.line > 0 ? cat(location.line) : "-",
          printable_line(location.operation), printable_line(location.tensor)};
}

/// Operations are clipped only where names would have no place.
CellWidths widths_within(const std::vector<Cells>& lines, size_t width) {
  CellWidths widths{};
  for (const Cells& line : lines)
    for (size_t i = 0; i < kTensorColumns; ++i)
      widths[i] = std::max(widths[i], text_width(line[i]));
  const size_t numbers = widths[distance_column] + widths[line_column] + kIndent * kTensorColumns;
  const size_t rest = width > numbers ? width - numbers : 0;
  const size_t most = std::max(kLeastTensor, rest > kLeastTensor ? rest - kLeastTensor : 0);
  widths[operation_column] = std::min(widths[operation_column], most);
  const size_t used = std::min(rest, widths[operation_column]);
  widths[tensor_column] = std::min(widths[tensor_column], std::max(kLeastTensor, rest - used));
  return widths;
}

std::string line_text(const Cells& line, const CellWidths& widths) {
  std::string out;
  for (size_t i = 0; i < kTensorColumns; ++i) {
    const std::string cell = clipped_start(line[i], widths[i]);
    const std::string fill(widths[i] - text_width(cell), ' ');
    out += std::string(kIndent, ' ') + (i <= line_column ? fill + cell : cell + fill);
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

}  // namespace

std::string localisation_table(const Localisation& found, size_t width) {
  if (found.table.empty()) return {};
  std::vector<Cells> lines = {{"distance", "line", "operation", "tensor"}};
  for (const TensorRow& row : found.table) lines.push_back(cells_of(row));
  const CellWidths widths = widths_within(lines, width);
  std::string out =
      cat("tensors, with their relative distance from\n  ", printable_line(found.reference),
          found.inputs.empty() ? "" : cat(", ", printable_line(found.inputs)), "\n",
          line_text(lines[0], widths));
  std::string last;
  for (size_t i = 0; i < found.table.size(); ++i) {
    const std::string where = printable_line(render_where(found.table[i].location.where));
    if (where != last)
      out += cat("  ", clipped_start(where.empty() ? "of no known line" : where, width - kIndent),
                 "\n");
    last = where;
    out += line_text(lines[i + 1], widths);
  }
  return out;
}

}  // namespace t2n::check
