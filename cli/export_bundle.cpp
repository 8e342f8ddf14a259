// SPDX-License-Identifier: Apache-2.0
#include "cli/export_bundle.h"

#include <filesystem>

#include "cli/commands.h"
#include "cli/environment.h"
#include "src/model/torch_module.h"

namespace t2n::cli {

void require_other_paths(const std::vector<std::string>& reports,
                         std::vector<ExportOptions>& methods) {
  for (const std::string& path : reports) {
    nnef::Destination destination = nnef::file_destination(path);
    destination.taken = methods.front().taken;
    destination.taken.push_back({"the model", methods.front().model, /*is_model=*/true});
    for (const ExportOptions& each : methods)
      destination.taken.push_back({"the artefact", output_path(each)});
    nnef::check_destination(destination);
  }
  for (ExportOptions& each : methods)
    for (const std::string& path : reports) each.taken.push_back({"the report", path});
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

void end_bundle(DebugBundle* bundle, report::CommandReport& report, const Error* error) {
  if (bundle == nullptr) return;
  if (error != nullptr) {
    bundle->log(error->what());
    report.fail(*error);
  }
  report.torch_version = version_if_loaded();
  bundle->add_text("report.json", report::json_text(report));
}

}  // namespace t2n::cli
