// SPDX-License-Identifier: Apache-2.0
// The files of a reduced model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nnef_writer/destination.h"
#include "src/nnef/ast.h"
#include "src/reduce/part.h"
#include "src/reduce/reduce.h"

namespace t2n::reduce {

/// The paths of the files with a common stem.
struct Files {
  std::filesystem::path graph;     ///< STEM.ir; its weights are STEM.ir.npz
  std::filesystem::path inputs;    ///< STEM.inputs.npz
  std::filesystem::path artefact;  ///< STEM.nnef.tgz
  std::filesystem::path module;    ///< STEM.pt, instead of a graph and an artefact
};
Files files_at(const std::filesystem::path& stem);
/// The stem of --output, which may end in a suffix of the files; by default, the model's name.
std::filesystem::path stem_of(const ReduceOptions& options);

/// Whether all may be written, and may replace what is there.   Errors: those of
/// nnef::check_destination.
void check_files(const Files& files, const std::vector<nnef::Taken>& taken);

/// Writes the files; without inputs or a document, those are not written.
std::vector<WrittenFile> write_files(const Files& files, const Part& part,
                                     const std::optional<nnef::Document>& document,
                                     const std::vector<nnef::Taken>& taken);

/// Reads a part back.   Errors: those of the readers.
Part read_part(const Files& files);

}  // namespace t2n::reduce
