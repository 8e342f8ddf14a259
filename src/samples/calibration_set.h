// SPDX-License-Identifier: Apache-2.0
// Reads the calibration set of --calibrate, batch by batch.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/samples/samples.h"

namespace t2n {

/// The file or folder that a spec names: "@set.npz" or "set.npz".
std::string calibration_path(const std::string& spec);

/// Inputs of the model's graph, read from files in turn: one file is in memory at a time.
class CalibrationSet {
 public:
  /// For the inputs of a graph. `specs`: "@FILE.npz", "@FILE.pt", or a folder of such files,
  /// repeatable. A file holds an array for each input, by name or position, with one batch or
  /// several along axis 0; the first rows complete the last batch. If axis 0 is dynamic, a file
  /// is one batch.   Errors: `calibration` if there is no file.
  CalibrationSet(const ir::Graph& graph, std::vector<Sample> samples,
                 const std::vector<std::string>& specs);

  /// The next batch; empty after the last.   Errors: `calibration` for missing inputs, wrong shapes
  /// and dtypes, NaN and infinities; those of files.
  std::vector<ir::Tensor> next();
  /// The number of rows at the end of the last batch that repeat the start of the file.
  int64_t filled() const { return filled_; }
  /// Starts again.
  void rewind();
  /// The values of the graph's symbols in a batch.
  ir::Sizes sizes_of(const std::vector<ir::Tensor>& batch) const;

 private:
  bool open_next();
  ir::Tensor values_of(size_t input, const std::vector<Sample>& samples) const;

  std::vector<ir::Value> inputs_;
  std::vector<Sample> samples_;  ///< contain the values of states
  std::vector<std::string> files_;
  size_t file_ = 0;                 ///< the next file
  std::vector<ir::Tensor> arrays_;  ///< of the current file, by input
  std::vector<bool> has_rows_;      ///< by input, whether the array holds several batches
  int64_t rows_ = 0;                ///< along axis 0 of arrays with several batches
  int64_t row_ = 0;                 ///< the next row
  int64_t filled_ = 0;
};

}  // namespace t2n
