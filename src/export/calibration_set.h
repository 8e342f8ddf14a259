// What --calibrate names, batch by batch.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/export/samples.h"

namespace t2n {

/// The file or folder that a spec names: "@set.npz" or "set.npz".
std::string calibration_path(const std::string& spec);

/// Inputs of the model's graph, taken from files in turn: one file is in memory at a time.
class CalibrationSet {
 public:
  /// For the inputs of a graph. `specs`: "@FILE.npz", "@FILE.pt", or a folder of such files,
  /// repeatable. A file holds an array for each input, by name or place, of one batch, or of
  /// several along axis 0; the last of these is filled up from the first. Where axis 0 is open, a
  /// file is one batch.   Errors: `calibration` where there is nothing.
  CalibrationSet(const ir::Graph& graph, std::vector<Sample> samples,
                 const std::vector<std::string>& specs);

  /// The next batch; empty after the last.   Errors: `calibration` for missing inputs, other shapes
  /// and dtypes, NaN and infinities; those of files.
  std::vector<ir::Tensor> next();
  /// Of the last batch, along axis 0: the last ones, which are from the start of the file again.
  int64_t filled() const { return filled_; }
  /// From the start again.
  void rewind();
  /// The numbers of the graph's symbols in a batch.
  ir::Sizes sizes_of(const std::vector<ir::Tensor>& batch) const;

 private:
  bool open_next();
  ir::Tensor values_of(size_t input, const std::vector<Sample>& samples) const;

  std::vector<ir::Value> inputs_;
  std::vector<Sample> samples_;  ///< states take their values from these
  std::vector<std::string> files_;
  size_t file_ = 0;                 ///< the next to be read
  std::vector<ir::Tensor> arrays_;  ///< of the file at hand, per input
  std::vector<bool> has_rows_;      ///< per input, whether the array holds several batches
  int64_t rows_ = 0;                ///< along axis 0 of all that do
  int64_t row_ = 0;                 ///< the next
  int64_t filled_ = 0;
};

}  // namespace t2n
