// SPDX-License-Identifier: Apache-2.0
#include "cli/export_text.h"

#include <algorithm>

#include "cli/options/check_options.h"
#include "cli/options/compress_options.h"
#include "cli/outputs.h"
#include "cli/screen/terminal.h"
#include "cli/screen/text.h"
#include "ir/readable.h"
#include "ir/shape.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/step_summaries.h"

namespace t2n::cli {
namespace {

constexpr size_t kIndent = 4;  // of lines that go on

std::string ports_text(const std::vector<Port>& ports) {
  constexpr size_t kShown = 4;
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(ports.size(), kShown); ++i)
    parts.push_back(typed(ports[i].name, ports[i].dtype, ports[i].shape));
  if (ports.size() > kShown) parts.push_back(cat("and ", ports.size() - kShown, " more"));
  return joined(parts, ", ");
}

/// The constraints on sizes that the artefact asserts, except S >= 1 of a declared axis.
std::string relations_text(const ExportResult& result) {
  std::vector<std::string> parts;
  const auto is_default = [](const ir::Comparison& relation) {
    return relation.right == ir::Dim(1) && relation.relation == ir::Relation::ge &&
           relation.left.as_symbol() != nullptr && !ir::is_unbacked(relation.left);
  };
  for (const ir::Comparison& relation : result.relations)
    if (!is_default(relation)) parts.push_back(ir::readable(relation));
  return joined(parts, ", ");
}

/// Inputs, outputs, constraints and size of the artefact.
std::vector<std::string> signature_parts(const ExportResult& result) {
  std::vector<std::string> parts;
  if (!result.inputs.empty())
    parts.push_back(cat(ports_text(result.inputs),
                        result.samples_from_file ? origin_of_samples(result.model) : ""));
  if (!result.outputs.empty() && !result.relations.empty())
    parts.push_back(cat("gives ", ports_text(result.outputs)));
  if (const std::string relations = relations_text(result); !relations.empty())
    parts.push_back(cat("requires ", relations));
  if (!result.constant_inputs.empty())
    parts.push_back(cat("constant: ", joined(result.constant_inputs, ", ")));
  if (!result.pruned_inputs.empty())
    parts.push_back(cat("removed inputs: ", joined(result.pruned_inputs, ", ")));
  std::vector<std::string> states;
  for (const Port& port : result.outputs)
    if (!port.state.empty()) states.push_back(cat(port.name, " -> ", port.other_side));
  if (!states.empty()) parts.push_back(cat("state: ", joined(states, ", ")));
  parts.push_back(counted(result.operations, "operation"));
  parts.push_back(cat(short_count(result.model.parameters), " parameters",
                      result.quantised_weights == 0
                          ? ""
                          : cat(" and ", short_count(result.quantised_weights), " quantised")));
  return parts;
}

/// The parts after `first`, in one line if it fits, else a line each.
std::string with_parts(const std::string& first, const std::vector<std::string>& parts) {
  constexpr size_t kLong = 160;  // in a file
  const size_t width = known_width().value_or(kLong);
  const std::string line = cat(first, first.ends_with(':') ? " " : " · ", joined(parts, " · "));
  if (text_width(line) <= width) return line;
  std::string out = first;
  for (const std::string& part : parts) {
    const std::vector<std::string> lines = wrapped(part, width - kIndent);
    out += cat("\n  ", joined(lines, cat("\n", std::string(kIndent, ' '))));
  }
  return out;
}

/// "computes in f16: 40 of 52 operations; in f32: 8 layer_norm, 4 softmax"
std::string floats_text(const FloatSummary& floats) {
  std::vector<std::string> names;
  for (const auto& [name, count] : floats.f32_by_name) names.push_back(cat(count, " ", name));
  return cat("computes in f16: ", floats.in_f16, " of ",
             counted(floats.in_f16 + floats.in_f32, "operation"),
             names.empty() ? "" : cat("; in f32: ", joined(names, ", ")), "\n");
}

std::string tables_text(const ExportOptions& options, const ExportResult& result) {
  return cat(result.floats ? floats_text(*result.floats) : "",
             result.compression && !(result.floats && result.compression->layers.empty())
                 ? compression_text(*result.compression)
                 : "",
             options.check ? check_text(*options.check, result.checked) : "",
             result.packed.empty() ? "" : cat(result.packed, "\n"));
}

std::string written_text(const ExportOptions& options, const ExportResult& result) {
  const std::string shared =
      result.shared_bytes == 0
          ? ""
          : cat(", ", short_bytes(result.shared_bytes), " of them shared with the artefacts above");
  if (options.dry_run)
    return cat("would write ", output_name(result.path), "  ", short_bytes(result.bytes), shared,
               result.replaces ? ", in place of the existing one\n" : "\n");
  return cat("wrote ", output_name(result.path), "  ", short_bytes(result.bytes), shared,
             result.needs.empty() ? "" : cat(" · needs ", joined(result.needs, ", ")), "\n");
}

}  // namespace

std::string models_text(const std::vector<ExportOptions>& methods,
                        const std::vector<ExportResult>& results) {
  const std::string model = model_text(methods.front().model, results.front().model);
  if (results.size() == 1) return with_parts(model, signature_parts(results.front()));
  std::string out = model;
  for (const ExportResult& result : results)
    out += "\n" + with_parts(cat("  ", result.method, ":"), signature_parts(result));
  return out;
}

std::string results_text(const std::vector<ExportOptions>& methods,
                         const std::vector<ExportResult>& results) {
  std::string out;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string tables = tables_text(methods[i], results[i]);
    out += cat(results.size() > 1 && !tables.empty() ? cat(results[i].method, ":\n") : "", tables);
  }
  for (size_t i = 0; i < results.size(); ++i) out += written_text(methods[i], results[i]);
  return out;
}

}  // namespace t2n::cli
