// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/records.h"

#include "src/diag/error.h"
#include "src/model_file/sniff.h"

namespace t2n::trace {
namespace {

constexpr const char* kOldSamples = "serialized_example_inputs.pt";
constexpr std::string_view kFolder = "models/";
constexpr std::string_view kSuffix = ".json";

}  // namespace

bool has_old_layout(const Archive& archive) {
  return archive.records().contains(model_file::kOldExportedProgram);
}

std::vector<std::string> program_names(const Archive& archive) {
  if (has_old_layout(archive)) return {"model"};
  std::vector<std::string> out;
  for (const auto& [record, where] : archive.records())
    if (record.starts_with(kFolder) && record.ends_with(kSuffix))
      out.push_back(record.substr(kFolder.size(), record.size() - kFolder.size() - kSuffix.size()));
  return out;
}

std::string program_record(const Archive& archive, const std::string& program) {
  return has_old_layout(archive) ? model_file::kOldExportedProgram : cat(kFolder, program, kSuffix);
}

std::string samples_record(const Archive& archive, const std::string& program) {
  return has_old_layout(archive) ? kOldSamples : cat("data/sample_inputs/", program, ".pt");
}

}  // namespace t2n::trace
