// SPDX-License-Identifier: Apache-2.0
// The torch-free description of a TorchScript model: its arguments and the metadata of its file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/attr.h"
#include "ir/tensor.h"
#include "src/diag/diagnostic.h"

namespace t2n::trace {

/// The beginning of an error's reason if a condition on values is the cause.
inline constexpr std::string_view kConditionOnValues = "its condition comes from ";

/// A leaf of the model's arguments. A Tensor without bytes means "this shape and dtype".
using Leaf = std::variant<ir::None, ir::Tensor, int64_t, double, bool, std::string>;

/// A leaf and its position: {"x"}, {"pair", "0"}, {"features", "audio"}.
struct SampleInput {
  std::vector<std::string> path;
  Leaf value;
  bool is_state = false;  ///< a part of the model (State::name), not an argument
};

/// "pair_0": the name of a nested input in the artefact and on the command line.
inline std::string flat_name(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : "_") + part;
  return out;
}

struct ArgumentInfo {
  std::string name;
  std::string type;  ///< as TorchScript writes it: "Tensor", "Optional[int]"
  bool has_default = false;
};

/// An axis of an argument that a .pt2 file declares as dynamic.
struct DeclaredAxis {
  std::string input;
  int64_t axis = 0;
  std::string size;  ///< an expression over symbols: "2*s5"
};

/// `exported`: a .pt2 file of torch.export. `graph`: a graph in text form, FILE.ir.
enum class FileKind { traced, scripted, frozen, exported, graph };

struct ModelInfo {
  FileKind kind = FileKind::scripted;
  std::string class_name;
  int64_t format_version = 0;
  std::vector<std::string> methods;
  std::vector<ArgumentInfo> arguments;  ///< of `method`, without self
  std::vector<SampleInput> samples;     ///< shapes and dtypes stored in a traced file
  std::vector<DeclaredAxis> dynamic_axes;
  std::vector<std::string> assertions;  ///< on their symbols: "s5 >= 2"
  std::vector<std::string> guards;      ///< further ones, perhaps in forms that no engine reads
  int64_t parameters = 0;               ///< elements of parameters and buffers, shared ones once
  int64_t parameter_bytes = 0;
  int64_t modules = 0;       ///< with the model itself
  int64_t tensors = 0;       ///< names of parameters and buffers
  std::string first_tensor;  ///< the first of these names
  /// Compression settings by module path, as JSON: the modules' attribute `quant_params`.
  std::vector<std::pair<std::string, std::string>> quant_params;
};

/// An operator that a file's code calls, whether or not a run reaches it.
struct CodeOperator {
  std::string name;  ///< without overload
  int count = 0;
  std::vector<Where> first;  ///< of its calls
  bool is_known = false;     ///< this LibTorch has it
};

/// What can be read of a file without compiling it.
struct ModelCode {
  int64_t format_version = 0;
  std::vector<CodeOperator> operators;
};

/// A module that a run called, with the arguments of its first call.
struct ModuleCall {
  std::string module;  ///< its path: "encoder.layers.0"
  std::string class_name;
  std::vector<SampleInput> inputs;
};

/// A loaded model. Every trace or run starts from the state in the file.
class Session;

/// A model given by source text and named buffers, for tests.
struct InlineModel {
  std::string source;
  std::vector<std::pair<std::string, ir::Tensor>> parameters;
};

}  // namespace t2n::trace
