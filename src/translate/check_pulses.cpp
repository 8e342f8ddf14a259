#include "src/translate/check_pulses.h"

#include <string>

#include "src/diag/error.h"
#include "src/spec/dialect.h"
#include "src/stream/pulses.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

void add_property(nnef::Document& document, const char* name, std::string value) {
  for (nnef::Fragment& fragment : document.fragments)
    if (fragment.name == spec::kPropertiesFragment)
      fragment.body.at(0).right.items.push_back(
          nnef::tuple({nnef::string(name), nnef::string(std::move(value))}));
}

Diagnostic placed(const stream::Refusal& refusal, const ir::Graph& graph, Emitter& out) {
  Diagnostic diagnostic = refusal.diagnostic;
  if (refusal.place < 0) return diagnostic;
  const ir::Node* const node = out.state().place_nodes[static_cast<size_t>(refusal.place)];
  if (node == nullptr) return diagnostic;
  diagnostic.message.insert(0, cat(ir::op_name(node->op), ": "));
  diagnostic.where = {ir::node_where(graph, *node)};
  return diagnostic;
}

[[noreturn]] void refuse(const stream::Pulses& pulses, const ir::Graph& graph, Emitter& out) {
  Diagnostic first = placed(pulses.refusals[0], graph, out);
  first.why =
      cat("the input comes in pieces (--stream), and what follows from the pieces so far "
          "must not depend on those to come; nothing was written");
  constexpr size_t kShown = 8;
  for (size_t i = 1; i < pulses.refusals.size() && i <= kShown; ++i) {
    const Diagnostic other = placed(pulses.refusals[i], graph, out);
    first.details.push_back(
        cat("also ", other.message,
            other.where.empty() ? "" : cat(", ", render_where(other.where[0]))));
  }
  if (pulses.refusals.size() > kShown + 1)
    first.details.push_back(cat("and ", pulses.refusals.size() - kShown - 1, " more"));
  throw Error(std::move(first));
}

}  // namespace

void check_pulses(nnef::Document& document, const ir::Graph& graph, Emitter& out,
                  const target::Target& target) {
  if (!target::streams(target)) return;
  const stream::Pulses pulses = stream::find_pulses(document, out.notes(), target);
  if (!pulses.refusals.empty()) refuse(pulses, graph, out);
  const target::Stream& stream = target.stream;
  if (stream.pulse % pulses.multiple != 0)
    throw Error(
        "not-streamable",
        cat("pulses of ", stream.pulse, " do not go into whole entries everywhere"),
        cat("the model takes ", pulses.multiple, " entries at a time, by strides or groups"),
        cat("--stream ", stream.symbol, "=", (stream.pulse / pulses.multiple + 1) * pulses.multiple,
            ", or another multiple of ", pulses.multiple));
  add_property(document, "t2nnef_stream_symbol", stream.symbol);
  add_property(document, "t2nnef_pulse_multiple", std::to_string(pulses.multiple));
}

}  // namespace t2n::ops
