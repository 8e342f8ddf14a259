// SPDX-License-Identifier: Apache-2.0
// The options of compression, and the text of its result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/app.h"
#include "cli/options/search_options.h"
#include "nnef_writer/destination.h"
#include "src/export/compressed_model.h"

namespace t2n::cli {

struct CompressionOptions {
  std::vector<std::string> compress;  ///< presets and files
  std::vector<std::string> calibrate;
  std::vector<std::string> ignore;
  std::vector<std::string> only;
  std::string labels;
  SearchOptions search;
};

void add_compression_options(CLI::App& command, CompressionOptions& options);

/// Adds --labels, --max-loss and --budget, for commands that measure loss.
void add_loss_options(CLI::App& command, CompressionOptions& options);

/// Nothing without --compress.   Errors: `usage`.
std::optional<CompressOptions> compress_options(const CompressionOptions& options);

/// The same, but --calibrate alone is a calibration set without settings: for commands whose file
/// may hold observers and quantisers already.
std::optional<CompressOptions> compress_or_calibrate_options(const CompressionOptions& options);

/// The files that the options read.
std::vector<nnef::Taken> compression_files(const CompressionOptions& options);

/// "compressed: …", the layers with the largest loss, and one line per output.
std::string compression_text(const Compression& compression);

}  // namespace t2n::cli
