// SPDX-License-Identifier: Apache-2.0
// Settings for each module: how its weights and activations are stored, and what is pruned.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// How the range is determined from the observed values.
enum class Observer { min_max, moving_average, percentile, histogram, entropy };
inline constexpr std::array<std::pair<std::string_view, Observer>, 5> kObserverNames = {
    {{"min-max", Observer::min_max},
     {"moving-average", Observer::moving_average},
     {"percentile", Observer::percentile},
     {"histogram", Observer::histogram},
     {"entropy", Observer::entropy}}};
/// How a weight is rounded: to nearest; to nearest with the scale of least squared error; or so
/// that the layer's results change least (GPTQ).
enum class Rounding { nearest, least_squares, gptq };
/// How the file stores weights.
enum class Format { integers, q4_0, f16 };

/// The integers that floats are quantised to, and how their scale is determined.
struct QuantScheme {
  int bits = 8;
  bool is_signed = true;
  bool is_symmetric = true;
  bool is_narrow = true;  ///< without the lowest integer
  bool is_per_channel = true;
  bool may_share_scale = false;  ///< one scale if per-channel scales do not justify their bytes
  Observer observer = Observer::min_max;
  double quantile = 0.9999;  ///< of Observer::percentile: the share inside the range
  friend bool operator==(const QuantScheme&, const QuantScheme&) = default;
};

struct WeightSettings {
  Format format = Format::integers;
  QuantScheme scheme;
  Rounding rounding = Rounding::nearest;
  friend bool operator==(const WeightSettings&, const WeightSettings&) = default;
};

/// What is set to zero: a share, or all but `keep` of each `group` neighbours along a layer's
/// inputs.
struct Pruning {
  double sparsity = 0;
  int keep = 0;
  int group = 0;
  bool is_global = false;  ///< the share applies to all such modules together, not to each
  friend bool operator==(const Pruning&, const Pruning&) = default;
};

/// For one operation; absent parts stay unchanged.
struct NodeSettings {
  std::optional<WeightSettings> weights;
  std::optional<QuantScheme> activations;
  std::optional<QuantScheme> bias;
  std::optional<Pruning> prune;
  bool corrects_bias = false;  ///< subtracts the mean error of quantised weights from the bias

  bool requests_any() const { return weights || activations || bias || prune; }
};

/// One key of an entry with its value; monostate is JSON's null: off.
using OptionValue = std::variant<std::monostate, bool, double, std::string>;
struct Option {
  std::string key;  ///< "weights.bits"; "weights" alone with null or false
  OptionValue value;
};

/// Settings for the modules that a glob names, and for everything inside them.
struct SettingsEntry {
  /// `ignored`: these modules stay unchanged (--ignore); `only`: all other modules do (--only).
  /// Settings never override these two, however deep their scopes.
  enum class Kind { settings, ignored, only };
  std::string scope;  ///< "" is all; "layer1.0.conv1", "layer1.*", "ResNet/*/Conv2d[downsample]*"
  std::vector<Option> options;
  std::string origin;  ///< the file or option that it comes from, for messages
  Kind kind = Kind::settings;
  bool is_from_model = false;  ///< from the model's own `quant_params`
};

/// All entries of a command. Inner ones override outer ones. At one depth, those of the command
/// override the model's own, exact names override globs, and later entries override earlier ones.
class Settings {
 public:
  /// Errors: `usage` for unknown keys, values out of range, and values that contradict each other.
  explicit Settings(std::vector<SettingsEntry> entries);

  /// The settings of an operation.   Errors: `usage` if inherited ones contradict each other.
  NodeSettings of(const ir::Graph& graph, const ir::Node& node) const;
  /// Errors: `usage` for a glob that names no module of the graph, with the nearest ones; and for
  /// bias correction if no weights are changed.
  void require_matches(const ir::Graph& graph) const;
  bool requests_pruning() const;
  const std::vector<SettingsEntry>& entries() const { return entries_; }

 private:
  void require_changed_weights() const;

  std::vector<SettingsEntry> entries_;
};

/// The entries of a preset, "int8", "int8-weights", "q4_0", "f16"; none for other names.
std::vector<SettingsEntry> preset(std::string_view name);
const std::vector<std::string>& preset_names();

/// Everything inside these scopes stays unchanged (--ignore), or everything outside them (--only).
std::vector<SettingsEntry> ignoring(const std::vector<std::string>& globs);
std::vector<SettingsEntry> limited_to(const std::vector<std::string>& globs);

}  // namespace t2n::compress
