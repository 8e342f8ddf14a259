#include "src/export/states.h"

#include <algorithm>

namespace t2n {

std::vector<Sample> with_states(std::vector<Sample> samples, const trace::Traced& traced) {
  for (const trace::State& state : traced.states) {
    const auto found = std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return trace::flat_name(sample.input.path) == state.name;
    });
    if (found != samples.end())
      found->input.is_state = true;
    else
      samples.push_back({{{state.name}, state.initial, true}, traced.ranges[state.input]});
  }
  return samples;
}

std::set<std::pair<std::string, int64_t>> declared_axes(const DynamicOptions& dynamic) {
  std::set<std::pair<std::string, int64_t>> out;
  for (const dynamic::AxisSpec& spec : dynamic.axes) {
    std::string name = spec.input;  // "past.0.k", "past[0].k"
    std::erase(name, ']');
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == '['; }, '_');
    out.emplace(std::move(name), spec.axis);
  }
  return out;
}

void pair_states(const trace::Traced& traced, ExportResult& result) {
  for (const trace::State& state : traced.states) {
    Port& input = result.inputs[state.input];
    Port& output = result.outputs[state.output];
    input.state = output.state = state.path;
    input.other_side = output.name;
    output.other_side = input.name;
  }
}

}  // namespace t2n
