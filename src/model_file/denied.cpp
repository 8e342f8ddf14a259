// SPDX-License-Identifier: Apache-2.0
// The reasons why operators are denied. The list in allowed_operators.txt decides.
#include <algorithm>

#include "src/model_file/allowed.h"

namespace t2n::model_file {
namespace {

enum class Match { exact, prefix, part };

struct Row {
  Match match;
  std::string_view text;
  std::string_view reason;
};

constexpr std::string_view kExternalAccess =
    "operators that reach files, processes or other machines are never executed";
constexpr std::string_view kAddress = "it returns a memory address or the time";
constexpr std::string_view kUnchecked =
    "it does not check its arguments, and wrong ones make it access arbitrary memory";
constexpr std::string_view kPointer = "it interprets bytes of a tensor as a memory address";
constexpr std::string_view kTraining = "it is only for training";
constexpr std::string_view kHardware = "it is for one kind of hardware or library";
constexpr std::string_view kTest = "it is for tests of PyTorch";

/// The first matching row applies.
constexpr Row kRows[] = {
    {Match::exact, "aten::save", kExternalAccess},
    {Match::exact, "aten::from_file", kExternalAccess},
    {Match::prefix, "c10d::", kExternalAccess},
    {Match::prefix, "_c10d_functional", kExternalAccess},
    {Match::prefix, "symm_mem::", kExternalAccess},
    {Match::prefix, "_dtensor::", kExternalAccess},
    {Match::prefix, "prim::rpc", kExternalAccess},
    {Match::prefix, "distributed::", kExternalAccess},
    {Match::prefix, "rpc::", kExternalAccess},
    {Match::prefix, "debugprims::", kExternalAccess},
    {Match::prefix, "aoti", kExternalAccess},
    {Match::exact, "aten::to_here", kExternalAccess},
    {Match::part, "owner", kExternalAccess},
    {Match::exact, "prim::id", kAddress},
    {Match::exact, "prim::TimePoint", kAddress},
    {Match::exact, "aten::hash", kAddress},
    {Match::part, "data_ptr", kAddress},
    {Match::prefix, "inductor", kUnchecked},
    {Match::part, "nested", kUnchecked},
    {Match::part, "jagged", kUnchecked},
    {Match::part, "sparse", kUnchecked},
    {Match::part, "coalesce", kUnchecked},
    {Match::part, "unsafe", kUnchecked},
    {Match::part, "segment_reduce", kUnchecked},
    {Match::part, "sobol", kUnchecked},
    {Match::part, "fbgemm", kPointer},
    {Match::part, "prepack", kPointer},
    {Match::part, "pack", kPointer},
    {Match::part, "backward", kTraining},
    {Match::part, "grad", kTraining},
    {Match::part, "_fused_", kTraining},
    {Match::part, "_amp_", kTraining},
    {Match::prefix, "onednn::", kHardware},
    {Match::part, "mkl", kHardware},
    {Match::part, "cudnn", kHardware},
    {Match::part, "cufft", kHardware},
    {Match::part, "miopen", kHardware},
    {Match::part, "mps", kHardware},
    {Match::part, "xla", kHardware},
    {Match::part, "triton", kHardware},
    {Match::part, "flash_attention", kHardware},
    {Match::part, "efficient_attention", kHardware},
    {Match::part, "test", kTest},
    {Match::exact, "aten::_foobar", kTest},
};

bool matches(const Row& row, std::string_view name) {
  switch (row.match) {
    case Match::exact: return name == row.text;
    case Match::prefix: return name.starts_with(row.text);
    case Match::part: return name.find(row.text) != std::string_view::npos;
  }
  return false;
}

constexpr std::string_view kNativePrefix = "__torch__.torch.classes.";

/// Packed weights of quantised modules. Their `__setstate__` checks and packs plain tensors.
constexpr std::string_view kClasses[] = {
    "quantized.Conv2dPackedParamsBase", "quantized.Conv3dPackedParamsBase",
    "quantized.EmbeddingPackedParamsBase", "quantized.LinearPackedParamsBase", "rnn.CellParamsBase",
    // The object of `record_function`.
    "profiler._RecordFunction"};

}  // namespace

std::string_view denial_reason(std::string_view name) {
  for (const Row& row : kRows)
    if (matches(row, name)) return row.reason;
  return "it is not on the list of operators that only compute";
}

std::string_view denial_help(std::string_view name) {
  // Graph networks multiply by such a matrix: each edge is one entry.
  if (name.find("sparse") != std::string_view::npos)
    return "compute a product with a sparse matrix from its entries: torch.zeros(n, "
           "x.shape[1]).index_add(0, rows, values[:, None] * x[columns]), or make a constant one "
           "dense with .to_dense()";
  return "remove the call from the model and save it again";
}

bool is_native_class(std::string_view qualified_name) {
  return qualified_name.starts_with(kNativePrefix);
}

bool is_allowed_class(std::string_view qualified_name) {
  if (!is_native_class(qualified_name)) return true;
  const std::string_view name = qualified_name.substr(kNativePrefix.size());
  return std::find(std::begin(kClasses), std::end(kClasses), name) != std::end(kClasses);
}

bool is_allowed_method(std::string_view qualified_name) {
  const std::string_view owner = qualified_name.substr(0, qualified_name.rfind('.'));
  return is_native_class(owner) && is_allowed_class(owner);
}

}  // namespace t2n::model_file
