// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/dead_code.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/reduce/minimise.h"
#include "src/reduce/sizes.h"

namespace t2n::reduce {
namespace {

bool has_loops(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), ir::is_scan);
}

/// The part with numbers for its symbols.
Part at_one_size(const Part& part, const ir::Sizes& sizes) {
  Part out = part;
  out.graph = passes::at_sizes(part.graph, sizes);
  for (const char* const note : {ir::kSampleSizes, ir::kRelations, ir::kRuntimeAssertions})
    out.graph.attributes.erase(note);
  return out;
}

std::shared_ptr<Subject> subject_of_part(const Part& part) {
  return std::make_shared<Subject>(part.graph, part.inputs, ir::Sizes(),
                                   torch_module().evaluator());
}

}  // namespace

Search::Search(double seconds, std::function<void(const std::string&)> say)
    : limit_(seconds), say_(std::move(say)) {}

double Search::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Search::report(const std::string& text) const {
  if (say_)
    say_(cat(text, "  (", candidates_, candidates_ == 1 ? " candidate, " : " candidates, ",
             static_cast<int64_t>(seconds() * 10) / 10.0, " s)"));
}

bool Search::fails(const Failing& failing, const Part& part) {
  ++candidates_;
  return is_kept(failing.kept, failing.judge(part));
}

Part Search::fewest_nodes(const Failing& failing, const Subject& subject) {
  std::map<Nodes, bool> known = {{subject.all(), true}};
  size_t count = subject.graph().nodes.size();
  const auto test = [&](const Nodes& nodes) {
    const auto [found, is_new] = known.try_emplace(nodes, false);
    if (!is_new) return found->second;
    const std::optional<Part> part = subject.part(nodes);
    found->second = part && fails(failing, *part);
    if (found->second)
      report(cat(count, " -> ", nodes.size(), nodes.size() == 1 ? " operation" : " operations"));
    if (found->second) count = nodes.size();
    return found->second;
  };
  const Nodes nodes = minimise(subject.all(), test, [&] { return is_over(); });
  return *subject.part(nodes);
}

/// Loops whose failure does not need them become their iterations, which are reduced as well.
Part Search::unrolled(const Failing& failing, Part part) {
  if (!has_loops(part.graph) || failing.is_of_artefact || is_over()) return part;
  Part flat = part;
  passes::PassContext context;
  context.native = ir::all_operators_but({ir::op_id(ir::kScanOp)});
  if (!passes::run_pipeline(flat.graph, {"unroll-scans"}, context) || !fails(failing, flat))
    return part;
  Part out = fewest_nodes(failing, *subject_of_part(flat));
  return operations(out.graph) < operations(part.graph) ? std::move(out) : std::move(part);
}

/// Removes outputs, as long as one remains.
Part Search::fewest_outputs(const Failing& failing, Part part) {
  for (size_t i = part.graph.outputs.size(); i-- > 0 && !is_over();) {
    if (part.graph.outputs.size() < 2) break;
    Part other = part;
    const auto at = static_cast<std::ptrdiff_t>(i);
    other.graph.outputs.erase(other.graph.outputs.begin() + at);
    other.graph.output_names.erase(other.graph.output_names.begin() + at);
    other.output_ids.erase(other.output_ids.begin() + at);
    if (fails(failing, other)) part = std::move(other);
  }
  return part;
}

Part Search::smallest_sizes(const Failing& failing, Part part) {
  const int64_t before = elements(part);
  part = with_smaller_sizes(
      std::move(part), failing.is_of_artefact,
      [&](const Part& other) { return fails(failing, other); }, [&] { return is_over(); });
  if (elements(part) < before)
    report(cat(before, " -> ", elements(part), " elements of inputs and weights"));
  return part;
}

Part Search::smallest(const Failing& failing) {
  std::shared_ptr<Subject> subject = failing.subject;
  if (!ir::sample_sizes(subject->graph()).empty() && !failing.is_of_artefact) {
    const std::optional<Part> all = subject->part(subject->all());
    Part fixed = at_one_size(*all, subject->sizes());
    if (fails(failing, fixed)) {
      report("dynamic axes -> the sizes of the samples");
      subject = subject_of_part(fixed);
    }
  }
  Part part = fewest_nodes(failing, *subject);
  part = unrolled(failing, std::move(part));
  part = fewest_outputs(failing, std::move(part));
  return smallest_sizes(failing, std::move(part));
}

}  // namespace t2n::reduce
