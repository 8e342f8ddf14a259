// Converts a check's inputs to the artefact's types and order.
#include "ir/cast.h"
#include "src/export/check_model.h"

namespace t2n {

std::optional<ir::Tensor> of_dtype(const ir::Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const bool alike = (ir::is_float(tensor.dtype) && ir::is_float(dtype)) ||
                     (ir::is_integer(tensor.dtype) && ir::is_integer(dtype));
  if (!alike) return std::nullopt;
  const ir::Tensor plain = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(dtype, plain.shape);
  if (ir::cast_elements(plain.dtype, plain.bytes, dtype, out.data)) return std::nullopt;
  return out.tensor;
}

std::vector<ir::Tensor> sample_tensors(const TracedModel& model) {
  return graph_inputs(fill(model.samples, 0), model);
}

Takes takes_of(const nnef::Document& document) {
  Takes out{spec::size_rules(document), {}};
  for (size_t i = 0; i < out.rules.inputs.size(); ++i) out.places.push_back(i);
  return out;
}

}  // namespace t2n
