// SPDX-License-Identifier: Apache-2.0
// Binds the inputs of each artefact, and lets the engine measure.
#include "src/export/bench.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ir/sizes.h"
#include "src/diag/error.h"
#include "src/export/report_bench.h"
#include "src/samples/samples_at.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"

namespace t2n {
namespace {

/// Sizes by symbol, of "S=64".   Errors: `usage`.
std::map<std::string, int64_t> parse_sizes(const std::vector<std::string>& texts) {
  std::map<std::string, int64_t> out;
  for (const std::string& text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    const char* const end = text.data() + text.size();
    const char* const begin = std::min(text.data() + equals + 1, end);
    int64_t size = -1;
    const auto [rest, error] = std::from_chars(begin, end, size);
    if (equals == 0 || error != std::errc() || rest != end || size < 0)
      throw Error("usage", cat("--size ", quoted(text), " is not SYMBOL=SIZE"), {},
                  "for example --size S=64");
    if (!out.emplace(text.substr(0, equals), size).second)
      throw Error("usage", cat("--size gives ", quoted(text.substr(0, equals)), " twice"));
  }
  return out;
}

/// The shape of an input at these sizes; nothing if one is missing.
std::optional<ir::Ints> shape_at(const spec::InputFact& fact,
                                 const std::map<std::string, int64_t>& sizes) {
  ir::Ints out;
  for (const spec::InputSize& size : fact.sizes) {
    if (!size.value && !size.dim) return std::nullopt;
    ir::Sizes known;
    for (const ir::Symbol& symbol : size.dim ? size.dim->symbols() : std::vector<ir::Symbol>()) {
      const auto found = sizes.find(symbol.str());
      if (found == sizes.end()) return std::nullopt;
      known[symbol] = found->second;
    }
    out.push_back(size.value ? *size.value : ir::evaluate(*size.dim, known));
  }
  return out;
}

/// Adds shapes for inputs without a sample.   Errors: `usage` for a symbol that no input has.
std::vector<Sample> with_shapes(std::vector<Sample> samples, const spec::SizeRules& rules,
                                const std::map<std::string, int64_t>& sizes) {
  for (const auto& [symbol, size] : sizes)
    if (std::none_of(rules.inputs.begin(), rules.inputs.end(), [&](const auto& fact) {
          return std::any_of(fact.sizes.begin(), fact.sizes.end(), [&](const auto& each) {
            if (!each.dim) return false;
            const auto symbols = each.dim->symbols();
            return std::any_of(symbols.begin(), symbols.end(),
                               [&](const auto& own) { return own.str() == symbol; });
          });
        }))
      throw Error("usage", cat("no input has an axis of the size ", quoted(symbol)), {},
                  "`t2nnef inspect` shows the inputs");
  for (size_t i = 0; i < rules.inputs.size(); ++i) {
    const spec::InputFact& fact = rules.inputs[i];
    const bool has_sample = std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
      return is_sample_of(sample.input, fact.name, i);
    });
    const std::optional<ir::Ints> shape = has_sample ? std::nullopt : shape_at(fact, sizes);
    if (!shape) continue;
    ir::Tensor tensor;
    tensor.dtype = fact.dtype.value_or(ir::DType::f32);
    tensor.shape = *shape;
    tensor.strides = ir::contiguous_strides(*shape);
    samples.push_back({{{fact.name}, std::move(tensor)}, std::nullopt});
  }
  return samples;
}

BenchedArtefact bound(const nnef::Document& document, const std::string& path,
                      const BenchOptions& options) {
  spec::check_document(document);
  BenchedArtefact out;
  out.path = path;
  out.states = fed_states(document, {});
  const spec::SizeRules rules = spec::size_rules(document);
  std::vector<Sample> samples =
      without_outputs(options.samples, rules.inputs, document.graph.results);
  samples = with_shapes(with_first_values(std::move(samples), rules.inputs, out.states), rules,
                        parse_sizes(options.sizes));
  try {
    out.inputs = bind_inputs(rules.inputs, samples, spec::dialect_of(document), false);
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing") throw;
    Diagnostic missing = error.diagnostic();
    missing.help = cat("pass its size, for example --size S=64; or ", missing.help);
    throw Error(std::move(missing));
  }
  require_sizes(rules, out.inputs);
  return out;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](size_t numerator, size_t denominator) {
    return values[(values.size() - 1) * numerator / denominator];
  };
  const size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, at(1, 4), at(3, 4), values.front(), values.back(), values.size()};
}

Spread ratios(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> out;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    if (first[i] > 0) out.push_back(second[i] / first[i]);
  return spread_of(std::move(out));
}

std::vector<OperationTotal> totals_of(const std::vector<BenchedOperation>& operations) {
  std::map<std::string, OperationTotal> totals;
  for (const BenchedOperation& each : operations) {
    OperationTotal& total = totals[each.operation];
    total.operation = each.operation;
    ++total.uses;
    total.seconds += each.seconds;
  }
  std::vector<OperationTotal> out;
  for (auto& [name, total] : totals) out.push_back(std::move(total));
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return out;
}

BenchResult bench_artefacts(const BenchOptions& options) {
  if (options.engine.kind == EngineChoice::Kind::reference)
    throw Error("usage", "the reference interpreter is not measured",
                "it computes what an engine must compute, not as fast as one",
                "use --engine tract");
  BenchResult result;
  EngineRequest engine_request;
  tract::BenchRequest request = options.times;
  for (const std::string& path : options.artefacts) {
    const nnef::Artefact artefact = nnef::read_artefact(path);
    const EngineRequest own = engine_request_for(artefact.document);
    if (result.artefacts.empty() || !engine_request.target) engine_request = own;
    result.artefacts.push_back(bound(artefact.document, path, options));
    request.models.push_back({path, {}});
    for (const size_t index : feeding_order(artefact.document, spec::Dialect::tract))
      request.models.back().inputs.push_back(
          ir::as_pairs(result.artefacts.back().inputs[index].value));
  }
  // Strict NNEF is measured in tract, too.
  engine_request.dialect = spec::Dialect::tract;
  engine_request.needs_own = true;
  const FoundEngine own = options.running != nullptr
                              ? FoundEngine()
                              : find_engine(options.engine, engine_request, options.runner);
  check::Runner& runner = options.running != nullptr ? *options.running : *own.runner;
  result.engine = runner.name();
  std::vector<tract::BenchTimes> times = runner.bench(request);
  T2N_ASSERT(times.size() == result.artefacts.size(), "the engine measured ", times.size(),
             " models");
  for (size_t i = 0; i < times.size(); ++i) {
    BenchedArtefact& artefact = result.artefacts[i];
    artefact.times = std::move(times[i]);
    if (request.profiles) artefact.operations = operations_in(artefact.times.profile);
  }
  return result;
}

}  // namespace t2n
