// SPDX-License-Identifier: Apache-2.0
#include "src/localise/localise.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/localise/artefact_tensors.h"
#include "src/localise/engine_failure.h"
#include "src/localise/file_differences.h"
#include "src/localise/in_pulses.h"

namespace t2n::localise {
namespace {

constexpr size_t kMostTensors = 5;
constexpr size_t kMostInFile = 8;

class Localising {
 public:
  Localising(const Checking& checking, const CheckResult& result, const Options& options)
      : checking_(checking),
        options_(options),
        set_(inputs_of(checking, result)),
        differs_(has_difference(result)) {
    out_.engine = checking.runner.name();
    if (!set_.sizes.empty()) out_.inputs = cat("at ", dynamic::sizes_str(set_.sizes));
    if (out_.inputs.empty() && !set_.name.empty()) out_.inputs = cat("with ", set_.name);
  }

  Localisation run() {
    artefact_ = artefact_tensors(checking_, set_);
    const std::vector<size_t> results = result_indices(checking_, artefact_.artefact.document);
    model_ = model_tensors(checking_, set_, outputs(results), options_.compares_export);
    out_.reference = model_.description();
    measure(artefact_.flow, artefact_.probed, checking_.runner.engine(), model_.at_once);
    const Reference reference = model_.reference();
    const Compared compared{.flow = artefact_.flow,
                            .reference = reference,
                            .inputs = checking_.accepted.indices,
                            .results = results,
                            .pairs = pairs(),
                            .differs = differs_};
    const Frontier frontier = find_frontier(compared);
    for (const size_t i : artefact_.flow.computed())
      ++(artefact_.flow.tensors[i].digest ? out_.tensors : out_.not_compared);
    for (const Suspect& suspect : frontier.suspects)
      if (out_.first.size() < kMostTensors) add(suspect, frontier.noise);
    compare_file();
    if (options_.when == Localise::always) add_table(frontier);
    if (out_.first.empty()) explain();
    return std::move(out_);
  }

 private:
  /// The artefact's results, in the model's order; none if the engine fails.
  std::vector<ir::Tensor> outputs(const std::vector<size_t>& results) {
    const auto values = tensors_in(artefact_.probed, artefact_.artefact.document.graph.results,
                                   checking_.runner.engine());
    std::vector<ir::Tensor> out;
    if (values)
      for (const size_t index : results) out.push_back(values->at(index));
    return out;
  }

  std::vector<std::optional<RefTensor>> pairs() const {
    if (model_.engine == nullptr)
      return std::vector<std::optional<RefTensor>>(artefact_.flow.tensors.size());
    return pairs_of(artefact_.artefact.document, artefact_.flow, model_.exported->probed.document,
                    model_.exported->flow);
  }

  /// Known exactly for a file that this run wrote, else that of the counterpart.
  nnef::Origin origin(const Suspect& suspect) const {
    const size_t statement = artefact_.flow.tensors[suspect.tensor].statement;
    if (checking_.written != nullptr && statement < checking_.written->origins.size() &&
        !checking_.written->origins[statement].op.empty())
      return checking_.written->origins[statement];
    if (suspect.counterpart) {
      nnef::Origin found = origin_of(model_, *suspect.counterpart);
      if (!found.op.empty()) return found;
    }
    return suspect.before ? origin_of(model_, *suspect.before) : nnef::Origin{};
  }

  void add(const Suspect& suspect, double noise) {
    TensorDifference row;
    const auto actual = tensors_in(artefact_.probed, {artefact_.flow.tensors[suspect.tensor].name},
                                   checking_.runner.engine());
    std::optional<ir::Tensor> expected;
    if (suspect.equivalent) expected = value_of(model_, *suspect.equivalent);
    if (actual && expected) {
      row = difference_of(*expected, actual->at(0), noise);
    } else if (actual) {
      row.shape = actual->at(0).shape;
      row.actual = statistics_of(ir::to_f64(ir::as_pairs(actual->at(0))));
    }
    row.location = location_of(artefact_, suspect.tensor, origin(suspect));
    out_.first.push_back(std::move(row));
  }

  void compare_file() {
    if (checking_.written != nullptr || !options_.compares_export) return;
    const ReadFile file{artefact_.artefact, artefact_.flow, artefact_.lines};
    FileDifferences found;
    if (model_.exported)
      found = file_differences(file, exported(), model_.exported->probed.document.origins);
    if (!found.are_similar) found.rows = weight_differences(file, model_.graph);
    out_.more_in_file = found.rows.size() - std::min(found.rows.size(), kMostInFile);
    found.rows.resize(std::min(found.rows.size(), kMostInFile));
    out_.file = std::move(found.rows);
  }

  /// The probes have rewritten its text.
  nnef::Artefact exported() const {
    const Probed& probed = model_.exported->probed;
    restore_graph(probed);
    return nnef::read_artefact(probed.folder);
  }

  void add_table(const Frontier& frontier) {
    for (const size_t i : artefact_.flow.computed()) {
      const Suspect suspect{.tensor = i, .counterpart = frontier.counterparts[i]};
      out_.table.push_back({.location = location_of(artefact_, i, origin(suspect)),
                            .distance = frontier.nearest[i],
                            .is_wrong = frontier.wrong[i]});
    }
  }

  void explain() {
    if (!differs_)
      out_.note = "no output differs";
    else
      out_.note = out_.tensors == 0
                      ? "the engine cannot return intermediate results of this artefact"
                      : "with intermediate results as outputs, every output is right: the engine "
                        "computes the artefact differently without them";
  }

  const Checking& checking_;
  const Options& options_;
  InputSet set_;
  bool differs_;
  ArtefactTensors artefact_;
  ModelTensors model_;
  Localisation out_;
};

Localisation localised(const Checking& checking, const CheckResult& result,
                       const Options& options) {
  Localisation out;
  try {
    const InputSet set = inputs_of(checking, result);
    out = set.pulses ? localised_in_pulses(checking, set, options.when, options.compares_export)
                     : Localising(checking, result, options).run();
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    out.engine = checking.runner.name();
    out.note = error.diagnostic().message;
  }
  checking.runner.engine().load(checking.path);
  return out;
}

}  // namespace

Localiser localiser(const Options& options) {
  if (options.when == Localise::never) return {};
  return {.difference =
              [options](const Checking& checking, const CheckResult& result) {
                return localised(checking, result, options);
              },
          .always = options.when == Localise::always,
          .failure =
              [options](const Checking& checking, Diagnostic error) {
                return located_failure(checking, std::move(error), options.compares_export);
              }};
}

}  // namespace t2n::localise
