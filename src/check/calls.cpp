// SPDX-License-Identifier: Apache-2.0
#include "src/check/calls.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "src/diag/error.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

using Tensors = std::vector<ir::Tensor>;
using Inputs = std::vector<trace::SampleInput>;

/// `count` entries of an axis, starting at `begin`.
ir::Tensor part_of(const ir::Tensor& tensor, size_t axis, int64_t begin, int64_t count) {
  ir::Tensor out = tensor;
  out.shape[axis] = count;
  const size_t offset = begin * tensor.strides[axis] * ir::dtype_size(tensor.dtype);
  out.bytes = tensor.bytes.subspan(std::min(offset, tensor.bytes.size()));
  return ir::contiguous(out);
}

/// The concatenation along an axis; nothing if other axes differ.
std::optional<ir::Tensor> concatenated(const Tensors& parts, size_t axis) {
  ir::Ints shape = parts.front().shape;
  shape[axis] = 0;
  for (const ir::Tensor& part : parts) {
    ir::Ints other = part.shape;
    if (other.size() != shape.size() || part.dtype != parts.front().dtype) return {};
    other[axis] = shape[axis];
    if (other != shape) return {};
    shape[axis] += part.shape[axis];
  }
  ir::OwnedTensor out = ir::allocate(parts.front().dtype, shape);
  int64_t inner = ir::dtype_size(parts.front().dtype);
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i) outer *= shape[i];
  int64_t at = 0;
  for (const ir::Tensor& part : parts) {
    const ir::Tensor plain = ir::contiguous(part);
    const int64_t row = part.shape[axis] * inner;
    for (int64_t i = 0; row > 0 && i < outer; ++i)
      std::memcpy(out.data.data() + i * shape[axis] * inner + at, plain.bytes.data() + i * row,
                  static_cast<size_t>(row));
    at += row;
  }
  return out.tensor;
}

/// The axis of a port whose size is a multiple of the symbol's.
std::optional<size_t> scaled_axis(const ir::Shape& shape, const ir::Symbol& symbol) {
  std::optional<size_t> out;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].mentions(symbol)) continue;
    const ir::Dim none = shape[axis].substitute(ir::Sizes{{symbol, 0}});
    if (out || !none.is_constant() || none.value() != 0) return {};
    out = axis;
  }
  return out;
}

class Calls {
 public:
  Calls(const Checking& checking, CheckResult& result)
      : checking_(checking), model_(checking.model), result_(result) {}

  void run() {
    const Inputs first = fill(model_.samples, 0);
    Sequence sequence;
    constexpr uint64_t kCalls = 5;
    for (uint64_t call = 0; call < kCalls; ++call)
      if (!add(sequence, inputs_of(call, sequence), cat("states fed back, call ", call + 1))) break;
    if (sequence.sets.empty()) return;
    compare(sequence);
    result_.calls = sequence.sets.size();
    for (const ir::Symbol& symbol : open_symbols()) check_pieces(symbol);
  }

 private:
  /// By call: the inputs and outputs of torch, and the outputs of the engine.
  struct Sequence {
    std::vector<InputSet> sets;
    std::vector<Tensors> actual;
  };

  /// New values for each call; its sizes rotate through the checked ones. States keep their values.
  Inputs inputs_of(uint64_t call, const Sequence& before) const {
    std::vector<Sample> samples = model_.samples;
    if (model_.dynamic && !result_.sizes.empty()) {
      const dynamic::Sizes& sizes = result_.sizes[call % result_.sizes.size()];
      samples = samples_at(model_.samples, model_.inputs, model_.dynamic->inputs,
                           with_sizes_of_states(sizes, before));
    }
    const Inputs initial = fill(model_.samples, 0);
    Inputs out = fill(samples, call);
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i].is_state) out[i].value = initial[i].value;
    return out;
  }

  /// Uses the current size of a state that grows.
  dynamic::Sizes with_sizes_of_states(dynamic::Sizes sizes, const Sequence& before) const {
    for (const trace::State& state : model_.traced.states) {
      const auto found = std::find(model_.inputs.begin(), model_.inputs.end(), state.name);
      if (found == model_.inputs.end()) continue;
      const ir::Shape& shape = model_.dynamic->inputs[found - model_.inputs.begin()];
      const ir::Ints& now = before.sets.empty() ? state.initial.shape
                                                : before.sets.back().expected[state.output].shape;
      for (auto& [symbol, size] : sizes)
        for (size_t axis = 0; axis < shape.size() && axis < now.size(); ++axis)
          if (shape[axis] == ir::Dim::symbol(symbol)) size = now[axis];
    }
    return sizes;
  }

  /// False if torch or the artefact rejects the inputs.
  bool add(Sequence& sequence, Inputs inputs, std::string name) {
    feed_torch(inputs, sequence);
    InputSet set{.name = std::move(name), .inputs = std::move(inputs)};
    set.is_fed_back = !sequence.sets.empty();
    try {
      set.expected = in_torch(set.inputs);
      if (set.expected.size() != checking_.outputs.size()) return false;
      Tensors tensors = fed_inputs(set.inputs, model_, checking_.accepted);
      feed_engine(tensors, sequence);
      sequence.actual.push_back(checking_.runner.run(tensors));
    } catch (const Error& error) {
      const std::string& id = error.diagnostic().id;
      if (id != "forward-failed" && id != "input-sizes") throw;
      return false;
    }
    require_count(sequence.actual.back().size(), set.expected.size());
    sequence.sets.push_back(std::move(set));
    return true;
  }

  Tensors in_torch(const Inputs& inputs) {
    return reference_outputs(model_, inputs, {}, result_.executor);
  }

  void feed_torch(Inputs& inputs, const Sequence& before) const {
    if (before.sets.empty()) return;
    for (const trace::State& state : model_.traced.states)
      for (trace::SampleInput& input : inputs)
        if (input.is_state && trace::flat_name(input.path) == state.name)
          input.value = before.sets.back().expected[state.output];
  }

  /// Converts states to the dtype of the input: strict NNEF types have no width.
  void feed_engine(Tensors& tensors, const Sequence& before) const {
    if (before.actual.empty()) return;
    for (const trace::State& state : model_.traced.states)
      for (size_t i = 0; i < tensors.size(); ++i)
        if (model_.inputs[checking_.accepted.indices[i]] == state.name) {
          const ir::Tensor& state_value = before.actual.back()[state.output];
          tensors[i] = as_dtype(state_value, tensors[i].dtype).value_or(state_value);
        }
  }

  void compare(const Sequence& sequence) {
    InputSets sets;
    sets.sets = sequence.sets;
    sets.reference = result_.reference;
    merge_rows(result_, compare_results(sets, checking_, sequence.actual));
  }

  std::vector<ir::Symbol> open_symbols() const {
    std::vector<ir::Symbol> out;
    if (!model_.dynamic) return out;
    for (const auto& [symbol, size] : model_.dynamic->chooser.sample()) {
      const bool belongs_to_state =
          std::any_of(model_.traced.states.begin(), model_.traced.states.end(),
                      [&, each = symbol](const trace::State& state) {
                        const ir::Shape& shape = shape_of(state.name);
                        return std::any_of(shape.begin(), shape.end(),
                                           [&](const ir::Dim& dim) { return dim.mentions(each); });
                      });
      if (!belongs_to_state && size > 0) out.push_back(symbol);
    }
    return out;
  }

  const ir::Shape& shape_of(const std::string& input) const {
    static const ir::Shape none;
    const auto found = std::find(model_.inputs.begin(), model_.inputs.end(), input);
    if (found == model_.inputs.end()) return none;
    return model_.dynamic->inputs[found - model_.inputs.begin()];
  }

  /// For each output, the axis that scales with the symbol; nothing if there is none.
  std::vector<std::optional<size_t>> output_axes(const ir::Symbol& symbol) const {
    const ir::Graph& graph = model_.graph;
    std::vector<std::optional<size_t>> out;
    for (const ir::ValueId id : graph.outputs)
      out.push_back(scaled_axis(graph.values[id].shape, symbol));
    return out;
  }

  /// The part of a long input that one call receives; inputs without the symbol are not cut.
  Inputs piece(const Inputs& full_inputs, const ir::Symbol& symbol, int64_t unit, int64_t begin,
               int64_t count) const {
    Inputs out = full_inputs;
    for (trace::SampleInput& input : out) {
      auto* tensor = std::get_if<ir::Tensor>(&input.value);
      if (tensor == nullptr) continue;
      const auto axis = scaled_axis(shape_of(trace::flat_name(input.path)), symbol);
      if (!axis) continue;
      const int64_t each = tensor->shape[*axis] / unit;
      *tensor = part_of(*tensor, *axis, begin * each, count * each);
    }
    return out;
  }

  void check_pieces(const ir::Symbol& symbol) {
    const std::vector<std::optional<size_t>> axes = output_axes(symbol);
    if (axes.size() != checking_.outputs.size() ||
        std::none_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.has_value(); }))
      return;
    dynamic::Sizes sizes = model_.dynamic->chooser.sample();
    const int64_t unit = sizes.at(symbol);
    constexpr int64_t kPieces[] = {1, 2, 1};
    constexpr int64_t kAll = 4;
    sizes[symbol] = kAll * unit;
    const std::vector<Sample> samples =
        samples_at(model_.samples, model_.inputs, model_.dynamic->inputs, sizes);
    constexpr uint64_t kSeed = 7;
    Inputs full_inputs = fill(samples, kSeed);
    const Inputs initial = fill(model_.samples, 0);
    for (size_t i = 0; i < full_inputs.size(); ++i)
      if (full_inputs[i].is_state) full_inputs[i].value = initial[i].value;
    Sequence pieces;
    int64_t begin = 0;
    for (const int64_t count : kPieces) {
      if (!add(pieces, piece(full_inputs, symbol, kAll, begin, count),
               cat("in pieces along ", symbol.str(), ", call ", pieces.sets.size() + 1)))
        return;
      begin += count;
    }
    compare(pieces);
    compare_with_one_call(symbol, std::move(full_inputs), pieces, axes);
  }

  /// Concatenates the results of all calls; nothing if their shapes do not fit.
  static std::optional<Tensors> concatenated_calls(const std::vector<Tensors>& calls,
                                                   const std::vector<std::optional<size_t>>& axes) {
    Tensors out = calls.back();
    for (size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]) continue;
      Tensors parts;
      for (const Tensors& call : calls) parts.push_back(call[i]);
      auto all = concatenated(parts, *axes[i]);
      if (!all) return {};
      out[i] = *std::move(all);
    }
    return out;
  }

  void compare_with_one_call(const ir::Symbol& symbol, Inputs full_inputs, const Sequence& pieces,
                             const std::vector<std::optional<size_t>>& axes) {
    Sequence one;
    InputSet set{.name = cat("in pieces along ", symbol.str(), ", as in one call"),
                 .inputs = std::move(full_inputs)};
    try {
      set.expected = in_torch(set.inputs);
    } catch (const Error& error) {
      if (error.diagnostic().id != "forward-failed") throw;
      return;
    }
    std::vector<Tensors> torch_results;
    for (const InputSet& piece : pieces.sets) torch_results.push_back(piece.expected);
    const auto expected = concatenated_calls(torch_results, axes);
    const auto actual = concatenated_calls(pieces.actual, axes);
    bool is_same = expected && actual && expected->size() == set.expected.size();
    for (size_t i = 0; is_same && i < expected->size(); ++i)
      is_same = check::compare(set.expected[i], (*expected)[i],
                               tolerance_for(checking_.options, checking_.outputs[i]))
                    .verdict != check::Verdict::differs;
    (is_same ? result_.equal_in_pieces : result_.unequal_in_pieces).push_back(symbol.str());
    if (!is_same) return;
    set.is_fed_back = true;
    one.sets.push_back(std::move(set));
    one.actual.push_back(*actual);
    compare(one);
  }

  const Checking& checking_;
  const SourceModel& model_;
  CheckResult& result_;
};

}  // namespace

void check_calls(const Checking& checking, CheckResult& result) {
  const auto is_complex = [](const trace::State& state) {
    return ir::is_complex(state.initial.dtype);
  };
  const std::vector<trace::State>& states = checking.model.traced.states;
  if (states.empty() || std::any_of(states.begin(), states.end(), is_complex)) return;
  Calls(checking, result).run();
}

}  // namespace t2n
