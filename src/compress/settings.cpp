// Reads entries into settings: known keys, their values, and contradictions.
#include "src/compress/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "src/compress/scope_glob.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

[[noreturn]] void refuse(const Entry& entry, const std::string& what, const std::string& help) {
  throw Error("usage",
              cat("the compression settings", entry.origin.empty() ? "" : cat(" of ", entry.origin),
                  entry.scope.empty() ? "" : cat(" for ", quoted(entry.scope)), ": ", what),
              {}, help);
}

std::string value_text(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return cat(*number);
  if (const std::string* text = std::get_if<std::string>(&value)) return quoted(*text);
  return "null";
}

[[noreturn]] void refuse_value(const Entry& entry, const Option& option, const std::string& takes) {
  refuse(entry, cat(quoted(option.key), " is ", value_text(option.value), ", which is not ", takes),
         "see docs/compression.md for the settings");
}

int whole(const Entry& entry, const Option& option, int low, int high) {
  const double* number = std::get_if<double>(&option.value);
  if (number == nullptr || *number != std::floor(*number) || *number < low || *number > high)
    refuse_value(entry, option, cat("a whole number from ", low, " to ", high));
  return static_cast<int>(*number);
}

double share(const Entry& entry, const Option& option) {
  const double* number = std::get_if<double>(&option.value);
  if (number == nullptr || !(*number > 0 && *number < 1))
    refuse_value(entry, option, "a number between 0 and 1");
  return *number;
}

bool flag(const Entry& entry, const Option& option) {
  const bool* value = std::get_if<bool>(&option.value);
  if (value == nullptr) refuse_value(entry, option, "true or false");
  return *value;
}

template <typename T, size_t N>
T choice(const Entry& entry, const Option& option,
         const std::array<std::pair<std::string_view, T>, N>& choices) {
  const std::string* text = std::get_if<std::string>(&option.value);
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text != nullptr && *text == name) return value;
    names += cat(names.empty() ? "" : ", ", name);
  }
  refuse_value(entry, option, cat("one of ", names));
}

constexpr std::array<std::pair<std::string_view, Rounding>, 3> kRoundings = {
    {{"nearest", Rounding::nearest},
     {"least-squares", Rounding::least_squares},
     {"gptq", Rounding::gptq}}};
constexpr std::array<std::pair<std::string_view, Format>, 3> kFormats = {
    {{"int", Format::integers}, {"q4_0", Format::q4_0}, {"f16", Format::f16}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kGranularities = {
    {{"tensor", false}, {"channel", true}}};
enum class OfWeights { tensor, channel, automatic };
constexpr std::array<std::pair<std::string_view, OfWeights>, 3> kOfWeights = {
    {{"tensor", OfWeights::tensor},
     {"channel", OfWeights::channel},
     {"auto", OfWeights::automatic}}};

/// The effect of a key.
using Apply = std::function<void(NodeSettings&, const Entry&, const Option&)>;

Grid activation_grid() {
  return {.bits = 8,
          .is_signed = false,
          .is_symmetric = false,
          .is_narrow = false,
          .is_per_channel = false,
          .observer = Observer::histogram};
}
Grid bias_grid() { return {.bits = 16, .is_narrow = false, .is_per_channel = false}; }

Grid& grid_of(NodeSettings& settings, std::string_view part) {
  if (part == "weights") {
    if (!settings.weights) settings.weights.emplace();
    return settings.weights->grid;
  }
  std::optional<Grid>& grid = part == "bias" ? settings.bias : settings.activations;
  if (!grid) grid = part == "bias" ? bias_grid() : activation_grid();
  return *grid;
}

Pruning& pruning_of(NodeSettings& settings) {
  if (!settings.prune) settings.prune.emplace();
  return *settings.prune;
}

void apply_pattern(NodeSettings& settings, const Entry& entry, const Option& option) {
  const std::string* text = std::get_if<std::string>(&option.value);
  const size_t colon = text == nullptr ? std::string::npos : text->find(':');
  int keep = 0;
  int of = 0;
  constexpr int kMost = 64;
  const auto read = [&](size_t begin, size_t end, int& out) {
    const char* last = text->data() + end;
    const auto [rest, error] = std::from_chars(text->data() + begin, last, out);
    return error == std::errc() && rest == last;
  };
  const bool is_read =
      colon != std::string::npos && read(0, colon, keep) && read(colon + 1, text->size(), of);
  if (!is_read || keep < 1 || of <= keep || of > kMost)
    refuse_value(entry, option, "\"N:M\", N of M neighbours that stay, such as \"2:4\"");
  pruning_of(settings).keep = keep;
  pruning_of(settings).of = of;
}

/// Only null and false are allowed as the value of `part`.
template <typename T>
void switch_off(std::optional<T>& part, const Entry& entry, const Option& option) {
  const bool* value = std::get_if<bool>(&option.value);
  if (!std::holds_alternative<std::monostate>(option.value) && (value == nullptr || *value))
    refuse_value(entry, option, "a table of settings, or null, which leaves it as it is");
  part.reset();
}

std::vector<std::pair<std::string, Apply>> grid_keys(const std::string& part) {
  const auto key = [&](const char* name, Apply apply) {
    return std::pair(cat(part, ".", name), std::move(apply));
  };
  constexpr int kLeastBits = 2;
  constexpr int kMostBits = 16;
  return {key("bits",
              [=](NodeSettings& s, const Entry& e, const Option& o) {
                grid_of(s, part).bits = whole(e, o, kLeastBits, kMostBits);
              }),
          key("signed", [=](NodeSettings& s, const Entry& e,
                            const Option& o) { grid_of(s, part).is_signed = flag(e, o); }),
          key("symmetric", [=](NodeSettings& s, const Entry& e,
                               const Option& o) { grid_of(s, part).is_symmetric = flag(e, o); }),
          key("narrow_range", [=](NodeSettings& s, const Entry& e,
                                  const Option& o) { grid_of(s, part).is_narrow = flag(e, o); }),
          key("granularity",
              [=](NodeSettings& s, const Entry& e, const Option& o) {
                if (part == "bias")
                  refuse(e, "a bias has one scale: there is no 'bias.granularity'",
                         "leave bias.granularity out");
                Grid& grid = grid_of(s, part);
                if (part != "weights")
                  return void(grid.is_per_channel = choice(e, o, kGranularities));
                const OfWeights chosen = choice(e, o, kOfWeights);
                grid.is_per_channel = chosen != OfWeights::tensor;
                grid.may_share_scale = chosen == OfWeights::automatic;
              }),
          key("observer",
              [=](NodeSettings& s, const Entry& e, const Option& o) {
                grid_of(s, part).observer = choice(e, o, kObserverNames);
              }),
          key("quantile", [=](NodeSettings& s, const Entry& e, const Option& o) {
            grid_of(s, part).quantile = share(e, o);
          })};
}

std::vector<std::pair<std::string, Apply>> make_keys() {
  std::vector<std::pair<std::string, Apply>> out = grid_keys("weights");
  for (const char* part : {"activations", "bias"})
    for (auto& each : grid_keys(part)) out.push_back(std::move(each));
  out.emplace_back("weights.format", [](NodeSettings& s, const Entry& e, const Option& o) {
    grid_of(s, "weights");
    s.weights->format = choice(e, o, kFormats);
  });
  out.emplace_back("weights.rounding", [](NodeSettings& s, const Entry& e, const Option& o) {
    grid_of(s, "weights");
    s.weights->rounding = choice(e, o, kRoundings);
  });
  out.emplace_back("prune.sparsity", [](NodeSettings& s, const Entry& e, const Option& o) {
    pruning_of(s).sparsity = share(e, o);
  });
  out.emplace_back("prune.pattern", apply_pattern);
  out.emplace_back("prune.global", [](NodeSettings& s, const Entry& e, const Option& o) {
    pruning_of(s).is_global = flag(e, o);
  });
  out.emplace_back("bias_correction", [](NodeSettings& s, const Entry& e, const Option& o) {
    s.corrects_bias = !std::holds_alternative<std::monostate>(o.value) && flag(e, o);
  });
  out.emplace_back("weights", [](NodeSettings& s, const Entry& e, const Option& o) {
    switch_off(s.weights, e, o);
  });
  out.emplace_back("activations", [](NodeSettings& s, const Entry& e, const Option& o) {
    switch_off(s.activations, e, o);
  });
  out.emplace_back(
      "bias", [](NodeSettings& s, const Entry& e, const Option& o) { switch_off(s.bias, e, o); });
  out.emplace_back(
      "prune", [](NodeSettings& s, const Entry& e, const Option& o) { switch_off(s.prune, e, o); });
  return out;
}

const std::vector<std::pair<std::string, Apply>>& keys() {
  static const std::vector<std::pair<std::string, Apply>> all = make_keys();
  return all;
}

void apply(NodeSettings& settings, const Entry& entry) {
  for (const Option& option : entry.options) {
    const auto found = std::find_if(keys().begin(), keys().end(),
                                    [&](const auto& each) { return each.first == option.key; });
    if (found == keys().end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : keys()) names.push_back(name);
      const std::string near = nearest(option.key, names);
      refuse(entry, cat("there is no setting ", quoted(option.key)),
             near.empty() ? "see docs/compression.md for the settings"
                          : cat("did you mean ", quoted(near), "?"));
    }
    found->second(settings, entry, option);
  }
}

/// Refuses contradictory settings. `entry` is the last one that contributed.
void require_consistent(const NodeSettings& settings, const Entry& entry) {
  if (const auto& weights = settings.weights) {
    constexpr int kBitsOfBlocks = 4;
    const bool has_own_bits = weights->grid.bits != Grid().bits;
    if (weights->format == Format::q4_0 && has_own_bits && weights->grid.bits != kBitsOfBlocks)
      refuse(entry, cat("Q4_0 holds 4 bits, not ", weights->grid.bits), "leave weights.bits out");
    if (weights->format == Format::f16 && weights->rounding != Rounding::nearest)
      refuse(entry, "numbers of 16 bits are rounded to the nearest", "leave weights.rounding out");
  }
  if (const auto& prune = settings.prune) {
    if (prune->of == 0 && prune->sparsity == 0)
      refuse(entry, "pruning needs a sparsity or a pattern",
             "add \"sparsity\": 0.5 or \"pattern\": \"2:4\"");
    if (prune->of > 0 && (prune->sparsity > 0 || prune->is_global))
      refuse(entry, "a pattern of neighbours says which share stays, in every layer",
             "give a pattern, or a sparsity, not both");
  }
  const std::optional<Grid>& activations = settings.activations;
  if (activations && activations->is_per_channel && activations->observer == Observer::entropy)
    refuse(entry, "entropy is measured for whole tensors",
           "take another observer for scales per channel");
}

const Option* find(const Entry& entry, const std::string& key) {
  const auto found = std::find_if(entry.options.begin(), entry.options.end(),
                                  [&](const Option& option) { return option.key == key; });
  return found == entry.options.end() ? nullptr : &*found;
}

/// Refuses settings without effect because of another one. If that one stands in an inner module,
/// they are overridden; elsewhere they would be ignored silently. `inner`: outer ones first.
void require_heeded(const std::vector<const Entry*>& inner, const std::string& key,
                    const std::string& decided_by, const std::string& why) {
  for (auto entry = inner.rbegin(); entry != inner.rend(); ++entry) {
    if (const Option* option = find(**entry, key))
      refuse(**entry, cat(quoted(key), " is ", value_text(option->value), ", but ", why),
             cat("leave ", key, " out"));
    if (find(**entry, decided_by) != nullptr) return;
  }
}

void require_all_heeded(const NodeSettings& settings, const std::vector<const Entry*>& inner) {
  if (settings.weights && settings.weights->format != Format::integers) {
    const bool is_half = settings.weights->format == Format::f16;
    const std::string why =
        is_half ? "floats of 16 bits have no grid" : "the blocks of Q4_0 have a grid of their own";
    for (const char* word :
         {"signed", "symmetric", "narrow_range", "granularity", "observer", "quantile"})
      require_heeded(inner, cat("weights.", word), "weights.format", why);
    constexpr int kBitsOfBlocks = 4;
    if (is_half || settings.weights->grid.bits != kBitsOfBlocks)
      require_heeded(inner, "weights.bits", "weights.format",
                     is_half ? "floats of 16 bits have 16" : "Q4_0 holds 4 bits");
    return;
  }
  const auto require_quantile = [&](const Grid& grid, const std::string& part) {
    if (grid.observer != Observer::percentile)
      require_heeded(inner, cat(part, ".quantile"), cat(part, ".observer"),
                     "the observer is not 'percentile'");
  };
  if (settings.weights) require_quantile(settings.weights->grid, "weights");
  if (settings.activations) require_quantile(*settings.activations, "activations");
  if (settings.bias) require_quantile(*settings.bias, "bias");
}

}  // namespace

Settings::Settings(std::vector<Entry> entries) : entries_(std::move(entries)) {
  NodeSettings of_all;
  std::vector<const Entry*> for_all;
  for (const Entry& entry : entries_) {
    NodeSettings alone;
    apply(alone, entry);
    if (!entry.scope.empty() || entry.kind != Entry::Kind::settings) continue;
    require_consistent(alone, entry);
    apply(of_all, entry);
    for_all.push_back(&entry);
  }
  require_all_heeded(of_all, for_all);
}

NodeSettings Settings::of(const ir::Graph& graph, const ir::Node& node) const {
  std::vector<std::pair<int, const Entry*>> matched;
  bool is_limited = false;
  bool is_within = false;
  for (const Entry& entry : entries_) {
    const auto depth = matched_depth(graph, node, entry.scope);
    is_limited = is_limited || entry.kind == Entry::Kind::alone;
    is_within = is_within || (entry.kind == Entry::Kind::alone && depth);
    if (depth && entry.kind == Entry::Kind::ignores) return {};
    if (depth && entry.kind == Entry::Kind::settings) matched.emplace_back(*depth, &entry);
  }
  if (is_limited && !is_within) return {};
  std::stable_sort(matched.begin(), matched.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  NodeSettings out;
  std::vector<const Entry*> inner;
  for (const auto& [depth, entry] : matched) {
    apply(out, *entry);
    inner.push_back(entry);
  }
  if (!matched.empty()) require_consistent(out, *matched.back().second);
  require_all_heeded(out, inner);
  return out;
}

namespace {

/// Whether any operation is in such a module, bodies of loops included.
bool is_matched(const ir::Graph& graph, const std::string& scope) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return matched_depth(graph, node, scope) || (node.body && is_matched(*node.body, scope));
  });
}

}  // namespace

void Settings::require_matches(const ir::Graph& graph) const {
  for (const Entry& entry : entries_) {
    if (entry.scope.empty() || is_matched(graph, entry.scope)) continue;
    std::string names;
    for (const std::string& name : nearest_scopes(graph, entry.scope))
      names += cat(names.empty() ? "" : ", ", quoted(name));
    throw Error(
        "usage",
        cat(quoted(entry.scope), entry.origin.empty() ? "" : cat(", of ", entry.origin, ","),
            " names no module of the model"),
        {}, names.empty() ? "the model has no modules" : cat("the nearest are ", names));
  }
}

namespace {

bool has_key(const std::vector<Entry>& entries, std::string_view prefix) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return std::any_of(entry.options.begin(), entry.options.end(),
                       [&](const Option& option) { return option.key.starts_with(prefix); });
  });
}

}  // namespace

bool Settings::asks_for_pruning() const { return has_key(entries_, "prune."); }

}  // namespace t2n::compress
