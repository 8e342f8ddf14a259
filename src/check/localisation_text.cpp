// SPDX-License-Identifier: Apache-2.0
#include "src/check/localisation_text.h"

#include <cmath>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n {
namespace {

std::string number(double value) { return number_text("%.6g", value); }

/// "conv 'layer1_x' at graph.nnef:23"
std::string statement_str(const StatementLocation& location) {
  return cat(location.operation, location.tensor.empty() ? "" : cat(" ", quoted(location.tensor)),
             location.line > 0 ? cat(" at graph.nnef:", location.line) : "");
}

/// ", which computes aten::conv2d of layer1.0.conv1 (Conv2d), model.py:12"
std::string origin_str(const StatementLocation& location) {
  const std::string where = render_where(location.where);
  if (location.op.empty() && where.empty()) return {};
  return cat(", which computes ", location.op.empty() ? "a part" : location.op,
             where.empty() ? "" : cat(" of ", where));
}

std::string statistics_str(const TensorStatistics& all) {
  return cat("min ", number(all.min), ", max ", number(all.max), ", mean ", number(all.mean),
             all.not_finite > 0 ? cat(", ", all.not_finite, " not finite") : "");
}

std::string index_str(const ir::Ints& index) {
  return index.empty() ? "" : ir::shape_str(ir::to_shape(index));
}

/// "6 of 120 elements differ, most in [0,3]: expected 0.1, got 0.2"
std::string values_str(const TensorDifference& found) {
  const int64_t elements = ir::element_count(found.shape);
  if (ir::element_count(found.expected_shape) != elements)
    return cat("shape ", ir::shape_str(ir::to_shape(found.shape)), ", expected ",
               ir::shape_str(ir::to_shape(found.expected_shape)));
  if (found.differing == 0)
    return cat("rounding explains the differences of all ", elements, " elements; the largest is ",
               number(std::abs(found.worst_expected - found.worst_actual)),
               index_str(found.worst).empty() ? "" : ", in ", index_str(found.worst));
  return cat(found.differing, " of ", elements, elements == 1 ? " element" : " elements",
             " differ, most ", index_str(found.worst).empty() ? "" : "in ", index_str(found.worst),
             ": expected ", number(found.worst_expected), ", got ", number(found.worst_actual));
}

void add_tensor(const TensorDifference& found, bool is_first, std::vector<std::string>& out) {
  out.push_back(cat(is_first ? "the difference begins in " : "also in ",
                    statement_str(found.location), origin_str(found.location)));
  if (!is_first) return;
  if (!found.is_known) {
    out.push_back(
        cat("  the model has no such tensor; the artefact's: ", statistics_str(found.actual)));
    return;
  }
  out.push_back(cat("  ", values_str(found)));
  out.push_back(cat("  the model's:    ", statistics_str(found.expected)));
  out.push_back(cat("  the artefact's: ", statistics_str(found.actual)));
}

}  // namespace

std::vector<std::string> localisation_lines(const Localisation& found) {
  std::vector<std::string> out;
  for (const TensorDifference& each : found.first) add_tensor(each, out.empty(), out);
  for (const FileDifference& each : found.file)
    out.push_back(cat("in the file: ", each.text,
                      each.location.line > 0 ? cat(", graph.nnef:", each.location.line) : "",
                      origin_str(each.location)));
  if (found.more_in_file > 0) out.push_back(cat("and ", found.more_in_file, " more in the file"));
  if (found.first.empty() && !found.note.empty() && found.file.empty())
    out.push_back(cat("the first tensor that differs is unknown: ", found.note));
  for (std::string& line : out) line = printable_line(line);
  return out;
}

std::vector<Where> localisation_where(const Localisation& found) {
  const auto is_known = [](const StatementLocation& location) {
    return !location.op.empty() || !location.where.frames.empty();
  };
  for (const TensorDifference& each : found.first)
    if (is_known(each.location)) return {each.location.where};
  for (const FileDifference& each : found.file)
    if (is_known(each.location)) return {each.location.where};
  return {};
}

}  // namespace t2n
