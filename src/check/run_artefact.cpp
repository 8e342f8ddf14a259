// SPDX-License-Identifier: Apache-2.0
// Binds samples to the declared inputs of an artefact, then runs the engine.
#include "src/check/run_artefact.h"

#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "src/check/check_model.h"
#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/samples/input_spec.h"
#include "src/samples/samples_at.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"
#include "src/spec/input_sizes.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

void refuse_unknown(const std::vector<spec::InputFact>& facts, const std::vector<Sample>& samples) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (size_t i = 0; i < facts.size(); ++i) {
    names.push_back(facts[i].name);
    known.insert(facts[i].name);
    known.insert(cat("input_", i));
  }
  for (size_t index = 0; index < samples.size(); ++index)
    if (known.count(trace::flat_name(samples[index].input.path)) == 0)
      throw unknown_input(samples, index, "the artefact", names);
}

/// Samples by their names on the command line.
using SamplesByName = std::unordered_multimap<std::string, const Sample*>;

SamplesByName by_name(const std::vector<Sample>& samples) {
  SamplesByName out;
  for (const Sample& sample : samples) out.emplace(trace::flat_name(sample.input.path), &sample);
  return out;
}

const Sample* find_sample(const SamplesByName& samples, const std::string& name, size_t index) {
  const Sample* found = nullptr;
  const auto look_at = [&](const std::string& key) {
    const auto [begin, end] = samples.equal_range(key);
    for (auto sample = begin; sample != end; ++sample) {
      if (!is_sample_of(sample->second->input, name, index)) continue;
      if (found != nullptr && found != sample->second)
        throw Error("usage", cat("the input ", quoted(name), " is given twice"));
      found = sample->second;
    }
  };
  look_at(name);
  look_at(cat("input_", index));
  return found;
}

/// Refuses random values for a very large input whose size only the artefact declares.
void refuse_large(const spec::InputFact& fact, const ir::Ints& shape) {
  constexpr int64_t kNoMemory = int64_t{1} << 38;  // even larger inputs have another message
  int64_t elements = 1;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(elements, size, &elements)) return;
  if (elements <= limits::kDrawnElements || elements > kNoMemory) return;
  throw Error("nnef-limit", cat("the artefact declares the input ", quoted(spec::fact_str(fact))),
              cat("random values are limited to ", limits::kDrawnElements, " elements"),
              cat("pass values or a shape with --input ", fact.name, "=…"));
}

/// The artefact's own shape, for an input without a sample.
Sample required_sample(const spec::InputFact& fact) {
  if (auto out = declared_sample(fact)) return *std::move(out);
  std::string dynamic_size;
  for (const spec::InputSize& size : fact.sizes)
    if (!size.value && dynamic_size.empty()) dynamic_size = size.text;
  throw Error("input-missing", cat("the input ", quoted(spec::fact_str(fact)), " has no sample"),
              cat("the artefact has the dynamic size ", quoted(dynamic_size)),
              cat("pass a shape, for example --input ", spec::sample_spec(fact),
                  " (`t2nnef inspect` prints sizes that fit), or values: --input ", fact.name,
                  "=@file.npy"));
}

void refuse_misfit(const spec::InputFact& fact, const ir::Tensor& tensor) {
  bool fits = tensor.shape.size() == fact.sizes.size();
  for (size_t i = 0; fits && i < fact.sizes.size(); ++i)
    fits = fact.sizes[i].value.value_or(tensor.shape[i]) == tensor.shape[i];
  if (fits && fact.dtype.value_or(tensor.dtype) == tensor.dtype) return;
  throw Error("input-shape",
              cat("the sample of the input ", quoted(fact.name), " is ",
                  ir::dtype_name(tensor.dtype), ir::shape_str(ir::to_shape(tensor.shape))),
              cat("the artefact takes ", spec::dtype_str(fact), spec::sizes_str(fact)),
              "`t2nnef inspect` shows what an artefact takes");
}

nnef::Destination output_of(const RunOptions& options) {
  nnef::Destination out = nnef::file_destination(options.output);
  out.taken = options.taken;
  out.taken.push_back({"the artefact", options.artefact});
  return out;
}

/// Checks the output before the run, without writing.
void check_output(const RunOptions& options) {
  if (options.output.empty() || options.output == "-") return;
  if (!options.output.ends_with(".npz"))
    throw Error("usage", cat("the outputs cannot be written to ", quoted(options.output)),
                "they are written as .npz", cat("write -o ", options.output, ".npz"));
  nnef::check_destination(output_of(options));
}

std::vector<ir::Tensor> in_feeding_order(const std::vector<nnef::NamedTensor>& inputs,
                                         const std::vector<size_t>& order) {
  std::vector<ir::Tensor> out;
  for (const size_t index : order) out.push_back(ir::as_pairs(inputs[index].value));
  return out;
}

std::vector<nnef::NamedTensor> named(const std::vector<std::string>& names,
                                     std::vector<ir::Tensor> tensors) {
  if (tensors.size() != names.size())
    throw Error("engine-failed", cat("the engine gave ", tensors.size(),
                                     " outputs, the artefact names ", names.size()));
  std::vector<nnef::NamedTensor> out;
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_duplicate = !seen.insert(names[i]).second;
    out.push_back({is_duplicate ? cat("output_", i) : names[i], std::move(tensors[i])});
  }
  return out;
}

/// An engine that fails may have violated a runtime assertion, which no engine reports as such.
std::vector<ir::Tensor> run_in(check::Runner& runner, const nnef::Document& document,
                               const std::vector<ir::Tensor>& inputs) {
  try {
    return runner.run(inputs);
  } catch (const Error& error) {
    const auto runtime_assertions = spec::property(document, spec::kRuntimeAssertions);
    const std::string& id = error.diagnostic().id;
    if (!runtime_assertions || (id != "engine-failed" && id != "engine-crashed")) throw;
    Diagnostic out = error.diagnostic();
    out.why = cat("the artefact asserts this of its data-dependent sizes: ", *runtime_assertions);
    out.help = "use inputs that satisfy it, or export a model without this dependence on values";
    throw Error(std::move(out));
  }
}

}  // namespace

std::optional<Sample> declared_sample(const spec::InputFact& fact) {
  ir::Tensor tensor;
  for (const spec::InputSize& size : fact.sizes) {
    if (!size.value) return std::nullopt;
    tensor.shape.push_back(*size.value);
  }
  tensor.dtype = fact.dtype.value_or(ir::DType::f32);
  refuse_large(fact, tensor.shape);
  tensor.strides = ir::contiguous_strides(tensor.shape);
  return Sample{{{fact.name}, std::move(tensor)}, std::nullopt};
}

EngineRequest engine_request_for(const nnef::Document& document) {
  EngineRequest out{.dialect = spec::dialect_of(document), .target = {}};
  const auto stated = spec::stated_target(document);
  if (!stated || out.dialect != spec::Dialect::tract) return out;
  out.target = *stated;
  out.is_foreign = !spec::property(document, "t2nnef_version");
  return out;
}

std::vector<size_t> feeding_order(const nnef::Document& document, spec::Dialect dialect) {
  const std::vector<std::string>& names = document.graph.parameters;
  std::vector<size_t> out;
  if (dialect == spec::Dialect::tract) {
    std::unordered_map<std::string, size_t> indices;
    for (size_t i = 0; i < names.size(); ++i) indices.emplace(names[i], i);
    for (const nnef::Assignment& assignment : document.graph.body) {
      const auto found = indices.find(assignment.left.text);
      if (assignment.right.text.ends_with("external") && found != indices.end())
        out.push_back(found->second);
    }
  } else {
    for (size_t i = 0; i < names.size(); ++i) out.push_back(i);
  }
  return out;
}

std::vector<Sample> without_outputs(const std::vector<Sample>& samples,
                                    const std::vector<spec::InputFact>& facts,
                                    const std::vector<std::string>& outputs) {
  std::unordered_set<std::string> inputs, names(outputs.begin(), outputs.end());
  for (size_t i = 0; i < facts.size(); ++i) {
    inputs.insert(facts[i].name);
    inputs.insert(cat("input_", i));
  }
  for (size_t i = 0; i < outputs.size(); ++i) names.insert(cat("output_", i));
  std::vector<Sample> out;
  for (const Sample& sample : samples) {
    const std::string name = trace::flat_name(sample.input.path);
    if (sample.file.empty() || !names.contains(name) || inputs.contains(name))
      out.push_back(sample);
  }
  return out;
}

void require_sizes(const spec::SizeRules& rules, const std::vector<nnef::NamedTensor>& inputs) {
  std::vector<ir::Ints> shapes;
  for (const nnef::NamedTensor& input : inputs) shapes.push_back(input.value.shape);
  spec::bind_sizes(rules, shapes);
}

std::vector<nnef::NamedTensor> bind_inputs(const std::vector<spec::InputFact>& facts,
                                           const std::vector<Sample>& samples,
                                           spec::Dialect dialect, bool casts_floats,
                                           uint64_t seed) {
  refuse_unknown(facts, samples);
  const SamplesByName named_samples = by_name(samples);
  std::vector<Sample> bound;
  for (size_t i = 0; i < facts.size(); ++i) {
    const Sample* const sample = find_sample(named_samples, facts[i].name, i);
    bound.push_back(sample == nullptr ? required_sample(facts[i]) : *sample);
  }
  std::vector<nnef::NamedTensor> out;
  const std::vector<trace::SampleInput> filled = fill(bound, 0);
  const std::vector<trace::SampleInput> drawn = seed == 0 ? filled : fill(bound, seed);
  for (size_t i = 0; i < facts.size(); ++i) {
    const auto* const sample = std::get_if<ir::Tensor>(&bound[i].input.value);
    const bool is_drawn = sample != nullptr && sample->bytes.empty();
    const auto* const value = std::get_if<ir::Tensor>(&(is_drawn ? drawn : filled)[i].value);
    if (value == nullptr)
      throw Error("input-shape",
                  cat("the sample of the input ", quoted(facts[i].name), " is not a tensor"),
                  cat("the artefact takes ", spec::dtype_str(facts[i]), spec::sizes_str(facts[i])));
    ir::Tensor tensor = *value;
    const bool is_float =
        ir::is_float(tensor.dtype) && facts[i].dtype && ir::is_float(*facts[i].dtype);
    if (facts[i].dtype && (dialect == spec::Dialect::khronos || (casts_floats && is_float)))
      tensor = as_dtype(tensor, *facts[i].dtype).value_or(tensor);
    refuse_misfit(facts[i], tensor);
    out.push_back({facts[i].name, std::move(tensor)});
  }
  return out;
}

RunResult run_artefact(const RunOptions& options) {
  check_output(options);
  const nnef::Artefact artefact = nnef::read_artefact(options.artefact);
  const nnef::Document& document = artefact.document;
  spec::check_document(document);
  RunResult result;
  result.states = fed_states(document, options.feeds);
  if (options.steps > 1 && result.states.empty())
    throw Error("usage", "the artefact names no states to feed back from step to step", {},
                "name them: --feed OUTPUT=INPUT, or export with --state");
  const spec::SizeRules rules = spec::size_rules(document);
  const std::vector<Sample> samples =
      with_first_values(without_outputs(options.samples, rules.inputs, document.graph.results),
                        rules.inputs, result.states);
  const auto bind = [&](int64_t step) {
    return bind_inputs(rules.inputs, samples_of_step(samples, rules.inputs, step, options.steps),
                       spec::dialect_of(document), options.casts_floats,
                       static_cast<uint64_t>(step));
  };
  result.inputs = bind(0);
  require_sizes(rules, result.inputs);
  const FoundEngine engine =
      find_engine(options.engine, engine_request_for(document), options.runner);
  if (engine.warning && options.report) options.report(*engine.warning);
  engine.runner->load(options.artefact);
  result.engine = engine.runner->name();
  const std::vector<size_t> order = feeding_order(document, engine.order);
  std::vector<std::vector<nnef::NamedTensor>> outputs;
  for (int64_t step = 0; step < options.steps; ++step) {
    std::vector<nnef::NamedTensor> inputs = step == 0 ? result.inputs : bind(step);
    if (step > 0) {
      feed_back(inputs, outputs.back(), rules.inputs, result.states);
      require_sizes(rules, inputs);
    }
    outputs.push_back(named(document.graph.results,
                            run_in(*engine.runner, document, in_feeding_order(inputs, order))));
  }
  result.outputs = outputs_of_steps(outputs, result.states);
  if (options.output.empty()) return result;
  nnef::write_npz(result.outputs, output_of(options));
  if (options.output != "-") result.bytes = static_cast<int64_t>(fs::file_size(options.output));
  return result;
}

}  // namespace t2n
