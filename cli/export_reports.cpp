#include "cli/export_reports.h"

#include <filesystem>

#include "cli/commands.h"
#include "cli/environment.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"

namespace t2n::cli {

nnef::Destination report_destination(const std::string& path,
                                     std::span<const ExportOptions> methods) {
  nnef::Destination out = nnef::file_destination(path);
  out.taken = methods.front().taken;
  std::erase_if(out.taken, [&](const nnef::Taken& taken) { return taken.what == "the report"; });
  out.taken.push_back({"the model", methods.front().model, /*is_model=*/true});
  for (const ExportOptions& options : methods)
    out.taken.push_back({"the artefact", output_path(options)});
  return out;
}

ExportReport report_of(const std::vector<ExportOptions>& methods, const Outcome& outcome,
                       const Console& console, double seconds) {
  ExportReport out{.tool_version = T2NNEF_VERSION,
                   .torch_version = outcome.error ? "" : torch_module().torch_version,
                   .code = outcome.error ? outcome.error->code() : ExitCode::ok,
                   .diagnostics = console.diagnostics(),
                   .steps = console.steps(),
                   .seconds = seconds,
                   .methods = methods,
                   .results = outcome.results};
  if (outcome.error) {
    const std::vector<Diagnostic>& others = outcome.error->others();
    out.diagnostics.insert(out.diagnostics.end(), others.begin(), others.end());
    out.diagnostics.push_back(outcome.error->diagnostic());
  }
  return out;
}

std::shared_ptr<DebugBundle> start_bundle(const std::string& folder,
                                          std::vector<ExportOptions>& methods) {
  if (folder.empty()) return nullptr;
  auto out = std::make_shared<DebugBundle>(folder);
  out->add_text("command.txt",
                cat(command_text(), "\n# in ", std::filesystem::current_path().string(), "\n"));
  out->add_text("environment.txt", environment_text());
  for (ExportOptions& each : methods) {
    static_cast<ModelOptions&>(each) = logged(each, out);
    each.debug_bundle = out;
  }
  return out;
}

void write_reports(const std::string& path, DebugBundle* bundle, const ExportReport& report) {
  if (bundle != nullptr) {
    if (!report.diagnostics.empty() && report.code != ExitCode::ok)
      bundle->log(render_text(report.diagnostics.back()));
    bundle->add_text("report.json", report_json(report));
  }
  if (!path.empty()) write_report(report_destination(path, report.methods), report);
}

}  // namespace t2n::cli
