// SPDX-License-Identifier: Apache-2.0
#include "src/check/pulses.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

class PulseCheck {
 public:
  PulseCheck(const Checking& checking, CheckResult& result)
      : checking_(checking),
        model_(checking.model),
        symbol_(checking.stream.symbol),
        multiple_(checking.properties.multiple),
        least_(checking.properties.least),
        result_(result) {}

  void run() {
    for (const int64_t pulse : sizes()) check(pulse);
  }

 private:
  /// The declared pulse size, one that is no multiple of it, and a smaller one.
  std::vector<int64_t> sizes() const {
    constexpr int64_t kUsual = 8;
    const int64_t usual = (std::max(kUsual, least_) + multiple_ - 1) / multiple_ * multiple_;
    const int64_t declared = checking_.stream.pulse > 0 ? checking_.stream.pulse : usual;
    std::vector<int64_t> out = {declared, declared + multiple_};
    const int64_t half = declared / 2 / multiple_ * multiple_;
    out.push_back(half >= std::max<int64_t>(least_, 1) ? half : declared + 2 * multiple_);
    return out;
  }

  /// Torch's result for the full input, which is longer than the fed pieces. Nothing if torch or
  /// the artefact rejects the length.
  struct FullInput {
    std::vector<trace::SampleInput> inputs;
    std::vector<ir::Tensor> fed;
    std::vector<ir::Tensor> expected;
    dynamic::Sizes sizes;
  };
  std::optional<FullInput> full_input(int64_t length, uint64_t seed) {
    FullInput out;
    out.sizes = model_.dynamic->chooser.sample();
    out.sizes[symbol_] = length;
    const std::vector<Sample> samples =
        samples_at(model_.samples, model_.inputs, model_.dynamic->inputs, out.sizes);
    out.inputs = fill(samples, seed);
    try {
      out.fed = fed_inputs(out.inputs, model_, checking_.accepted);
      out.expected = reference_outputs(model_, out.inputs, out.sizes, result_.executor);
    } catch (const Error& error) {
      const std::string& id = error.diagnostic().id;
      if (id != "forward-failed" && id != "input-sizes") throw;
      return {};
    }
    return out;
  }

  void check(int64_t pulse) {
    const auto info = checking_.runner.pulse({checking_.stream.symbol, pulse});
    if (!info)
      throw Error("engine-not-found", cat(checking_.runner.name(), " does not support pulses"),
                  "only tract runs models in pulses", "install tract, or omit --stream");
    if (result_.pulses.empty()) result_.delays = info->delays;
    // Tries longer inputs until every output has enough entries. The input continues after the fed
    // pieces: a model may treat the end of its input specially, and no piece is the end.
    constexpr int64_t kPieces[] = {6, 12, 25, 50, 100, 400, 1600};
    constexpr int64_t kMargin = 64;
    const int64_t margin = (kMargin + multiple_ - 1) / multiple_ * multiple_;
    for (const int64_t pieces : kPieces)
      for (const int64_t rest : {margin, margin + multiple_})
        if (auto input = full_input(pieces * pulse + rest, static_cast<uint64_t>(pulse)))
          if (compare(*info, *std::move(input), pieces, pulse)) return;
    throw Error("inconclusive-check", cat("nothing was compared in pulses of ", pulse),
                "torch rejected all long inputs, or the engine returned too few entries",
                "pass a sample with --input that is several pulses long");
  }

  /// False if an output has too few entries to compare.
  bool compare(const check::InPulses& info, FullInput input, int64_t pieces, int64_t pulse) {
    InputSet set{.name = "", .inputs = input.inputs, .sizes = input.sizes};
    set.pulses = Pulses{checking_.stream.symbol, pulse, pieces};
    const std::vector<ir::Tensor> tensors =
        fed_in_pulses(std::move(input.fed), info.input_axes, set);
    std::vector<ir::Tensor> actual = checking_.runner.run_in_pulses(tensors);
    require_count(actual.size(), input.expected.size());
    require_count(actual.size(), info.axes.size());
    InputSets sets;
    for (size_t i = 0; i < actual.size(); ++i) {
      ir::Tensor& actual_part = actual[i];
      ir::Tensor expected_part = ir::as_pairs(input.expected[i]);
      const size_t axis = info.axes[i];
      if (info.axes[i] >= 0 && axis < actual_part.shape.size() &&
          actual_part.shape.size() == expected_part.shape.size()) {
        constexpr int64_t kLeast = 3;
        const int64_t count = std::min(actual_part.shape[axis], expected_part.shape[axis]);
        if (count < kLeast || count < info.delays[i]) return false;
        expected_part = first_of(expected_part, info.axes[i], count);
        actual_part = first_of(actual_part, info.axes[i], count);
      }
      set.compared.push_back(expected_part.shape);
      set.expected.push_back(std::move(expected_part));
    }
    sets.sets.push_back(std::move(set));
    sets.reference = result_.reference;
    require_fresh(tensors, actual, info, pulse);
    CheckResult found = compare_results(sets, checking_, {std::move(actual)});
    for (check::OutputRow& row : found.rows)
      row.where = cat("in pulses of ", pulse, ", ", dynamic::sizes_str(input.sizes));
    merge_rows(result_, found);
    result_.pulses.push_back(pulse);
    return true;
  }

  /// Checks that a second stream starts in a fresh state.
  void require_fresh(const std::vector<ir::Tensor>& tensors, const std::vector<ir::Tensor>& first,
                     const check::InPulses& info, int64_t pulse) {
    const std::vector<ir::Tensor> again = checking_.runner.run_in_pulses(tensors);
    for (size_t i = 0; i < first.size(); ++i) {
      ir::Tensor second = again.at(i);
      if (info.axes[i] >= 0) second = first_of(second, info.axes[i], first[i].shape[info.axes[i]]);
      if (check::compare(first[i], second, {check::Level::exact, {}}).verdict ==
          check::Verdict::differs)
        throw Error(
            "output-mismatch",
            cat("a second stream, in pulses of ", pulse,
                ", does not start in a fresh state: ", quoted(checking_.outputs.at(i)), " differs"),
            "for the same input, the engine returned other values than in the first stream",
            "please report it; until then, load the artefact again for each stream");
    }
  }

  const Checking& checking_;
  const SourceModel& model_;
  ir::Symbol symbol_;
  int64_t multiple_;
  int64_t least_;
  CheckResult& result_;
};

}  // namespace

ir::Tensor first_of(const ir::Tensor& tensor, int64_t axis, int64_t count) {
  ir::Tensor out = tensor;
  int64_t& size = out.shape.at(static_cast<size_t>(axis));
  size = std::min(count, size);
  return ir::contiguous(out);
}

std::vector<ir::Tensor> fed_in_pulses(std::vector<ir::Tensor> inputs,
                                      const std::vector<int64_t>& axes, const InputSet& set) {
  const int64_t length = set.sizes.at(ir::Symbol(set.pulses->symbol));
  for (size_t i = 0; i < std::min(inputs.size(), axes.size()); ++i)
    if (axes[i] >= 0) {
      const int64_t entries = inputs[i].shape.at(static_cast<size_t>(axes[i])) / length;
      inputs[i] = first_of(inputs[i], axes[i], entries * set.pulses->count * set.pulses->size);
    }
  return inputs;
}

void check_in_pulses(const Checking& checking, CheckResult& result) {
  T2N_ASSERT(checking.model.dynamic != nullptr, "a streaming model has dynamic sizes");
  PulseCheck(checking, result).run();
}

}  // namespace t2n
