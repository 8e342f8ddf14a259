// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/failure.h"

#include <algorithm>
#include <utility>

#include "ops/all.h"
#include "src/check/contents.h"
#include "src/check/input_sets.h"
#include "src/check/run_artefact.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/pass_table.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/samples/samples_at.h"
#include "src/spec/dialect.h"
#include "src/spec/expansion.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n::reduce {
namespace {

using Inputs = std::vector<trace::SampleInput>;

Error none_found(const ReduceOptions& options) {
  const bool runs = options.check || !options.against.empty();
  return {
      "not-reducible", "the model does not fail",
      options.keep.empty() ? "" : cat("--keep requires the text ", quoted(options.keep)),
      runs ? "give the options of the command that fails"
           : "give the options of the command that fails; with --check, outputs are compared, too"};
}

target::Target target_of(const nnef::Document& document) {
  return spec::dialect_of(document) == spec::Dialect::tract ? named_target(document)
                                                            : target::parse_target("khronos");
}

/// Complex inputs are pairs where the graph takes pairs.
std::vector<ir::Tensor> inputs_for(const ir::Graph& graph, const Inputs& inputs,
                                   const std::vector<std::string>& names) {
  std::vector<ir::Tensor> out = values_of(inputs, names);
  for (size_t i = 0; i < std::min(out.size(), graph.inputs.size()); ++i)
    if (!ir::is_complex(graph.values[graph.inputs[i]].dtype)) out[i] = ir::as_pairs(out[i]);
  return out;
}

std::shared_ptr<Subject> subject_of(const ir::Graph& graph, const TracedModel& model,
                                    const Inputs& inputs, const ir::Sizes& sizes) {
  return std::make_shared<Subject>(graph, inputs_for(graph, inputs, model.inputs), sizes,
                                   torch_module().evaluator());
}

/// With --stream, a part without the streamed axis fails for another reason.
bool lacks_stream(const Part& part, const target::Stream& stream) {
  if (stream.symbol.empty()) return false;
  const ir::Symbol symbol(stream.symbol);
  return std::none_of(part.graph.inputs.begin(), part.graph.inputs.end(), [&](ir::ValueId id) {
    const ir::Shape& shape = part.graph.values[id].shape;
    return std::any_of(shape.begin(), shape.end(),
                       [&](const ir::Dim& size) { return size.mentions(symbol); });
  });
}

/// Tries the model on several sets of inputs.
class Finder {
 public:
  Finder(const TracedModel& model, const ReduceOptions& options, const Opened& opened)
      : model_(model), options_(options), opened_(opened) {}

  Failing find() {
    exporter_ = {options_.target, options_.passes, options_.nan};
    graph_ = model_.traced.graph;
    if (options_.compress) compress();
    if (opened_.against) return differing_artefact();
    if (auto found = refused()) return *std::move(found);
    if (!options_.check) throw none_found(options_);
    if (auto found =
            on_any_set([&](const std::shared_ptr<Subject>& subject) { return checked(subject); }))
      return *std::move(found);
    throw none_found(options_);
  }

 private:
  void compress() {
    if (auto compress = with_model_settings(options_.compress, model_.info))
      graph_ = compress_model(model_, *compress, options_.target, options_.passes, options_.report)
                   .graph;
  }

  std::shared_ptr<Subject> subject_of_samples() const {
    return subject_of(graph_, model_, fill(model_.samples, 0), {});
  }

  /// The result if the model fails as requested.
  std::optional<Failing> failing(std::shared_ptr<Subject> subject, Judge judge) const {
    const std::optional<Part> part = subject->part(subject->all());
    if (!part) return std::nullopt;
    std::optional<Diagnostic> found = judge(*part);
    if (!found || !is_kept({found->id, options_.keep}, found)) return std::nullopt;
    Failing out;
    out.subject = std::move(subject);
    out.kept = {found->id, options_.keep};
    out.first = *std::move(found);
    out.judge = std::move(judge);
    return out;
  }

  std::optional<Failing> refused() const {
    const auto judge = [exporter = exporter_](const Part& part) -> std::optional<Diagnostic> {
      if (lacks_stream(part, exporter.target.stream)) return std::nullopt;
      return failure_of([&] { (void)document_of(part, exporter); });
    };
    auto out = failing(subject_of_samples(), judge);
    if (!out) return out;
    out->document = [](const Part&) { return std::nullopt; };
    return out;
  }

  std::optional<Failing> checked(const std::shared_ptr<Subject>& subject) const {
    const auto document = [exporter = exporter_](const Part& part) {
      return std::optional(document_of(part, exporter));
    };
    const Judge judge = [document, exporter = exporter_, bench = bench(),
                         sizes = subject->sizes()](const Part& part) -> std::optional<Diagnostic> {
      std::optional<nnef::Document> own;
      if (lacks_stream(part, exporter.target.stream)) return std::nullopt;
      if (auto found = failure_of([&] { own = document(part); })) return found;
      return compared(part, *own, sizes, bench);
    };
    auto out = failing(subject, judge);
    if (out) out->document = document;
    return out;
  }

  /// The samples first; other sets are made only if the model does not fail on them.
  std::optional<Failing> on_any_set(
      const std::function<std::optional<Failing>(const std::shared_ptr<Subject>&)>& attempt) const {
    if (auto found = attempt(subject_of_samples())) return found;
    const SourceModel source = source_model(model_);
    const nnef::Document document = document_of({graph_, {}, {}, {}}, exporter_);
    const InputSets sets = make_input_sets(source, options_.check->seeds, options_.check->tolerance,
                                           artefact_inputs_of(document));
    for (size_t i = 1; i < sets.sets.size(); ++i)
      if (auto found = attempt(subject_of(graph_, model_, sets.sets[i].inputs, sets.sets[i].sizes)))
        return found;
    return std::nullopt;
  }

  Bench bench() const { return {*options_.check, opened_.engine, options_.target.stream}; }

  /// The graph after the passes of the artefact's export: its values are the artefact's tensors.
  Failing differing_artefact() {
    const nnef::Artefact& theirs = *opened_.against;
    if (!options_.has_target) exporter_.target = target_of(theirs.document);
    if (!options_.target.stream.symbol.empty()) exporter_.target.stream = options_.target.stream;
    run_standard_passes(graph_, exporter_.target, exporter_.passes, nullptr);
    const nnef::Document exported =
        ops::translate(graph_, exporter_.target, nullptr, ops::registry());
    const auto ours = std::make_shared<nnef::Artefact>(artefact_of(exported));
    const auto names = std::make_shared<TensorNames>(tensors_of(graph_, ours->document));
    const auto their_names =
        std::make_shared<TensorNames>(tensors_in(theirs.document, ours->document, *names));
    for (const bool reads_contents : {false, true}) {
      const auto attempt = [&](const std::shared_ptr<Subject>& subject) {
        const Judge judge = [=, &theirs, sizes = subject->sizes(),
                             bench = bench()](const Part& part) {
          return difference(part, theirs, *their_names, *ours, *names, sizes, bench,
                            reads_contents);
        };
        auto out = failing(subject, judge);
        if (!out) return out;
        out->is_of_artefact = true;
        out->document = [=, &theirs](const Part& part) { return cut(theirs, part, *their_names); };
        return out;
      };
      // Contents are the same on all inputs.
      auto found = reads_contents ? attempt(subject_of_samples()) : on_any_set(attempt);
      if (found) return *std::move(found);
    }
    throw none_found(options_);
  }

  /// A part differs if the artefact's part does, and if the same part of an export does not.
  static std::optional<Diagnostic> difference(const Part& part, const nnef::Artefact& theirs,
                                              const TensorNames& their_names,
                                              const nnef::Artefact& ours, const TensorNames& names,
                                              const ir::Sizes& sizes, const Bench& bench,
                                              bool reads_contents) {
    if (lacks_stream(part, bench.stream)) return std::nullopt;
    const auto wrong = cut(theirs, part, their_names);
    const auto right = cut(ours, part, names);
    if (!wrong || !right) return std::nullopt;
    if (reads_contents) {
      Contents contents = contents_of(artefact_of(*wrong), *right);
      return contents.are_known ? std::move(contents.other) : std::nullopt;
    }
    auto found = compared(part, *wrong, sizes, bench);
    if (!found || compared(part, *right, sizes, bench)) return std::nullopt;
    return found;
  }

  const TracedModel& model_;
  const ReduceOptions& options_;
  const Opened& opened_;
  Exporter exporter_;
  ir::Graph graph_;
};

}  // namespace

Opened open(const ReduceOptions& options) {
  Opened out;
  if (!options.against.empty()) {
    confine::may_read(options.against);
    out.against = nnef::read_artefact(options.against);
    spec::check_document(out.against->document);
    if (spec::property(out.against->document, spec::kFloat))
      throw Error("usage", cat(quoted(options.against), " computes in f16 (--float)"),
                  "its rounding would count as the difference",
                  "reduce a file that was exported without --float");
  }
  if (!options.check) return out;
  EngineRequest request =
      out.against ? engine_request_for(out.against->document) : engine_request_for(options.target);
  request.needs_own = options.check->strict;
  // A part at which the engine hangs must not take all of the time.
  check::RunnerOptions runner = options.check->runner;
  const auto most = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 100));
  runner.timeout = std::min<std::chrono::milliseconds>(
      runner.timeout, std::max<std::chrono::milliseconds>(most, std::chrono::seconds(10)));
  out.engine = find_engine(options.check->engine, request, runner);
  if (out.engine.warning && options.report) options.report(*out.engine.warning);
  return out;
}

Failing failure_of_model(const TracedModel& model, const ReduceOptions& options,
                         const Opened& opened) {
  return Finder(model, options, opened).find();
}

}  // namespace t2n::reduce
