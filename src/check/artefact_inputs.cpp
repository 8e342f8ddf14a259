// SPDX-License-Identifier: Apache-2.0
#include "src/check/artefact_inputs.h"

#include "ir/cast.h"
#include "src/spec/dialect.h"

namespace t2n {
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

std::vector<ir::Tensor> fed_inputs(const std::vector<trace::SampleInput>& inputs,
                                   const SourceModel& model, const ArtefactInputs& accepted) {
  const std::vector<ir::Tensor> all = graph_inputs(inputs, model);
  std::vector<ir::Tensor> out;
  std::vector<ir::Ints> shapes;
  for (size_t i = 0; i < accepted.indices.size(); ++i) {
    const size_t index = accepted.indices[i];
    const bool is_half =
        i < accepted.rules.inputs.size() && accepted.rules.inputs[i].dtype == ir::DType::f16;
    // Samples without values have types only.
    const bool is_rounded =
        is_half && !all[index].bytes.empty() && all[index].dtype == ir::DType::f32;
    out.push_back(is_rounded ? as_dtype(all[index], ir::DType::f16).value() : all[index]);
    shapes.push_back(all[index].shape);
  }
  spec::bind_sizes(accepted.rules, shapes);
  return out;
}

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

}  // namespace t2n
