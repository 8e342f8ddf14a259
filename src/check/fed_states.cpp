// SPDX-License-Identifier: Apache-2.0
#include "src/check/fed_states.h"

#include <algorithm>

#include "src/check/artefact_inputs.h"
#include "src/diag/error.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

/// The name of a port that the user names by itself or by its position.   Errors: `usage`.
std::string port_called(const std::vector<std::string>& names, const std::string& text,
                        std::string_view kind) {
  if (std::find(names.begin(), names.end(), text) != names.end()) return text;
  for (size_t i = 0; i < names.size(); ++i)
    if (text == cat(kind, "_", i)) return names[i];
  throw Error("usage", cat("the artefact has no ", kind, " ", quoted(text)),
              cat("its ", kind, "s are ", joined(names, ", ")));
}

const Sample* sample_for(const std::vector<Sample>& samples, const std::string& name,
                         size_t index) {
  const auto found = std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) {
    return is_sample_of(sample.input, name, index);
  });
  return found == samples.end() ? nullptr : &*found;
}

/// The entry `index` along the first axis; only the shape of a tensor without bytes.
ir::Tensor entry_of(const ir::Tensor& tensor, int64_t index) {
  ir::Tensor out = tensor;
  out.shape.erase(out.shape.begin());
  if (!out.strides.empty()) out.strides.erase(out.strides.begin());
  if (!tensor.bytes.empty())
    out.bytes = tensor.bytes.subspan(
        static_cast<size_t>(index * tensor.strides.at(0) * ir::dtype_size(tensor.dtype)));
  return out;
}

ir::Tensor stacked(const std::vector<ir::Tensor>& entries) {
  ir::Ints shape = entries.at(0).shape;
  shape.insert(shape.begin(), static_cast<int64_t>(entries.size()));
  ir::OwnedTensor out = ir::allocate(entries[0].dtype, shape);
  auto to = out.data.begin();
  for (const ir::Tensor& entry : entries)
    to = std::copy(entry.bytes.begin(), entry.bytes.end(), to);
  return std::move(out.tensor);
}

}  // namespace

std::vector<spec::State> fed_states(const nnef::Document& document,
                                    const std::vector<std::string>& pairs) {
  std::vector<spec::State> out = spec::states_of(document);
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos)
      throw Error("usage", cat("--feed ", quoted(pair), " is not OUTPUT=INPUT"), {},
                  "for example --feed h_next=h, or --feed output_1=input_1");
    const nnef::Graph& graph = document.graph;
    spec::State state{port_called(graph.parameters, pair.substr(equals + 1), "input"),
                      port_called(graph.results, pair.substr(0, equals), "output"),
                      {}};
    const auto noted = std::find_if(out.begin(), out.end(), [&](const spec::State& other) {
      return other.input == state.input;
    });
    if (noted != out.end())
      noted->output = std::move(state.output);
    else
      out.push_back(std::move(state));
  }
  return out;
}

std::vector<Sample> with_first_values(std::vector<Sample> samples,
                                      const std::vector<spec::InputFact>& facts,
                                      const std::vector<spec::State>& states) {
  for (const spec::State& state : states)
    for (size_t i = 0; i < facts.size(); ++i)
      if (facts[i].name == state.input && state.initial &&
          sample_for(samples, facts[i].name, i) == nullptr)
        samples.push_back({{{state.input}, *state.initial}, std::nullopt});
  return samples;
}

std::vector<Sample> samples_of_step(std::vector<Sample> samples,
                                    const std::vector<spec::InputFact>& facts, int64_t step,
                                    int64_t steps) {
  if (steps == 1) return samples;
  for (Sample& sample : samples)
    for (size_t i = 0; i < facts.size(); ++i) {
      const auto* const tensor = std::get_if<ir::Tensor>(&sample.input.value);
      if (tensor == nullptr || !is_sample_of(sample.input, facts[i].name, i)) continue;
      if (tensor->shape.size() == facts[i].sizes.size() + 1 && tensor->shape[0] == steps) {
        sample.input.value = entry_of(*tensor, step);
        break;
      }
    }
  return samples;
}

void feed_back(std::vector<nnef::NamedTensor>& inputs,
               const std::vector<nnef::NamedTensor>& outputs,
               const std::vector<spec::InputFact>& facts, const std::vector<spec::State>& states) {
  for (const spec::State& state : states)
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].name != state.input) continue;
      const auto fed = std::find_if(outputs.begin(), outputs.end(), [&](const auto& output) {
        return output.name == state.output;
      });
      T2N_ASSERT(fed != outputs.end(), "no output ", state.output);
      // Strict NNEF's types have no width.
      const ir::DType dtype = facts[i].dtype.value_or(fed->value.dtype);
      const auto value = as_dtype(fed->value, dtype);
      if (!value)
        throw Error(
            "usage",
            cat("the output ", quoted(state.output), " is ", ir::dtype_name(fed->value.dtype),
                ", and the input ", quoted(state.input), " is ", ir::dtype_name(dtype)),
            "it is fed back from run to run", "name another output with --feed");
      inputs[i].value = *value;
    }
}

std::vector<nnef::NamedTensor> outputs_of_steps(
    const std::vector<std::vector<nnef::NamedTensor>>& steps,
    const std::vector<spec::State>& states) {
  if (steps.size() == 1) return steps[0];
  std::vector<nnef::NamedTensor> out;
  for (size_t i = 0; i < steps.back().size(); ++i) {
    const nnef::NamedTensor& last = steps.back()[i];
    const bool is_state = std::any_of(states.begin(), states.end(),
                                      [&](const auto& state) { return state.output == last.name; });
    std::vector<ir::Tensor> values;
    for (const auto& step : steps) values.push_back(ir::contiguous(step[i].value));
    const bool is_even = std::all_of(values.begin(), values.end(), [&](const ir::Tensor& value) {
      return value.shape == values[0].shape;
    });
    if (is_state)
      out.push_back(last);
    else if (is_even)
      out.push_back({last.name, stacked(values)});
    else
      for (size_t k = 0; k < values.size(); ++k)
        out.push_back({cat(last.name, ".", k), std::move(values[k])});
  }
  return out;
}

}  // namespace t2n
