// SPDX-License-Identifier: Apache-2.0
// Models with streamed input: tract's transform "pulse", and runs of the result.
#include <algorithm>
#include <charconv>

#include "src/diag/error.h"
#include "src/tract/library.h"

namespace t2n::tract {
namespace {

constexpr std::string_view kRefusesPulses = "cannot run the model in pulses";

/// The sizes in "1,3,8,f32"; -1 for one that is not a number.
ir::Ints sizes_of(const std::string& fact) {
  ir::Ints out;
  size_t begin = 0;
  for (size_t end = fact.find(','); end != std::string::npos; end = fact.find(',', begin)) {
    int64_t size = -1;
    const auto [rest, error] = std::from_chars(fact.data() + begin, fact.data() + end, size);
    out.push_back(error == std::errc() && rest == fact.data() + end ? size : -1);
    begin = end + 1;
  }
  return out;
}

/// The number of entries of an input in one piece.
int64_t piece_size(const EnginePort& port) {
  const ir::Ints sizes = sizes_of(port.fact);
  const size_t axis = port.axis;
  if (axis >= sizes.size() || sizes[axis] <= 0)
    throw Error("engine-rejects",
                cat("tract reports no piece size for ", quoted(port.name), " (", port.fact, ")"));
  return sizes[axis];
}

/// Entries [begin, end) along an axis; the bytes are not copied.
ir::Tensor part_of(const ir::Tensor& tensor, int64_t axis, int64_t begin, int64_t end) {
  ir::Tensor out = tensor;
  const size_t at = axis;
  out.shape[at] = end - begin;
  const int64_t skipped = begin * tensor.strides[at] * ir::dtype_size(tensor.dtype);
  out.bytes = tensor.bytes.subspan(skipped);
  return out;
}

ir::Tensor concatenated(const std::vector<ir::Tensor>& parts, int64_t axis) {
  const size_t at = axis;
  ir::Ints shape = parts.at(0).shape;
  shape[at] = 0;
  for (const ir::Tensor& part : parts) shape[at] += part.shape[at];
  ir::OwnedTensor out = ir::allocate(parts[0].dtype, shape);
  int64_t outer = 1, inner = ir::dtype_size(parts[0].dtype);
  for (size_t i = 0; i < shape.size(); ++i) (i < at ? outer : inner) *= i == at ? 1 : shape[i];
  std::byte* to = out.data.data();
  for (int64_t row = 0; row < outer; ++row)
    for (const ir::Tensor& part : parts) {
      const size_t size = part.shape[at] * inner;
      const std::byte* const from = part.bytes.data() + static_cast<size_t>(row) * size;
      std::copy(from, from + size, to);
      to += size;
    }
  return std::move(out.tensor);
}

}  // namespace

void Model::apply_pulse(Owned& model) const {
  const Abi& abi = library_.abi();
  const std::string size = std::to_string(pulse_->size);
  if (abi.model_pulse_simple != nullptr) {
    Handle handle = model.release();
    const Status status = abi.model_pulse_simple(&handle, pulse_->symbol.c_str(), size.c_str());
    model = Owned(handle, Destroy{abi.model_destroy});
    return library_.check(status, "engine-rejects", kRefusesPulses);
  }
  if (abi.model_transform == nullptr)
    throw Error("engine-rejects", cat("tract ", library_.version(), " has no pulse support"));
  const std::string transform =
      cat(R"({"name":"pulse","symbol":")", pulse_->symbol, R"(","pulse":")", size, R"("})");
  library_.check(abi.model_transform(model.get(), transform.c_str()), "engine-rejects",
                 kRefusesPulses);
}

void Model::note_pulses(Handle model) {
  const Abi& abi = library_.abi();
  const auto numbers = [&](const char* name) {
    Handle handle = nullptr;
    library_.check(abi.model_property(model, name, &handle), "engine-rejects", kRefusesPulses);
    return ir::to_i64(export_output(Owned(handle, Destroy{abi.tensor_destroy}), {name, "i64"}));
  };
  if (abi.model_property == nullptr)
    throw Error("engine-rejects", cat("tract ", library_.version(), " does not report delays"));
  const ir::Ints in = numbers("pulse.input_axes"), out = numbers("pulse.output_axes");
  const ir::Ints delays = numbers("pulse.delay");
  T2N_ASSERT(in.size() == info_.inputs.size() && out.size() == info_.outputs.size() &&
                 delays.size() == out.size(),
             "tract reports the axes of ", in.size(), " inputs and ", out.size(), " outputs");
  for (size_t i = 0; i < in.size(); ++i) info_.inputs[i].axis = in[i];
  for (size_t i = 0; i < out.size(); ++i) {
    info_.outputs[i].axis = out[i];
    info_.outputs[i].delay = delays[i];
  }
}

std::vector<ir::Tensor> Model::run_in_pulses(const std::vector<ir::Tensor>& inputs) const {
  const Abi& abi = library_.abi();
  Handle handle = nullptr;
  library_.check(abi.runnable_spawn_state(runnable_.get(), &handle), "engine-failed",
                 kRefusesPulses);
  const Owned state(handle, Destroy{abi.state_destroy});
  if (inputs.size() != info_.inputs.size())
    throw Error("engine-failed",
                cat("the engine expects ", info_.inputs.size(), " inputs, got ", inputs.size()));
  int64_t pieces = INT64_MAX;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const EnginePort& port = info_.inputs[i]; port.axis >= 0)
      pieces = std::min(pieces, inputs[i].shape.at(port.axis) / piece_size(port));
  T2N_ASSERT(pieces > 0 && pieces < INT64_MAX, "the input is shorter than a piece");
  std::vector<std::vector<ir::Tensor>> results_by_output(info_.outputs.size());
  for (int64_t at = 0; at < pieces; ++at) {
    std::vector<ir::Tensor> piece = inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (const EnginePort& port = info_.inputs[i]; port.axis >= 0)
        piece[i] =
            part_of(inputs[i], port.axis, at * piece_size(port), (at + 1) * piece_size(port));
    std::vector<ir::Tensor> results = run_in(state.get(), piece);
    for (size_t i = 0; i < results.size(); ++i)
      results_by_output[i].push_back(std::move(results[i]));
  }
  std::vector<ir::Tensor> out;
  for (size_t i = 0; i < results_by_output.size(); ++i) {
    const EnginePort& port = info_.outputs[i];
    if (port.axis < 0) {
      out.push_back(results_by_output[i].back());
      continue;
    }
    const ir::Tensor all = concatenated(results_by_output[i], port.axis);
    const int64_t length = all.shape[port.axis];
    const int64_t skipped = std::clamp<int64_t>(port.delay, 0, length);
    out.push_back(ir::contiguous(part_of(all, port.axis, skipped, length)));
  }
  return out;
}

}  // namespace t2n::tract
