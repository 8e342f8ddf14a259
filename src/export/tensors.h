// SPDX-License-Identifier: Apache-2.0
// The command `tensors`: the tensors of a .pt file as NNEF tensor files or as .npz, without a
// graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nnef_writer/destination.h"
#include "src/model_file/saved_tensors.h"

namespace t2n {

struct TensorsOptions {
  std::string model;
  std::vector<std::string> select;  ///< globs of names; none: all
  std::string output;               ///< "": only list
  bool writes_all_names = false;    ///< shared tensors under each of their names
};

struct WrittenTensor {
  model_file::SavedTensor tensor;
  std::string written_as;   ///< the label or the array; "" if it was not written
  bool is_widened = false;  ///< bf16, written as f32: the same values
};

struct TensorsResult {
  std::vector<WrittenTensor> tensors;  ///< the selected ones, in the file's order
  int64_t bytes = 0;                   ///< of what was written
};

/// Errors: those of read_saved_tensors; `usage` for a glob without a match;
/// `unsupported-dtype` for tensors that the output cannot hold; those of writing.
TensorsResult write_tensors(const TensorsOptions& options);

}  // namespace t2n
