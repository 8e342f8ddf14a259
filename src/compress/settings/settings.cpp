// SPDX-License-Identifier: Apache-2.0
// Finds the entries that apply to an operation, and refuses contradictions.
#include "src/compress/settings/settings.h"

#include <algorithm>

#include "src/compress/settings/scope_glob.h"
#include "src/compress/settings/setting_keys.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

/// Refuses contradictory settings. `entry` is the last one that contributed.
void require_consistent(const NodeSettings& settings, const SettingsEntry& entry) {
  if (const auto& weights = settings.weights) {
    constexpr int kBitsOfBlocks = 4;
    const bool has_other_bits = weights->scheme.bits != QuantScheme().bits;
    if (weights->format == Format::q4_0 && has_other_bits && weights->scheme.bits != kBitsOfBlocks)
      refuse(entry, cat("Q4_0 holds 4 bits, not ", weights->scheme.bits), "leave weights.bits out");
    if (weights->format == Format::f16 && weights->rounding != Rounding::nearest)
      refuse(entry, "16-bit floats are rounded to nearest", "leave weights.rounding out");
  }
  if (const auto& prune = settings.prune) {
    if (prune->group == 0 && prune->sparsity == 0)
      refuse(entry, "pruning needs a sparsity or a pattern",
             "add \"sparsity\": 0.5 or \"pattern\": \"2:4\"");
    if (prune->group > 0 && (prune->sparsity > 0 || prune->is_global))
      refuse(entry, "a pattern already determines the sparsity of every layer",
             "give a pattern, or a sparsity, not both");
  }
  const std::optional<QuantScheme>& activations = settings.activations;
  if (activations && activations->is_per_channel && activations->observer == Observer::entropy)
    refuse(entry, "entropy is measured for whole tensors",
           "use another observer for per-channel scales");
}

const Option* find(const SettingsEntry& entry, const std::string& key) {
  const auto found = std::find_if(entry.options.begin(), entry.options.end(),
                                  [&](const Option& option) { return option.key == key; });
  return found == entry.options.end() ? nullptr : &*found;
}

/// Refuses an option that has no effect because of another one. If the other one is in an inner
/// module, the option is overridden and allowed. `inner`: outer entries first.
void require_effective(const std::vector<const SettingsEntry*>& inner, const std::string& key,
                       const std::string& decided_by, const std::string& why,
                       const std::string& help = "") {
  for (auto entry = inner.rbegin(); entry != inner.rend(); ++entry) {
    if (const Option* option = find(**entry, key))
      refuse(**entry, cat(quoted(key), " is ", value_text(option->value), ", but ", why),
             cat("leave ", key, " out", help));
    if (find(**entry, decided_by) != nullptr) return;
  }
}

void require_all_effective(const NodeSettings& settings,
                           const std::vector<const SettingsEntry*>& inner) {
  if (settings.weights && settings.weights->format != Format::integers) {
    const bool is_half = settings.weights->format == Format::f16;
    const std::string why = is_half ? "16-bit floats have no quantisation parameters"
                                    : "Q4_0 blocks have their own quantisation parameters";
    const std::string or_integers = ", or set weights.format to 'int'";
    for (const char* key :
         {"signed", "symmetric", "narrow_range", "granularity", "observer", "quantile"})
      require_effective(inner, cat("weights.", key), "weights.format", why, or_integers);
    constexpr int kBitsOfBlocks = 4;
    if (is_half || settings.weights->scheme.bits != kBitsOfBlocks)
      require_effective(inner, "weights.bits", "weights.format",
                        is_half ? "16-bit floats have 16 bits" : "Q4_0 holds 4 bits", or_integers);
    return;
  }
  const auto require_quantile = [&](const QuantScheme& scheme, const std::string& part) {
    if (scheme.observer != Observer::percentile)
      require_effective(inner, cat(part, ".quantile"), cat(part, ".observer"),
                        "the observer is not 'percentile'");
  };
  if (settings.weights) {
    require_quantile(settings.weights->scheme, "weights");
    const Observer observer = settings.weights->scheme.observer;
    if (settings.weights->rounding == Rounding::least_squares && observer != Observer::min_max &&
        observer != Observer::histogram)
      require_effective(inner, "weights.observer", "weights.rounding",
                        "rounding 'least-squares' finds the range itself");
  }
  if (settings.activations) require_quantile(*settings.activations, "activations");
  if (settings.bias) require_quantile(*settings.bias, "bias");
}

/// The precedence of entries; compared from the left.
struct Rank {
  int depth = 0;
  bool is_of_command = false;
  bool is_exact = false;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

/// Removes the model's own weight options that do not apply to the command's format, which
/// overrides them. `inner`: outer entries first.
std::vector<SettingsEntry> without_overridden(const std::vector<const SettingsEntry*>& inner) {
  std::vector<SettingsEntry> out;
  std::string format;
  for (const SettingsEntry* entry : inner) {
    out.push_back(*entry);
    const Option* option = find(*entry, "weights.format");
    if (option == nullptr) continue;
    const std::string* text = std::get_if<std::string>(&option->value);
    format = entry->is_from_model || text == nullptr ? "" : *text;
  }
  if (format != "q4_0" && format != "f16") return out;
  for (SettingsEntry& entry : out)
    std::erase_if(entry.options, [&](const Option& option) {
      const bool is_used = format == "q4_0" && option.key == "weights.rounding";
      return entry.is_from_model && option.key.starts_with("weights.") && !is_used;
    });
  return out;
}

}  // namespace

Settings::Settings(std::vector<SettingsEntry> entries) : entries_(std::move(entries)) {
  NodeSettings common;
  std::vector<const SettingsEntry*> common_entries;
  for (const SettingsEntry& entry : entries_) {
    NodeSettings single;
    apply(single, entry);
    if (!entry.scope.empty() || entry.kind != SettingsEntry::Kind::settings) continue;
    require_consistent(single, entry);
    apply(common, entry);
    common_entries.push_back(&entry);
  }
  require_all_effective(common, common_entries);
}

NodeSettings Settings::of(const ir::Graph& graph, const ir::Node& node) const {
  std::vector<std::pair<Rank, const SettingsEntry*>> matched;
  bool is_limited = false;
  bool is_within = false;
  for (const SettingsEntry& entry : entries_) {
    const auto depth = matched_depth(graph, node, entry.scope);
    is_limited = is_limited || entry.kind == SettingsEntry::Kind::only;
    is_within = is_within || (entry.kind == SettingsEntry::Kind::only && depth);
    if (depth && entry.kind == SettingsEntry::Kind::ignored) return {};
    if (depth && entry.kind == SettingsEntry::Kind::settings)
      matched.emplace_back(Rank{*depth, !entry.is_from_model, !is_glob(entry.scope)}, &entry);
  }
  if (is_limited && !is_within) return {};
  std::stable_sort(matched.begin(), matched.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const SettingsEntry*> inner;
  for (const auto& [rank, entry] : matched) inner.push_back(entry);
  const std::vector<SettingsEntry> kept = without_overridden(inner);
  std::transform(kept.begin(), kept.end(), inner.begin(),
                 [](const SettingsEntry& each) { return &each; });
  NodeSettings out;
  for (const SettingsEntry& entry : kept) apply(out, entry);
  if (!kept.empty()) require_consistent(out, kept.back());
  require_all_effective(out, inner);
  return out;
}

void Settings::require_matches(const ir::Graph& graph) const {
  require_changed_weights();
  for (const SettingsEntry& entry : entries_) {
    if (entry.scope.empty() || names_any(graph, entry.scope)) continue;
    throw Error(
        "usage",
        cat(quoted(entry.scope), entry.origin.empty() ? "" : cat(", of ", entry.origin, ","),
            " names no module of the model"),
        {}, hint_of_scopes(graph, entry.scope));
  }
}

namespace {

bool has_key(const std::vector<SettingsEntry>& entries, std::string_view prefix) {
  return std::any_of(entries.begin(), entries.end(), [&](const SettingsEntry& entry) {
    return std::any_of(entry.options.begin(), entry.options.end(),
                       [&](const Option& option) { return option.key.starts_with(prefix); });
  });
}

}  // namespace

void Settings::require_changed_weights() const {
  if (has_key(entries_, "weights") || has_key(entries_, "prune")) return;
  for (const SettingsEntry& entry : entries_) {
    const Option* option = find(entry, "bias_correction");
    if (option != nullptr && option->value == OptionValue(true))
      refuse(entry, "bias correction compensates for changed weights, but no weights are changed",
             "add settings for weights or prune, or remove bias_correction");
  }
}

bool Settings::requests_pruning() const { return has_key(entries_, "prune."); }

}  // namespace t2n::compress
