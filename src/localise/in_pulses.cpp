// SPDX-License-Identifier: Apache-2.0
// Both sides are the same file in the same engine: tensors correspond by their names.
#include "src/localise/in_pulses.h"

#include <numeric>

#include "src/check/graph_f64_distance.h"
#include "src/diag/error.h"
#include "src/localise/engine_failure.h"

namespace t2n::localise {
namespace {

/// The same tensors in pulses, and on the entire inputs.
struct BothFlows {
  Flow in_pulses;
  Flow entire;
};

BothFlows measured(const ArtefactTensors& artefact, const InputSet& set, check::Runner& engine,
                   size_t most) {
  BothFlows out{artefact.flow, artefact.flow};
  for_chunks(artefact.flow, most, [&](std::span<const size_t> chunk) {
    const auto values = streamed_in(artefact.probed, names_of(artefact.flow, chunk), set, engine);
    for (size_t i = 0; values && i < chunk.size(); ++i) {
      const Streamed& both = (*values)[i];
      if (both.entire.elements() == 0) continue;  // its first entries come after these pulses
      out.in_pulses.tensors[chunk[i]].digest = digest_of(both.in_pulses);
      out.entire.tensors[chunk[i]].digest = digest_of(both.entire);
    }
    return values.has_value();
  });
  return out;
}

std::vector<size_t> indices(size_t count) {
  std::vector<size_t> out(count);
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

Frontier frontier_of(const BothFlows& flows) {
  const Reference reference{{&flows.entire}};
  Compared compared{.flow = flows.in_pulses,
                    .reference = reference,
                    .inputs = indices(flows.in_pulses.inputs.size()),
                    .results = indices(flows.in_pulses.results.size()),
                    .pairs = {}};
  for (const size_t i : indices(flows.in_pulses.tensors.size()))
    compared.pairs.emplace_back(RefTensor{0, i});
  return find_frontier(compared);
}

}  // namespace

Localisation localised_in_pulses(const Checking& checking, const InputSet& set, Localise when,
                                 bool may_export) {
  constexpr size_t kMostTensors = 5;
  const ArtefactTensors artefact = artefact_tensors(checking, set);
  check::Runner& engine = checking.runner.engine();
  const BothFlows flows = measured(
      artefact, set, engine, most_at_once(graph_at(checking.model, {}, set.inputs, set.sizes)));
  const Frontier frontier = frontier_of(flows);
  Localisation out;
  out.engine = checking.runner.name();
  out.inputs = cat("in pulses of ", set.pulses->size, ", ", dynamic::sizes_str(set.sizes));
  out.reference = cat("the artefact on the entire input in ", checking.runner.name());
  const auto location = [&](size_t tensor) {
    return location_of(artefact, tensor,
                       origin_of_statement(checking, artefact, tensor, may_export));
  };
  for (const size_t i : artefact.flow.computed()) {
    ++(flows.in_pulses.tensors[i].digest ? out.tensors : out.not_compared);
    if (when == Localise::always)
      out.table.push_back({location_of(artefact, i, {}), frontier.nearest[i], frontier.wrong[i]});
  }
  for (const Suspect& suspect : frontier.suspects) {
    if (out.first.size() == kMostTensors) break;
    const auto both =
        streamed_in(artefact.probed, {artefact.flow.tensors[suspect.tensor].name}, set, engine);
    if (!both) continue;
    out.first.push_back(difference_of(both->at(0).entire, both->at(0).in_pulses, frontier.noise));
    out.first.back().location = location(suspect.tensor);
  }
  if (out.first.empty())
    out.note = out.tensors == 0 ? "the engine cannot return intermediate results in pulses"
                                : "with intermediate results as outputs, every output is right in "
                                  "pulses";
  return out;
}

}  // namespace t2n::localise
