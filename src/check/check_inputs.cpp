// Converts the inputs of a check to the artefact's types and order.
#include <algorithm>

#include "ir/cast.h"
#include "src/check/check_model.h"
#include "src/diag/error.h"
#include "src/spec/dialect.h"

namespace t2n {

std::optional<ir::Tensor> as_dtype(const ir::Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const bool is_same_kind = (ir::is_float(tensor.dtype) && ir::is_float(dtype)) ||
                            (ir::is_integer(tensor.dtype) && ir::is_integer(dtype));
  if (!is_same_kind) return std::nullopt;
  const ir::Tensor plain = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(dtype, plain.shape);
  if (ir::cast_elements(plain.dtype, plain.bytes, dtype, out.data)) return std::nullopt;
  return out.tensor;
}

std::vector<ir::Tensor> graph_inputs(const std::vector<trace::SampleInput>& inputs,
                                     const TracedModel& model) {
  const ir::Graph& graph = model.traced.graph;
  std::vector<ir::Tensor> out;
  for (const ir::ValueId id : graph.inputs) {
    const std::string& name = graph.values[id].name;
    const auto found = std::find(model.inputs.begin(), model.inputs.end(), name);
    for (const trace::SampleInput& input : inputs) {
      if (!is_sample_of(input, name, static_cast<size_t>(found - model.inputs.begin()))) continue;
      out.push_back(ir::as_pairs(std::get<ir::Tensor>(input.value)));
      break;
    }
  }
  T2N_ASSERT(out.size() == graph.inputs.size(), "the graph has ", graph.inputs.size(), " inputs, ",
             out.size(), " have values");
  return out;
}

std::vector<ir::Tensor> sample_tensors(const TracedModel& model) {
  return graph_inputs(fill(model.samples, 0), model);
}

namespace {

void collect_lengths(const nnef::Value& value, std::set<int64_t>& out) {
  if (value.kind == nnef::Kind::integer && value.integer > 1) out.insert(value.integer);
  for (const nnef::Value& item : value.items) collect_lengths(item, out);
  for (const nnef::Argument& argument : value.arguments) collect_lengths(argument.value, out);
}

}  // namespace

ArtefactInputs artefact_inputs_of(const nnef::Document& document) {
  ArtefactInputs out{.rules = spec::size_rules(document),
                     .indices = {},
                     .lengths = {},
                     .has_wide_integers = spec::dialect_of(document) == spec::Dialect::tract};
  for (const nnef::Assignment& each : document.graph.body) collect_lengths(each.right, out.lengths);
  for (size_t i = 0; i < out.rules.inputs.size(); ++i) out.indices.push_back(i);
  return out;
}

}  // namespace t2n
