// SPDX-License-Identifier: Apache-2.0
// The keys of settings, and what each does.
#include "src/compress/settings/setting_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "src/diag/error.h"

namespace t2n::compress {

void refuse(const SettingsEntry& entry, const std::string& what, const std::string& help) {
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

namespace {

[[noreturn]] void refuse_value(const SettingsEntry& entry, const Option& option,
                               const std::string& takes) {
  refuse(entry, cat(quoted(option.key), " is ", value_text(option.value), ", which is not ", takes),
         "see docs/compression.md for the settings");
}

int integer_between(const SettingsEntry& entry, const Option& option, int low, int high) {
  const double* number = std::get_if<double>(&option.value);
  if (number == nullptr || *number != std::floor(*number) || *number < low || *number > high)
    refuse_value(entry, option, cat("a whole number from ", low, " to ", high));
  return static_cast<int>(*number);
}

double share(const SettingsEntry& entry, const Option& option) {
  const double* number = std::get_if<double>(&option.value);
  if (number == nullptr || !(*number > 0 && *number < 1))
    refuse_value(entry, option, "a number between 0 and 1");
  return *number;
}

bool flag(const SettingsEntry& entry, const Option& option) {
  const bool* value = std::get_if<bool>(&option.value);
  if (value == nullptr) refuse_value(entry, option, "true or false");
  return *value;
}

template <typename T, size_t N>
T choice(const SettingsEntry& entry, const Option& option,
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
enum class WeightGranularity { tensor, channel, automatic };
constexpr std::array<std::pair<std::string_view, WeightGranularity>, 3> kWeightGranularities = {
    {{"tensor", WeightGranularity::tensor},
     {"channel", WeightGranularity::channel},
     {"auto", WeightGranularity::automatic}}};

/// The effect of a key.
using Apply = std::function<void(NodeSettings&, const SettingsEntry&, const Option&)>;

QuantScheme activation_scheme() {
  return {.bits = 8,
          .is_signed = false,
          .is_symmetric = false,
          .is_narrow = false,
          .is_per_channel = false,
          .observer = Observer::histogram};
}
QuantScheme bias_scheme() { return {.bits = 16, .is_narrow = false, .is_per_channel = false}; }

QuantScheme& scheme_of(NodeSettings& settings, std::string_view part) {
  if (part == "weights") {
    if (!settings.weights) settings.weights.emplace();
    return settings.weights->scheme;
  }
  std::optional<QuantScheme>& scheme = part == "bias" ? settings.bias : settings.activations;
  if (!scheme) scheme = part == "bias" ? bias_scheme() : activation_scheme();
  return *scheme;
}

Pruning& pruning_of(NodeSettings& settings) {
  if (!settings.prune) settings.prune.emplace();
  return *settings.prune;
}

void apply_pattern(NodeSettings& settings, const SettingsEntry& entry, const Option& option) {
  const std::string* text = std::get_if<std::string>(&option.value);
  const size_t colon = text == nullptr ? std::string::npos : text->find(':');
  int keep = 0;
  int group = 0;
  constexpr int kMost = 64;
  const auto read = [&](size_t begin, size_t end, int& out) {
    const char* last = text->data() + end;
    const auto [rest, error] = std::from_chars(text->data() + begin, last, out);
    return error == std::errc() && rest == last;
  };
  const bool is_read =
      colon != std::string::npos && read(0, colon, keep) && read(colon + 1, text->size(), group);
  if (!is_read || keep < 1 || group <= keep || group > kMost)
    refuse_value(entry, option, "\"N:M\", N of M neighbours that stay, such as \"2:4\"");
  pruning_of(settings).keep = keep;
  pruning_of(settings).group = group;
}

/// Only null and false are allowed as the value of `part`.
template <typename T>
void switch_off(std::optional<T>& part, const SettingsEntry& entry, const Option& option) {
  const bool* value = std::get_if<bool>(&option.value);
  if (!std::holds_alternative<std::monostate>(option.value) && (value == nullptr || *value))
    refuse_value(entry, option, "a table of settings, or null, which leaves it unchanged");
  part.reset();
}

std::vector<std::pair<std::string, Apply>> scheme_keys(const std::string& part) {
  const auto key = [&](const char* name, Apply apply) {
    return std::pair(cat(part, ".", name), std::move(apply));
  };
  constexpr int kLeastBits = 2;
  constexpr int kMostBits = 16;
  return {key("bits",
              [=](NodeSettings& s, const SettingsEntry& e, const Option& o) {
                scheme_of(s, part).bits = integer_between(e, o, kLeastBits, kMostBits);
              }),
          key("signed", [=](NodeSettings& s, const SettingsEntry& e,
                            const Option& o) { scheme_of(s, part).is_signed = flag(e, o); }),
          key("symmetric", [=](NodeSettings& s, const SettingsEntry& e,
                               const Option& o) { scheme_of(s, part).is_symmetric = flag(e, o); }),
          key("narrow_range", [=](NodeSettings& s, const SettingsEntry& e,
                                  const Option& o) { scheme_of(s, part).is_narrow = flag(e, o); }),
          key("granularity",
              [=](NodeSettings& s, const SettingsEntry& e, const Option& o) {
                if (part == "bias")
                  refuse(e, "a bias has one scale: there is no 'bias.granularity'",
                         "leave bias.granularity out");
                QuantScheme& scheme = scheme_of(s, part);
                if (part != "weights")
                  return void(scheme.is_per_channel = choice(e, o, kGranularities));
                const WeightGranularity chosen = choice(e, o, kWeightGranularities);
                scheme.is_per_channel = chosen != WeightGranularity::tensor;
                scheme.may_share_scale = chosen == WeightGranularity::automatic;
              }),
          key("observer",
              [=](NodeSettings& s, const SettingsEntry& e, const Option& o) {
                scheme_of(s, part).observer = choice(e, o, kObserverNames);
              }),
          key("quantile", [=](NodeSettings& s, const SettingsEntry& e, const Option& o) {
            scheme_of(s, part).quantile = share(e, o);
          })};
}

std::vector<std::pair<std::string, Apply>> make_keys() {
  std::vector<std::pair<std::string, Apply>> out = scheme_keys("weights");
  for (const char* part : {"activations", "bias"})
    for (auto& each : scheme_keys(part)) out.push_back(std::move(each));
  out.emplace_back("weights.format", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    scheme_of(s, "weights");
    s.weights->format = choice(e, o, kFormats);
  });
  out.emplace_back("weights.rounding",
                   [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
                     scheme_of(s, "weights");
                     s.weights->rounding = choice(e, o, kRoundings);
                   });
  out.emplace_back("prune.sparsity", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    pruning_of(s).sparsity = share(e, o);
  });
  out.emplace_back("prune.pattern", apply_pattern);
  out.emplace_back("prune.global", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    pruning_of(s).is_global = flag(e, o);
  });
  out.emplace_back("bias_correction", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    s.corrects_bias = !std::holds_alternative<std::monostate>(o.value) && flag(e, o);
  });
  out.emplace_back("weights", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    switch_off(s.weights, e, o);
  });
  out.emplace_back("activations", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    switch_off(s.activations, e, o);
  });
  out.emplace_back("bias", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    switch_off(s.bias, e, o);
  });
  out.emplace_back("prune", [](NodeSettings& s, const SettingsEntry& e, const Option& o) {
    switch_off(s.prune, e, o);
  });
  return out;
}

const std::vector<std::pair<std::string, Apply>>& keys() {
  static const std::vector<std::pair<std::string, Apply>> all = make_keys();
  return all;
}

}  // namespace

void apply(NodeSettings& settings, const SettingsEntry& entry) {
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

}  // namespace t2n::compress
