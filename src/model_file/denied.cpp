// The reasons why operators are denied. The list in allowed.cpp decides.
#include <algorithm>

#include "src/model_file/allowed.h"

namespace t2n::model_file {
namespace {

enum class Match { whole, begin, part };

struct Row {
  Match match;
  std::string_view text;
  std::string_view reason;
};

constexpr std::string_view kReach =
    "operators that reach files, processes or other machines are never executed";
constexpr std::string_view kAddress = "it gives an address of memory, or the time";
constexpr std::string_view kTrust =
    "it trusts its arguments, and wrong ones make it read or write any memory";
constexpr std::string_view kPointer = "it takes bytes of a tensor for an address of memory";
constexpr std::string_view kTraining = "it is for training alone";
constexpr std::string_view kHardware = "it is for one kind of hardware or library";
constexpr std::string_view kTest = "it is for tests of PyTorch";

/// The first row that matches counts.
constexpr Row kRows[] = {
    {Match::whole, "aten::save", kReach},
    {Match::whole, "aten::from_file", kReach},
    {Match::begin, "c10d::", kReach},
    {Match::begin, "_c10d_functional", kReach},
    {Match::begin, "symm_mem::", kReach},
    {Match::begin, "_dtensor::", kReach},
    {Match::begin, "prim::rpc", kReach},
    {Match::begin, "distributed::", kReach},
    {Match::begin, "rpc::", kReach},
    {Match::begin, "debugprims::", kReach},
    {Match::begin, "aoti", kReach},
    {Match::whole, "aten::to_here", kReach},
    {Match::part, "owner", kReach},
    {Match::whole, "prim::id", kAddress},
    {Match::whole, "prim::TimePoint", kAddress},
    {Match::whole, "aten::hash", kAddress},
    {Match::part, "data_ptr", kAddress},
    {Match::begin, "inductor", kTrust},
    {Match::part, "nested", kTrust},
    {Match::part, "jagged", kTrust},
    {Match::part, "sparse", kTrust},
    {Match::part, "coalesce", kTrust},
    {Match::part, "unsafe", kTrust},
    {Match::part, "segment_reduce", kTrust},
    {Match::part, "sobol", kTrust},
    {Match::part, "fbgemm", kPointer},
    {Match::part, "prepack", kPointer},
    {Match::part, "pack", kPointer},
    {Match::part, "backward", kTraining},
    {Match::part, "grad", kTraining},
    {Match::part, "_fused_", kTraining},
    {Match::part, "_amp_", kTraining},
    {Match::begin, "onednn::", kHardware},
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
    {Match::whole, "aten::_foobar", kTest},
};

bool fits(const Row& row, std::string_view name) {
  switch (row.match) {
    case Match::whole: return name == row.text;
    case Match::begin: return name.starts_with(row.text);
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
    if (fits(row, name)) return row.reason;
  return "it is not among the operators that are known to compute and do nothing else";
}

std::string_view denial_help(std::string_view name) {
  // Graph networks multiply by such a matrix: an edge is one of its entries.
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
