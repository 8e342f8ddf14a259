// SPDX-License-Identifier: Apache-2.0
#include "src/check/input_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "src/check/check_sizes.h"
#include "src/check/crossings.h"
#include "src/check/graph_f64_distance.h"
#include "src/check/input_kinds.h"
#include "src/diag/error.h"
#include "src/dynamic/other_values.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/samples/samples_at.h"
#include "src/samples/variations.h"

namespace t2n {
namespace {

class Builder {
 public:
  Builder(const SourceModel& model, const check::Tolerance& tolerance,
          const ArtefactInputs& artefact_inputs, const OnSet& on_set)
      : model_(model),
        tolerance_(tolerance),
        artefact_inputs_(artefact_inputs),
        on_set_(on_set),
        samples_(with_ranges(model.samples, model.inputs, model.traced.ranges)) {}

  InputSets run(int seeds) {
    add_sample();
    for (int seed = 1; seed < seeds; ++seed)
      add_varied(seed == 1 ? "all changed" : cat("all changed, ", seed),
                 {.change = Change::redraw, .seed = static_cast<uint64_t>(seed)});
    add_single_inputs();
    add_kinds();
    add_sweeps();
    add_from_end();
    if (model_.dynamic && !model_.dynamic->chooser.sample().empty())
      add_declared_sizes();
    else if (!model_.dynamic)
      add_open_sizes();
    return std::move(out_);
  }

 private:
  void keep(InputSet set) {
    out_.sets.push_back(std::move(set));
    if (on_set_) on_set_(out_.sets);
  }

  Agreement agreed(const std::vector<trace::SampleInput>& inputs) const {
    if (model_.session != nullptr) return agree_with_torch(*model_.session, inputs, model_.traced);
    constexpr trace::Executor kOurs = trace::Executor::ours;
    return {reference_outputs(model_, inputs, {}, kOurs), kOurs,
            "the graph with LibTorch's kernels"};
  }

  void add_sample() {
    std::vector<trace::SampleInput> inputs = fill(model_.samples, 0);
    Agreement agreement = agreed(inputs);
    executor_ = agreement.executor;
    out_.executor = agreement.executor;
    out_.reference = agreement.description;
    if (model_.is_compressed) {
      agreement.expected = reference_outputs(model_, inputs, {}, executor_);
      out_.reference = cat("the compressed graph with LibTorch's kernels; uncompressed, ",
                           agreement.description);
    }
    for (const ir::Tensor& tensor : agreement.expected) finite_.push_back(ir::is_finite(tensor));
    out_.movements.resize(agreement.expected.size());
    keep({"", std::move(inputs), std::move(agreement.expected), {}});
  }

  /// The result of torch; nothing if it rejects the inputs.
  std::optional<std::vector<ir::Tensor>> in_torch(const std::vector<trace::SampleInput>& inputs,
                                                  const dynamic::Sizes& sizes = {}) {
    try {
      return reference_outputs(model_, inputs, sizes, executor_);
    } catch (const Error& error) {
      if (!dynamic::may_be_of_values(error)) throw;
      return std::nullopt;
    }
  }

  /// Whether the file's runtime assertions hold for these inputs.
  bool meets_runtime_assertions(const std::vector<trace::SampleInput>& inputs,
                                const dynamic::Sizes& sizes = {}) {
    const ir::Graph& graph = model_.graph;
    if (ir::runtime_assertions(graph).empty()) return true;
    try {
      const ir::Graph sized = passes::at_sizes(graph, sizes);
      (void)ir::run_graph(sized, graph_inputs(inputs, model_), torch_module().evaluator());
      return true;
    } catch (const Error& error) {
      if (!dynamic::may_be_of_values(error)) throw;
      return false;
    }
  }

  /// The largest change of any output; nothing if the set was skipped. A set is invalid if an
  /// output is not finite although the samples' is, or, with `keeps_shapes`, has another shape.
  std::optional<double> add(const std::string& name, std::vector<trace::SampleInput> inputs,
                            bool keeps_shapes = false) {
    auto expected = in_torch(inputs);
    bool is_right = expected && expected->size() == finite_.size();
    for (size_t i = 0; is_right && i < expected->size(); ++i)
      is_right = (!finite_[i] || ir::is_finite((*expected)[i])) &&
                 (!keeps_shapes || (*expected)[i].shape == out_.sets[0].expected[i].shape);
    const bool is_refused = is_right && !meets_runtime_assertions(inputs);
    if (!is_right || is_refused) {
      ++(is_refused ? out_.refused : out_.left_out);
      return std::nullopt;
    }
    double strongest = 0;
    for (size_t i = 0; i < expected->size(); ++i) {
      check::Movement move;
      move.see(out_.sets[0].expected[i], (*expected)[i], tolerance_);
      if ((*expected)[i].elements() > 0) strongest = std::max(strongest, move.strongest());
      out_.movements[i].see(out_.sets[0].expected[i], (*expected)[i], tolerance_);
    }
    keep({name, std::move(inputs), *std::move(expected), {}});
    return strongest;
  }

  /// The same; retries with unchanged integers if torch rejects others. Counts one skip.
  std::optional<double> add_varied(const std::string& name, Variation variation) {
    const auto counts = std::pair(out_.left_out, out_.refused);
    if (const auto moved = add(name, varied(samples_, variation))) return moved;
    std::tie(out_.left_out, out_.refused) = counts;
    variation.keeps_integers = true;
    return add(name, varied(samples_, variation));
  }

  /// Changes each input alone until an output depends on it; many inputs in groups.
  void add_single_inputs() {
    const std::vector<size_t> indices = tensor_indices(samples_);
    const std::set<std::string> unread = unread_inputs(model_.graph);
    constexpr size_t kMost = 12;
    const size_t step = (indices.size() + kMost - 1) / kMost;
    for (size_t at = 0; at < indices.size(); at += std::max<size_t>(step, 1)) {
      std::vector<size_t> group(
          indices.begin() + static_cast<std::ptrdiff_t>(at),
          indices.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, indices.size())));
      std::string names;
      bool is_read = false;
      for (const size_t index : group) {
        const std::string name = trace::flat_name(samples_[index].input.path);
        names += (names.empty() ? "" : ", ") + quoted(name);
        is_read = is_read || !unread.contains(graph_name(name));
      }
      if (!has_effect(group, names, indices.size() == 1) && is_read)
        out_.without_effect.push_back(names);
    }
  }

  /// The graph's name of an input; the sample may refer to it by position.
  std::string graph_name(const std::string& sample) const {
    for (size_t i = 0; i < model_.inputs.size(); ++i)
      if (sample == cat("input_", i)) return model_.inputs[i];
    return sample;
  }

  bool has_effect(const std::vector<size_t>& group, const std::string& names, bool is_all) {
    const auto has_changed = [](const std::optional<double>& moved) {
      return moved && *moved >= check::kMinResponse;
    };
    if (is_all)
      for (const check::Movement& movement : out_.movements)
        if (out_.sets.size() > 1 && movement.strongest() >= check::kMinResponse) return true;
    // Odd seeds flip masks, even ones change every number.
    constexpr std::array<std::pair<Change, uint64_t>, 4> kTries = {
        {{Change::redraw, 11}, {Change::redraw, 12}, {Change::simple, 13}, {Change::scale, 14}}};
    for (const auto& [change, seed] : kTries)
      if (has_changed(add(cat("only ", names, " changed"),
                          varied(samples_, {.change = change, .seed = seed, .only = group}))))
        return true;
    return false;
  }

  /// Tries all indices of a table if a few sets suffice, or if the model is small.
  void add_sweeps() {
    int64_t most = 0;
    int64_t numbers = 1;
    for (const Sample& sample : samples_) {
      const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
      if (tensor == nullptr || !sample.range || !ir::is_integer(tensor->dtype)) continue;
      const int64_t count = std::max<int64_t>(tensor->elements(), 1);
      most = std::max(most, (sample.range->second - sample.range->first + count - 1) / count);
      numbers = std::max(numbers, count);
    }
    const int64_t parts = std::min(most, most_sweeps(numbers));
    for (int64_t part = 0; part < parts; ++part)
      add_varied(cat("integers in order, ", part), {.change = Change::sweep,
                                                    .seed = static_cast<uint64_t>(part),
                                                    .parts = static_cast<uint64_t>(parts)});
  }

  /// The number of sweeps that take about a second, if each of `numbers` indices uses every weight.
  int64_t most_sweeps(int64_t numbers) const {
    double weights = 1;
    for (const ir::Constant& constant : model_.graph.constants)
      weights += static_cast<double>(constant.data.elements());
    constexpr double kWork = 1e9;
    constexpr double kLeast = 6;
    constexpr double kMost = 64;
    return static_cast<int64_t>(
        std::clamp(kWork / (weights * static_cast<double>(numbers)), kLeast, kMost));
  }

  /// Tries negative indices for inputs that are indices, unless the user declared a range.
  void add_from_end() {
    std::vector<size_t> indices;
    for (size_t i = 0; i < model_.inputs.size() && i < model_.traced.ranges.size(); ++i)
      for (size_t k = 0; k < samples_.size(); ++k)
        if (model_.traced.ranges[i] && samples_[k].range == model_.traced.ranges[i] &&
            is_sample_of(samples_[k].input, model_.inputs[i], i))
          indices.push_back(k);
    if (indices.empty()) return;
    add_optional("indices that count from the end",
                 {.change = Change::from_end, .seed = 0, .only = indices});
  }

  void add_kinds() {
    for (const InputKind& kind :
         input_kinds(samples_, model_.graph, artefact_inputs_.has_wide_integers)) {
      if (kind.is_optional)
        add_optional(kind.name, kind.variation);
      else
        add_varied(kind.name, kind.variation);
    }
    if (model_.is_compressed) return;
    const ir::Graph graph = passes::at_sizes(model_.graph, {});
    const std::vector<ir::Tensor> inputs = graph_inputs(out_.sets[0].inputs, model_);
    for (const double factor : crossing_factors(graph, inputs, torch_module().evaluator()))
      add_varied(cat("values times ", static_cast<float>(factor), ", across a limit"),
                 {.change = Change::scale, .seed = 42, .factor = factor});
  }

  /// Adds a set that is not counted if it is skipped.
  bool add_optional(const std::string& name, const Variation& variation) {
    const auto counts = std::pair(out_.left_out, out_.refused);
    if (add(name, varied(samples_, variation), true)) return true;
    std::tie(out_.left_out, out_.refused) = counts;
    return false;
  }

  /// Whether intermediate values are NaN or infinite at these small sizes, but not with the
  /// samples, as after a division by `width - 1`. Results that depend on such values are arbitrary.
  bool is_meaningless(const std::vector<trace::SampleInput>& inputs, const dynamic::Sizes& sizes) {
    const auto stays = [&](const std::vector<trace::SampleInput>& set_inputs,
                           const dynamic::Sizes& at) {
      const ir::Graph graph = graph_at(model_, out_.sizes[0], set_inputs, at);
      return stays_finite(graph, graph_inputs(set_inputs, model_));
    };
    return std::any_of(sizes.begin(), sizes.end(), [](const auto& at) { return at.second < 3; }) &&
           !stays(inputs, sizes) && stays(out_.sets[0].inputs, out_.sizes[0]);
  }

  /// Why the artefact excludes the sizes of these samples.
  std::optional<Error> exclusion(const std::vector<Sample>& samples) const {
    std::vector<trace::SampleInput> inputs;
    for (const Sample& sample : samples) inputs.push_back(sample.input);
    try {
      (void)fed_inputs(inputs, model_, artefact_inputs_);
      return std::nullopt;
    } catch (const Error& error) {
      return error;
    }
  }

  /// Adds a set at other sizes; false if torch or the artefact rejects them.
  bool add_sizes(const std::vector<Sample>& samples, const dynamic::Sizes& sizes) {
    if (const auto error = exclusion(samples)) {
      if (!excluded_) excluded_ = error;
      return false;
    }
    std::vector<trace::SampleInput> inputs = fill(samples, 1);
    auto expected = in_torch(inputs, sizes);
    if (!expected || !meets_runtime_assertions(inputs, sizes)) return false;
    if (is_meaningless(inputs, sizes)) {
      ++out_.left_out;
      return false;
    }
    keep({"", std::move(inputs), *std::move(expected), sizes});
    out_.sizes.push_back(sizes);
    return true;
  }

  void add_declared_sizes() {
    out_.sizes = {model_.dynamic->chooser.sample()};
    const auto runs = [&](const dynamic::Sizes& at) { return add_at(model_.dynamic->inputs, at); };
    sizes_to_check(model_.dynamic->chooser, runs);
    if (out_.sizes.size() == 1 && excluded_) throw Error(*excluded_);
    add_special_sizes(out_.sizes, hints(model_.dynamic->inputs), runs);
  }

  /// Varies dynamic sizes that the user did not declare; torch decides which are valid.
  void add_open_sizes() {
    const std::vector<spec::InputFact>& facts = artefact_inputs_.rules.inputs;
    const std::vector<ir::Tensor> tensors = graph_inputs(out_.sets[0].inputs, model_);
    std::vector<ir::Ints> shapes;
    std::vector<ir::Shape> dynamic_shapes(model_.inputs.size());
    for (size_t i = 0; i < model_.inputs.size(); ++i)
      for (const Sample& sample : model_.samples)
        if (is_sample_of(sample.input, model_.inputs[i], i))
          if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value))
            dynamic_shapes[i] = ir::to_shape(tensor->shape);
    bool is_open = false;
    for (size_t i = 0; i < facts.size(); ++i) {
      shapes.push_back(tensors[artefact_inputs_.indices[i]].shape);
      ir::Shape& shape = dynamic_shapes[artefact_inputs_.indices[i]];
      for (size_t axis = 0; axis < facts[i].sizes.size() && axis < shape.size(); ++axis)
        if (const auto& dim = facts[i].sizes[axis].dim; dim && !dim->is_constant()) {
          shape[axis] = *dim;
          is_open = true;
        }
    }
    if (!is_open) return;
    const dynamic::Sizes sample = spec::bind_sizes(artefact_inputs_.rules, shapes);
    out_.sizes = {sample};
    if (model_.session == nullptr) {  // recorded at one size
      out_.has_unvaried_sizes = true;
      return;
    }
    constexpr std::array<std::pair<int64_t, int64_t>, 4> kSteps = {
        {{1, 3}, {2, 1}, {1, 8}, {1, 1}}};
    constexpr size_t kFurther = 2;
    for (const auto& [factor, plus] : kSteps) {
      if (out_.sizes.size() > kFurther) break;
      dynamic::Sizes at = sample;
      int64_t offset = 0;
      for (auto& [symbol, size] : at) size = size * factor + plus + offset++;
      add_at(dynamic_shapes, at);
    }
    dynamic::Sizes ones = sample;
    for (auto& [symbol, size] : ones) size = 1;
    if (ones != sample && out_.sizes.size() <= kFurther) add_at(dynamic_shapes, ones);
    out_.has_unvaried_sizes = out_.sizes.size() == 1;
    add_special_sizes(out_.sizes, hints(dynamic_shapes),
                      [&](const dynamic::Sizes& at) { return add_at(dynamic_shapes, at); });
  }

  /// Adds no set if a symbol has no size.
  bool add_at(const std::vector<ir::Shape>& dynamic_shapes, const dynamic::Sizes& at) {
    for (const ir::Shape& shape : dynamic_shapes)
      for (const ir::Dim& dim : shape)
        for (const ir::Symbol& symbol : dim.symbols())
          if (!at.contains(symbol)) return false;
    return add_sizes(samples_at(samples_, model_.inputs, dynamic_shapes, at), at);
  }

  /// `dynamic_shapes`: the shapes of the model's inputs. A set costs at most a tenth of all others,
  /// or less than a small constant.
  SizeHints hints(const std::vector<ir::Shape>& dynamic_shapes) const {
    const ir::Graph& graph = model_.graph;
    SizeHints out{.lengths = constant_lengths(graph), .is_allowed = {}, .cost = {}};
    out.lengths.insert(artefact_inputs_.lengths.begin(), artefact_inputs_.lengths.end());
    out.is_allowed = [this, &dynamic_shapes](const dynamic::Sizes& at) {
      return !exclusion(samples_at(samples_, model_.inputs, dynamic_shapes, at));
    };
    out.cost = [&graph, this](const dynamic::Sizes& at) {
      // Without declared axes, the cost is estimated in proportion to the sizes.
      double factor = 1;
      if (!model_.dynamic)
        for (const auto& [symbol, size] : at)
          factor *= static_cast<double>(size) / static_cast<double>(out_.sizes[0].at(symbol));
      return factor * elements_at(graph, at);
    };
    constexpr double kSmall = 2e6;
    constexpr double kShare = 0.1;
    const auto sets = static_cast<double>(out_.sets.size());
    out.budget = std::max(kSmall, kShare * sets * out.cost(out_.sizes[0]));
    return out;
  }

  const SourceModel& model_;
  const check::Tolerance& tolerance_;
  const ArtefactInputs& artefact_inputs_;
  const OnSet& on_set_;
  std::vector<Sample> samples_;
  trace::Executor executor_ = trace::Executor::torch;
  std::vector<bool> finite_;  ///< by output of the samples
  std::optional<Error> excluded_;
  InputSets out_;
};

}  // namespace

InputSets make_input_sets(const SourceModel& model, int seeds, const check::Tolerance& tolerance,
                          const ArtefactInputs& artefact_inputs, const OnSet& on_set) {
  return Builder(model, tolerance, artefact_inputs, on_set).run(std::max(seeds, 2));
}

}  // namespace t2n
