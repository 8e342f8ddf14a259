// SPDX-License-Identifier: Apache-2.0
#include "src/translate/check_pulses.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"
#include "src/stream/pulses.h"
#include "src/stream/resets.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

Diagnostic located(const stream::Refusal& refusal, const ir::Graph& graph, Emitter& out) {
  Diagnostic diagnostic = refusal.diagnostic;
  if (refusal.location < 0) return diagnostic;
  const ir::Node* const node = out.state().location_nodes[refusal.location];
  if (node == nullptr) return diagnostic;
  diagnostic.message.insert(0, cat(ir::op_name(node->op), ": "));
  diagnostic.where = {ir::node_where(graph, *node)};
  return diagnostic;
}

[[noreturn]] void refuse_stream(const stream::Pulses& pulses, const ir::Graph& graph,
                                Emitter& out) {
  Diagnostic first = located(pulses.refusals[0], graph, out);
  first.why =
      cat("with --stream the input arrives in pieces, and an output must not depend on later "
          "pieces; nothing was written");
  constexpr size_t kShown = 8;
  for (size_t i = 1; i < pulses.refusals.size() && i <= kShown; ++i) {
    const Diagnostic other = located(pulses.refusals[i], graph, out);
    first.details.push_back(
        cat("also ", other.message,
            other.where.empty() ? "" : cat(", ", render_where(other.where[0]))));
  }
  if (pulses.refusals.size() > kShown + 1)
    first.details.push_back(cat("and ", pulses.refusals.size() - kShown - 1, " more"));
  throw Error(std::move(first));
}

/// Whether the document runs in pulses along the axes of a symbol, as far as it tells.
bool could_stream(nnef::Document document, Emitter& out, target::Target target,
                  const ir::Symbol& symbol) {
  for (nnef::Assignment& statement : document.graph.body)
    for (nnef::Argument& argument : statement.right.arguments)
      if (argument.name == "reset_every_turn") argument.value.integer = 0;  // as with --stream
  target.stream.symbol = symbol.str();
  try {
    return stream::find_pulses(document, out.notes(), target).refusals.empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void warn_of_resets(const nnef::Document& document, Emitter& out, const ir::Graph& graph,
                    const target::Target& target, const Report& report) {
  if (target::streams(target) || !report) return;
  std::vector<int> locations;
  const std::vector<stream::Reset> resets = stream::find_resets(document, out.notes());
  for (const stream::Reset& reset : resets) {
    const auto note = out.notes().tensors.find(reset.name);
    const int location = note == out.notes().tensors.end() ? -1 : note->second.location;
    if (std::find(locations.begin(), locations.end(), location) == locations.end())
      locations.push_back(location);
  }
  if (locations.empty()) return;
  Diagnostic warning{.severity = Severity::warning,
                     .id = "resets-each-run",
                     .message = "states are reset in each run of the exported model",
                     .where = {},
                     .details = {},
                     .why =
                         "a long input that is fed piece by piece gives different values from the "
                         "second piece on",
                     .help = cat("complete inputs need no change; to feed the input in pieces, ",
                                 could_stream(document, out, target, resets[0].symbol)
                                     ? cat("export with --stream ", resets[0].symbol, ", or ")
                                     : "",
                                 "pass the states in and return them")};
  if (locations[0] >= 0)
    if (const ir::Node* node = out.state().location_nodes[locations[0]])
      warning.where = {ir::node_where(graph, *node)};
  if (locations.size() > 1) warning.details.push_back(cat("and ", locations.size() - 1, " more"));
  report(warning);
}

void check_pulses(nnef::Document& document, const ir::Graph& graph, Emitter& out,
                  const target::Target& target) {
  if (!target::streams(target)) return;
  const stream::Pulses pulses = stream::find_pulses(document, out.notes(), target);
  if (!pulses.refusals.empty()) refuse_stream(pulses, graph, out);
  const target::Stream& stream = target.stream;
  if (stream.pulse % pulses.multiple != 0)
    throw Error(
        "not-streamable",
        cat("the pulse length ", stream.pulse, " is not a multiple of ", pulses.multiple),
        cat("strides or groups of the model take ", pulses.multiple, " entries at a time"),
        cat("--stream ", stream.symbol, "=", (stream.pulse / pulses.multiple + 1) * pulses.multiple,
            ", or another multiple of ", pulses.multiple));
  const int64_t least = (pulses.least + pulses.multiple - 1) / pulses.multiple * pulses.multiple;
  if (stream.pulse > 0 && stream.pulse < least)
    throw Error("not-streamable", cat("pulses of ", stream.pulse, " are too short"),
                "the padding repeats the first entry more often than a pulse has entries",
                cat("--stream ", stream.symbol, "=", least, ", or more"));
  spec::add_property(document, spec::kPulseLeast, std::to_string(least));
  spec::add_property(document, spec::kStreamSymbol, stream.symbol);
  spec::add_property(document, spec::kPulseMultiple, std::to_string(pulses.multiple));
}

}  // namespace t2n::ops
