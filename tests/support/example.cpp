// SPDX-License-Identifier: Apache-2.0
#include "tests/support/example.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "nnef_writer/archive.h"
#include "nnef_writer/print.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/export/pipeline.h"
#include "src/tract/worker.h"
#include "src/translate/registry.h"
#include "tests/support/digest.h"
#include "tests/support/reference.h"
#include "tests/support/refusals.h"
#include "tests/support/strict_case.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

/// What the model consists of, under all names.
std::vector<OperatorUse> all_uses(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
  if (!is_recording()) return {};
  std::vector<OperatorUse> out = operator_uses(graph);
  for (OperatorUse& alias : alias_uses(graph, inputs)) out.push_back(std::move(alias));
  return out;
}

/// Operations that a pass takes apart: the translated graph lacks them.
std::vector<OperatorUse> rewritten_uses(const Example& example) {
  if (!is_recording()) return {};
  const auto is_other = [](const OperatorUse& use) {
    if (is_of_quantised(use.op)) return false;
    const ops::Entry* known = ops::registry().find(ir::op_id(use.op));
    if (known == nullptr || known->refusal) return true;
    const std::string_view written = known->variants.at(0).nnef;
    return written != "complex-to-pairs" && written != "expand-packed";
  };
  const std::vector<OperatorUse> plain = operator_uses(example.graph);
  if (std::all_of(plain.begin(), plain.end(), is_other)) return {};
  std::vector<OperatorUse> out = all_uses(example.graph, example.inputs);
  std::erase_if(out, is_other);
  return out;
}

void record_refusal(const ir::Graph& traced, const std::vector<ir::Tensor>& inputs,
                    const target::Target& target, const Error& error) {
  record(refused_uses(all_uses(traced, inputs), refusals(error.diagnostic())),
         target::target_name(target), Outcome::refused);
}

std::vector<tract::Engine> engines() {
  static const tract::Candidates candidates =
      tract::find_engines(tract::search_from_environment(""));
  return candidates.engines;
}

tract::Engine engine_of(const target::Target& target) {
  return tract::pick({target.version.major, target.version.minor, target.version.patch},
                     {engines(), {}});
}

check::Runner& runner(const target::Target& target) {
  static std::map<std::string, std::unique_ptr<check::Runner>> runners;
  std::unique_ptr<check::Runner>& slot = runners[target::target_name(target)];
  if (!slot) {
    slot = check::tract_runner(engine_of(target), {.timeout = std::chrono::seconds(60)});
  }
  return *slot;
}

}  // namespace

std::vector<ir::Tensor> as_pairs(const std::vector<ir::Tensor>& tensors) {
  std::vector<ir::Tensor> out;
  for (const ir::Tensor& tensor : tensors) out.push_back(ir::as_pairs(tensor));
  return out;
}

Exported export_example(Example example, const target::Target& target) {
  ir::verify(example.graph, "trace");
  // Every operator test is a round trip of the text form as well.
  const std::string text = ir::print(example.graph);
  T2N_ASSERT(ir::print(ir::parse(text)) == text, "the text form does not round-trip:\n", text);
  passes::PipelineOptions options;
  options.disabled = example.disabled_passes;
  const ir::Graph traced = is_recording() ? example.graph : ir::Graph();
  std::vector<OperatorUse> uses = rewritten_uses(example);
  try {
    nnef::Document document = to_nnef(example.graph, target, options, {});
    note_digest(document, target::target_name(target));
    for (OperatorUse& use : all_uses(example.graph, as_pairs(example.inputs)))
      uses.push_back(std::move(use));
    return {std::move(document), std::move(uses)};
  } catch (const Error& error) {
    record_refusal(traced, example.inputs, target, error);
    throw;
  }
}

Run export_and_run(Example example, const target::Target& target) {
  const std::vector<ir::Tensor> inputs = example.inputs, expected = example.expected;
  StrictRun strict = target == newest_target() ? run_strict_case(example) : StrictRun();
  const Exported exported = export_example(std::move(example), target);
  DocumentRuns runs = run_document(exported.document, {as_pairs(inputs)}, target);
  return {expected,         std::move(runs.outputs[0]),  nnef::print(exported.document),
          exported.uses,    target::target_name(target), std::move(runs.references[0]),
          std::move(strict)};
}

DocumentRuns run_document(const nnef::Document& document,
                          const std::vector<std::vector<ir::Tensor>>& inputs,
                          const target::Target& target) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact =
      nnef::write_artefact(document, {folder.path() / "model", nnef::Destination::Form::folder, 0});
  check::Runner& engine = runner(target);
  engine.load(artefact.path().string());
  DocumentRuns out;
  for (const auto& set : inputs) out.outputs.push_back(engine.run(set));
  out.references = run_beside(artefact.path().string(), inputs);
  return out;
}

std::string engine_profile(Example example, const target::Target& target) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact =
      nnef::write_artefact(export_example(std::move(example), target).document,
                           {folder.path() / "model", nnef::Destination::Form::folder, 0});
  tract::WorkerClient worker(engine_of(target).library);
  worker.load(artefact.path().string());
  return worker.profile_json();
}

std::vector<ir::Tensor> run_text(const std::string& graph, const std::vector<ir::Tensor>& inputs,
                                 const target::Target& target) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "graph.nnef") << graph;
  check::Runner& engine = runner(target);
  engine.load(folder.path().string());
  return engine.run(inputs);
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
  return "(no error: the model was exported)";
}

const std::vector<target::Target>& test_targets() {
  static const std::vector<target::Target> targets = [] {
    std::vector<target::Target> out;
    for (const tract::Engine& engine : engines())
      out.push_back({target::Engine::tract,
                     {engine.version.major, engine.version.minor, engine.version.patch}});
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return b.version < a.version; });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    T2N_ASSERT(!out.empty(), "no tract library was found: set T2NNEF_TRACT_LIB");
    if (std::getenv("T2NNEF_MATRIX") == nullptr && out.size() > 2)
      out.erase(out.begin() + 1, out.end() - 1);
    return out;
  }();
  return targets;
}

const target::Target& newest_target() { return test_targets().front(); }

std::string differences(const Run& run, const check::Tolerance& tolerance) {
  if (run.actual.size() != run.expected.size())
    return cat(run.actual.size(), " outputs, expected ", run.expected.size());
  std::string out;
  for (size_t i = 0; i < run.expected.size(); ++i) {
    const check::Deviation comparison = check::compare(run.expected[i], run.actual[i], tolerance);
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(cat("output_", i), comparison) + "\n";
  }
  record(run.uses, run.target, out.empty() ? Outcome::right : Outcome::wrong);
  return out + reference_differences(run, tolerance) + strict_differences(run, tolerance);
}

}  // namespace t2n::test
