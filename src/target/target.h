// Inference targets as data: an engine, a version, and what that version can say.
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

/// How a file is run that takes its input in pieces, one run of the engine after the other.
struct Stream {
  std::string symbol = {};  ///< the length of the input; "": it is there as a whole
  int64_t pulse = 0;        ///< the size of the pieces; 0: the user's choice
  friend bool operator==(const Stream&, const Stream&) = default;
};

struct Target {
  Engine engine = Engine::tract;
  Version version;
  Stream stream = {};
  friend bool operator==(const Target&, const Target&) = default;
};
inline bool streams(const Target& target) { return !target.stream.symbol.empty(); }

/// What a version may lack. One row in tract.cpp each: the version it came, and how it is written.
enum class Feature {
  computes_f64,             ///< numbers of 64 bits: else all are computed as f32
  computes_integers,        ///< integers by their own arithmetic: else they are computed as f32
  core_cumsum,              ///< tract_core_cumsum
  core_gelu_approx,         ///< tract_core_gelu_approx
  core_is_nan,              ///< tract_core_is_nan, tract_core_is_inf
  core_resize,              ///< tract_core_resize
  core_rms_norm,            ///< tract_core_rms_norm
  core_silu,                ///< tract_core_silu
  copy,                     ///< copy(x)
  count_include_pad,        ///< box with border = 'constant' counts the padding
  any_all_reduce,           ///< any_reduce, all_reduce
  folds_repeats,            ///< moves and forgets what repeats, or is one number everywhere
  grid_sample,              ///< tract_core_grid_sample
  gru_seq,                  ///< tract_core_gru_seq
  log_softmax,              ///< tract_core_log_softmax
  lstm_epilogue,            ///< tract_core_lstm_epilogue
  non_zero,                 ///< tract_onnx_non_zero, with a symbol for how many there are
  open_sizes,               ///< sizes are compared as polynomials, not as they are written
  pulses,                   ///< all that is written for input in pieces was seen to run so
  q4_0,                     ///< variables of Q4_0 blocks, as GGUF orders them
  q4_0_convolution,         ///< the same as filters of convolutions
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
  bool is_standard = false;  ///< the specification has it
  bool in_pulses = true;     ///< it is there where the input comes in pieces, too
};

/// Kinds of numbers that a target may lack altogether.
enum class Number { brain_float, complex_number };
/// "tract has no bfloat16"; "" where it has them.
std::string_view lacks(const Target& target, Number number);

std::span<const FeatureRow> feature_rows();
const FeatureRow& feature_row(Feature feature);
bool has(const Target& target, Feature feature);

/// "tract@0.23.9", "khronos@1.0.5"
std::string target_name(const Target& target);
std::string version_str(const Version& version);
/// "tract", "tract@0.21.19", "khronos". Errors: `usage`, with the known targets and "did you mean".
Target parse_target(std::string_view text);
/// "0.21.19"; nullopt-like errors: `usage`.
Version parse_version(std::string_view text);

}  // namespace t2n::target
