#include "src/export/check_command.h"

#include "src/check/contents.h"
#include "src/diag/error.h"
#include "src/export/half_model.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/localise/localise.h"
#include "src/spec/dialect.h"

namespace t2n {
namespace {

/// A model without samples is traced with those that the artefact declares.
TracedModel traced_for_check(const LoadedModel& loaded, const CheckExistingOptions& options,
                             const OpenedArtefact& opened) {
  const auto traced = [&](const std::vector<Sample>& samples) {
    ModelOptions requested = options;
    requested.samples = samples;
    return trace_to_export(with_samples(loaded, samples), requested, [&](const TracedModel& model) {
      return has_document(model, named_target(opened.artefact.document), {});
    });
  };
  try {
    return traced(options.samples);
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing" || !options.samples.empty()) throw;
    const std::vector<Sample> declared = declared_samples(opened.inputs);
    if (declared.empty()) throw;
    return traced(declared);
  }
}

}  // namespace

CheckedExisting compare_with_model(const CheckExistingOptions& options) {
  target::Target streaming = target::parse_target("tract");
  streaming.stream = options.stream;
  require_stream(streaming, options.dynamic.axes);
  const OpenedArtefact opened =
      open_artefact(options.artefact, options.check, options.stream, options.report);
  options.begin("load");
  const LoadedModel loaded = load_model(options);
  options.begin("trace");
  const TracedModel model = traced_for_check(loaded, options, opened);
  options.begin("check");
  std::optional<HalfModel> half;
  if (const auto floats = spec::property(opened.artefact.document, spec::kFloat))
    half = half_model(model, parse_float_property(*floats), named_target(opened.artefact.document),
                      {}, nullptr);
  // An accepted guard may make numbers of the artefact depend on the inputs of the trace.
  const bool is_comparable = options.accepted_guards.empty();
  CheckOptions check = options.check;
  check.localiser = localise::localiser({.when = check.localise, .compares_export = is_comparable});
  return {model.info, check_existing(opened, source_model(model, half ? &*half : nullptr), check,
                                     options.stream, is_comparable)};
}

}  // namespace t2n
