// SPDX-License-Identifier: Apache-2.0
// Inference targets as data: an engine, a version, and what that version can express.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::target {

enum class Engine {
  tract,
  khronos,  ///< NNEF as specified, without extensions, for every conforming consumer
};

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

/// How an exported model runs whose input arrives in pieces, one engine run after another.
struct Stream {
  std::string symbol = {};  ///< the input's length; "": the input is not streamed
  int64_t pulse = 0;        ///< the length of the pieces; 0: any
  friend bool operator==(const Stream&, const Stream&) = default;
};

struct Target {
  Engine engine = Engine::tract;
  Version version;
  Stream stream = {};
  friend bool operator==(const Target&, const Target&) = default;
};
inline bool streams(const Target& target) { return !target.stream.symbol.empty(); }

/// What a version may lack. Each feature has a row in tract.cpp with its first version.
enum class Feature {
  computes_f64,             ///< 64-bit numbers; otherwise everything is computed as f32
  computes_integers,        ///< integers by integer arithmetic; otherwise they are computed as f32
  core_cumsum,              ///< tract_core_cumsum
  core_gelu_approx,         ///< tract_core_gelu_approx
  core_is_nan,              ///< tract_core_is_nan, tract_core_is_inf
  core_resize,              ///< tract_core_resize
  core_rms_norm,            ///< tract_core_rms_norm
  core_silu,                ///< tract_core_silu
  copy,                     ///< copy(x)
  count_include_pad,        ///< box with border = 'constant' counts the padding
  any_all_reduce,           ///< any_reduce, all_reduce
  moves_strides,            ///< moves the strides of convolutions across other operations
  folds_repeats,            ///< moves and drops broadcasts, and tensors of one number
  grid_sample,              ///< tract_core_grid_sample
  gru_seq,                  ///< tract_core_gru_seq
  log_softmax,              ///< tract_core_log_softmax
  lstm_epilogue,            ///< tract_core_lstm_epilogue
  non_zero,                 ///< tract_onnx_non_zero, with a symbol for the count
  open_sizes,               ///< compares sizes as polynomials, not as they are written
  pulses,                   ///< everything emitted for input in pieces was tested so
  q4_0,                     ///< variables of Q4_0 blocks, as in GGUF
  q4_0_convolution,         ///< such variables as filters of convolutions
  scatter_reduction,        ///< reduction of tract_core_scatter_elements is honoured
  sdpa,                     ///< tract_transformers_sdpa
  sign_integers,            ///< sign on integers
  transformers_apply_rope,  ///< tract_transformers_apply_rope
  transformers_gelu,        ///< tract_transformers_gelu_approx
  transformers_rms_norm,    ///< tract_transformers_rms_norm
  transformers_silu,        ///< tract_transformers_silu
};

struct FeatureRow {
  Feature feature;
  std::string_view name;
  Version since;             ///< of tract
  std::string_view note;     ///< measured behaviour before `since`
  bool is_standard = false;  ///< part of the specification
  bool in_pulses = true;     ///< works on input in pieces as well
};

/// Kinds of numbers that a target may lack completely.
enum class Number { brain_float, complex_number };
/// "tract has no bfloat16"; "" if it has them.
std::string_view lacks(const Target& target, Number number);

std::span<const FeatureRow> feature_rows();
const FeatureRow& feature_row(Feature feature);
bool has(const Target& target, Feature feature);

/// Whether this version of tract can be a target.
bool is_supported(const Version& tract);

/// "tract@0.23.9", "khronos@1.0.5"
std::string target_name(const Target& target);
std::string version_str(const Version& version);
/// "tract", "tract@0.21.19", "khronos". Errors: `usage`, with the known targets and "did you mean".
Target parse_target(std::string_view text);
/// "0.21.19". Errors: `usage`.
Version parse_version(std::string_view text);

}  // namespace t2n::target
