// SPDX-License-Identifier: Apache-2.0
// Loads, finds the failure, searches, and verifies the result from its files before it is kept.
#include "src/reduce/reduce.h"

#include <memory>
#include <utility>

#include "nnef_writer/temporary.h"
#include "src/check/check_existing.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/declared_axes.h"
#include "src/export/graph_model.h"
#include "src/export/stages.h"
#include "src/reduce/modules.h"
#include "src/reduce/search.h"
#include "src/reduce/written.h"
#include "src/spec/input_sizes.h"

namespace t2n::reduce {
namespace {

/// Whether the files fail in the same way. An artefact is checked as the command `check` does.
std::optional<Diagnostic> failure_of_files(const Files& files, bool has_artefact,
                                           const Failing& failing, const ReduceOptions& options,
                                           Opened& opened) {
  const Part part = read_part(files);
  if (!has_artefact) return failing.judge(part);
  return failure_of([&] {
    OpenedArtefact artefact{.path = files.artefact.string(),
                            .artefact = nnef::read_artefact(files.artefact),
                            .inputs = {},
                            .engine = std::move(opened.engine)};
    artefact.inputs = spec::size_rules(artefact.artefact.document).inputs;
    ModelOptions model = options;
    model.model = files.graph.string();
    model.dynamic = {};
    model.reroll_loops = false;
    model.samples = model_of(part).samples;
    const TracedModel graph = model_of_graph(load_graph(model));
    CheckOptions check = options_for(part, *options.check, failing.first.subject);
    CheckedModel checked =
        check_existing(artefact, source_model(graph), check, options.target.stream, true);
    check.strict = false;
    judge(checked.checked, check, {}, nullptr);
    if (checked.other_contents) throw Error(*checked.other_contents);
  });
}

std::vector<nnef::Taken> taken_by(const ReduceOptions& options) {
  std::vector<nnef::Taken> out = options.taken;
  for (nnef::Taken& each : model_files(options.model)) out.push_back(std::move(each));
  if (!options.against.empty()) out.push_back({"the artefact", options.against});
  return out;
}

/// A folder for the first writing of the files.
std::shared_ptr<nnef::Temporary> scratch_folder(const Opened& opened) {
  if (opened.engine.scratch) return opened.engine.scratch;
  auto out = std::make_shared<nnef::Temporary>(
      std::filesystem::temp_directory_path() / "t2nnef-reduce", nnef::Temporary::Kind::folder);
  confine::may_use_up(out->path());
  return out;
}

Extent extent_of(const Part& part) { return {operations(part.graph), elements(part)}; }

TracedModel traced(const LoadedModel& loaded, const ReduceOptions& options) {
  return trace_to_export(loaded, options, [&](const TracedModel& model) {
    return has_document(model, options.target, options.passes);
  });
}

/// An operator without a translation has no shape rule either: with dynamic axes the trace fails.
std::optional<Failing> failure_at_one_size(const LoadedModel& loaded, const ReduceOptions& options,
                                           const Opened& opened) {
  if (options.dynamic.axes.empty()) return std::nullopt;
  std::optional<Failing> out;
  (void)failure_of(
      [&] { out = failure_of_model(trace_at_one_size(loaded, options), options, opened); });
  return out;
}

Reduction described(const Failing& failing, const Part& part, const Search& search) {
  Reduction out;
  out.failure = failing.first;
  out.differing = failing.first.id == "output-mismatch" ? failing.first.subject : "";
  out.graph = part.graph;
  out.before = extent_of(*failing.subject->part(failing.subject->all()));
  out.after = extent_of(part);
  out.candidates = search.candidates();
  out.seconds = search.seconds();
  out.is_complete = !search.is_over();
  return out;
}

/// Writes the part to the scratch folder, and requires that it fails when read from there.
void verify(const Part& part, const std::optional<nnef::Document>& document, const Failing& failing,
            const ReduceOptions& options, Opened& opened, const std::filesystem::path& scratch) {
  const Files scratch_files = files_at(scratch / "reduced");
  write_files(scratch_files, part, document, {});
  const auto found =
      failure_of_files(scratch_files, document.has_value(), failing, options, opened);
  if (is_kept(failing.kept, found)) return;
  throw Error("not-reducible",
              "the smallest part does not fail any more when it is read from its files",
              found ? cat("it fails otherwise: ", headline(*found))
                    : cat("in memory it fails: ", headline(failing.first)),
              "please report it with the model");
}

}  // namespace

Reduction reduce(ReduceOptions options) {
  const Files files = files_at(stem_of(options));
  const std::vector<nnef::Taken> taken = taken_by(options);
  check_files(files, taken);
  Opened opened = open(options);
  const std::shared_ptr<nnef::Temporary> scratch = scratch_folder(opened);
  options.begin("load");
  const LoadedModel loaded = load_model(options);
  options.dynamic = axes_for_target(loaded, std::move(options.dynamic), options.target, {});
  options.begin("trace");
  std::optional<TracedModel> model;
  std::optional<Failing> found;
  try {
    model = traced(loaded, options);
  } catch (const Error& error) {
    found = failure_at_one_size(loaded, options, opened);
    options.begin("reduce");
    if (!found) return reduce_modules(loaded, error, options, scratch->path());
  }
  if (model) {
    options.begin("reduce");
    found = failure_of_model(*model, options, opened);
  }
  const Failing& failing = *found;
  Search search(options.seconds, options.say);
  const Part part = search.smallest(failing);
  Reduction out = described(failing, part, search);
  if (auto last = failing.judge(part)) out.failure = *std::move(last);
  options.begin("verify");
  const std::optional<nnef::Document> document = failing.document(part);
  verify(part, document, failing, options, opened, scratch->path());
  options.begin("write");
  out.files = write_files(files, part, document, taken);
  options.begin("done");
  return out;
}

}  // namespace t2n::reduce
