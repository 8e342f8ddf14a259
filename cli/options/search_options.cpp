// SPDX-License-Identifier: Apache-2.0
#include "cli/options/search_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/screen/text.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

using compress::Form;

/// A leading number and the text after it; nothing without a number.
std::optional<std::pair<double, std::string>> number_and_unit(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  std::string unit(rest, end);
  unit.erase(0, unit.find_first_not_of(' '));
  return std::pair(value, std::move(unit));
}

double parse_share(const std::string& text) {
  const auto parsed = number_and_unit(text);
  constexpr double kPercent = 100;
  const bool is_percent = parsed && parsed->second == "%";
  const double value = !parsed ? -1 : is_percent ? parsed->first / kPercent : parsed->first;
  if (!parsed || !(is_percent || parsed->second.empty()) || value < 0 || value > 1)
    throw Error("usage", cat("--max-loss ", quoted(text), " is not a share from 0 to 1"), {},
                "give 0.5% or 0.005");
  return value;
}

int64_t parse_size(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
      {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
  const auto parsed = number_and_unit(text);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& each) {
    return parsed && each.first == parsed->second;
  });
  constexpr double kMost = 1e18;
  const double bytes = unit == kUnits.end() ? 0 : parsed->first * unit->second;
  if (bytes < 1 || bytes > kMost)
    throw Error("usage", cat("--budget ", quoted(text), " is not a size"), {},
                "give bytes, or decimal kB, MB or GB: 4MB, 800kB, 500000");
  return static_cast<int64_t>(bytes);
}

std::string percent(double share) {
  constexpr double kDigits = 1e4;  // hundredths of a percent
  return cat(std::round(share * kDigits) / (kDigits / 100), " %");
}

std::string meaning(LossMeasure measure) {
  switch (measure) {
    case LossMeasure::accuracy: return "share of rows that are no longer right";
    case LossMeasure::top1: return "share of rows with another largest element";
    case LossMeasure::noise: return "noise to signal of the first output";
  }
  internal_error(__FILE__, __LINE__, "no such measure of loss");
}

std::string_view form_text(Form form) {
  switch (form) {
    case Form::floats: return "floats";
    case Form::wider: return "int8";
    case Form::as_configured: return "compressed";
    case Form::narrower: return "q4_0";
  }
  internal_error(__FILE__, __LINE__, "no such form");
}

std::string chosen_layers_text(const SearchResult& result) {
  std::vector<std::vector<std::string>> rows = {{"module", "chosen", "loss alone", "saved alone"}};
  for (const ChosenLayers& layers : result.layers) {
    std::vector<std::string> names;
    for (size_t i = 0; i < layers.modules.size(); ++i)
      names.push_back(layers.modules[i].empty() ? layers.addresses[i] : layers.modules[i]);
    const auto& alone = layers.alone;
    rows.push_back({joined(names, " and "), std::string(form_text(layers.form)),
                    alone ? percent(alone->loss.metric) : "-",
                    alone ? cat(alone->saved, " bytes") : "-"});
  }
  return rows.size() > 1 ? table(std::move(rows)) : "";
}

}  // namespace

void add_search_options(CLI::App& command, SearchOptions& options) {
  command
      .add_option("--max-loss", options.max_loss,
                  "Keep layers in floats to lose at most this: 0.5%\n"
                  "The share of rows that are no longer right with --labels, else of rows with "
                  "another largest element; 0.5% or 0.005.")
      ->type_name("SHARE");
  command
      .add_option("--budget", options.budget,
                  "Compress until the constants fit: 4MB, 800kB\n"
                  "Only as many layers as needed, those with the least loss per byte first.")
      ->type_name("SIZE");
}

compress::Goal goal_of(const SearchOptions& options) {
  compress::Goal out;
  if (!options.max_loss.empty()) out.max_loss = parse_share(options.max_loss);
  if (!options.budget.empty()) out.budget = parse_size(options.budget);
  return out;
}

std::string search_text(const SearchResult& result) {
  const size_t in_floats =
      std::count_if(result.layers.begin(), result.layers.end(),
                    [](const auto& each) { return each.form == Form::floats; });
  const compress::Goal& goal = result.goal;
  std::string out = cat("chosen: ", result.layers.size() - in_floats, " of ",
                        counted(result.layers.size(), "layer"), " compressed · ", result.bytes,
                        " bytes of constants (", result.bytes_of_floats, " in floats");
  if (goal.budget) out += cat(", limit ", *goal.budget);
  out += cat(") · loss ", percent(result.loss.metric));
  if (goal.max_loss) out += cat(" (limit ", percent(*goal.max_loss), ")");
  out += cat(": ", meaning(result.measure), "\n", chosen_layers_text(result));
  if (in_floats == result.layers.size() && in_floats > 0)
    out += goal.budget ? "  the floats fit into the budget: nothing is compressed\n"
                       : "  every layer alone loses more than that: nothing is compressed\n";
  return out;
}

}  // namespace t2n::cli
