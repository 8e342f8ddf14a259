// SPDX-License-Identifier: Apache-2.0
#include "src/export/step_summaries.h"

#include <algorithm>

#include "ir/readable.h"
#include "ir/shape.h"
#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n {
namespace {

constexpr size_t kLongest = 300;

int64_t count(size_t number) { return static_cast<int64_t>(number); }

std::string shortened(const std::string& text) { return clipped(text, kLongest); }

bool is_storage(const nnef::Assignment& statement) {
  const std::string& op = statement.right.text;
  return op == "variable" || op == "external" || op == "tract_core_external";
}

}  // namespace

const char* origin_of_samples(const trace::ModelInfo& model) {
  return model.kind == trace::FileKind::exported ? " (from the file)" : " (from trace)";
}

StepSummary summary_of_inputs(const LoadedModel& model) {
  StepSummary out{.counts = {{"argument", count(model.info.arguments.size())},
                             {"sample", count(model.samples.size())}}};
  for (const Sample& sample : model.samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value)) {
      out.result = shortened(
          cat(trace::flat_name(sample.input.path), " ",
              ir::type_text(tensor->dtype, ir::Shape(tensor->shape.begin(), tensor->shape.end())),
              model.samples_from_file ? origin_of_samples(model.info) : ""));
      break;
    }
  return out;
}

StepSummary summary_of_names(const trace::ModelInfo& model) {
  return {.counts = {{"module", model.modules}, {"tensor", model.tensors}},
          .result = shortened(model.first_tensor)};
}

StepSummary summary_of_trace(const ir::Graph& graph) {
  StepSummary out{.counts = {{"operation", count(graph.nodes.size())},
                             {"constant", count(graph.constants.size())},
                             {"input", count(graph.inputs.size())},
                             {"output", count(graph.outputs.size())}}};
  if (graph.nodes.empty()) return out;
  const ir::Node& node = graph.nodes.front();
  const ir::Value& value = graph.values[node.outputs.at(0)];
  out.result = shortened(cat("%", value.name, ": ", ir::type_text(value.dtype, value.shape), " = ",
                             ir::op_name(node.op)));
  return out;
}

StepSummary summary_of_compression(const Compression& compression) {
  StepSummary out{.counts = {{"layer", count(compression.layers.size())},
                             {"batch of samples", count(compression.batches)}}};
  if (!compression.layers.empty()) {
    const compress::LayerLoss& layer = compression.layers.front();
    out.result = shortened(cat(layer.module, " ", layer.format));
  }
  return out;
}

StepSummary summary_of_translation(const nnef::Document& document) {
  const auto& body = document.graph.body;
  const auto variables = std::count_if(body.begin(), body.end(), [](const auto& statement) {
    return statement.right.text == "variable";
  });
  const auto first = std::find_if_not(body.begin(), body.end(), is_storage);
  return {.counts = {{"statement", count(body.size())},
                     {"variable", variables},
                     {"fragment", count(document.fragments.size())},
                     {"extension", count(nnef::extension_lines(document).size())}},
          .result = first == body.end() ? ""
                                        : shortened(cat(nnef::print(first->left), " = ",
                                                        nnef::print(first->right), ";"))};
}

StepSummary summary_of_files(const nnef::Document& document, const ExportResult& result) {
  return {.counts = {{"file", count(document.blobs.size()) + 1}, {"byte", result.bytes}},
          .result = result.path};
}

StepSummary summary_of_check(const CheckResult& result) {
  StepSummary out{
      .counts = {{"input set", count(result.sets.size())}, {"output", count(result.rows.size())}},
      .result = result.engine};
  if (result.rows.empty()) return out;
  const check::OutputRow& row = result.rows.front();
  out.result += shortened(cat(": ", row.name, " ", check::verdict_name(check::verdict(row)),
                              ", off by ", number_text("%.1e", row.comparison.max_abs)));
  return out;
}

}  // namespace t2n
