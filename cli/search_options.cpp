#include "cli/search_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/text.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

using compress::Form;

/// A leading number, and the text behind it. Nothing without a number.
std::optional<std::pair<double, std::string>> number_and_unit(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  std::string unit(rest, end);
  unit.erase(0, unit.find_first_not_of(' '));
  return std::pair(value, std::move(unit));
}

double share_of(const std::string& text) {
  const auto read = number_and_unit(text);
  constexpr double kPercent = 100;
  const bool is_percent = read && read->second == "%";
  const double value = !read ? -1 : is_percent ? read->first / kPercent : read->first;
  if (!read || !(is_percent || read->second.empty()) || value < 0 || value > 1)
    throw Error("usage", cat("--max-loss ", quoted(text), " is no share from 0 to 1"), {},
                "give 0.5% or 0.005");
  return value;
}

int64_t bytes_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
      {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
  const auto read = number_and_unit(text);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& each) {
    return read && each.first == read->second;
  });
  constexpr double kMost = 1e18;
  const double bytes = unit == kUnits.end() ? 0 : read->first * unit->second;
  if (bytes < 1 || bytes > kMost)
    throw Error("usage", cat("--budget ", quoted(text), " is no size"), {},
                "give bytes, or kB, MB or GB, thousands of each other: 4MB, 800kB, 500000");
  return static_cast<int64_t>(bytes);
}

std::string percent(double share) {
  constexpr double kDigits = 1e4;  // hundredths of a percent
  return cat(std::round(share * kDigits) / (kDigits / 100), " %");
}

std::string meaning(LossMeasure measure) {
  switch (measure) {
    case LossMeasure::accuracy: return "of the rows are not right any more";
    case LossMeasure::top1: return "of the rows have another largest element";
    case LossMeasure::noise: return "noise to signal of the first output";
  }
  internal_error(__FILE__, __LINE__, "no such measure of loss");
}

std::string_view form_text(Form form) {
  switch (form) {
    case Form::floats: return "floats";
    case Form::as_set: return "compressed";
    case Form::narrower: return "q4_0";
  }
  internal_error(__FILE__, __LINE__, "no such form");
}

std::string chosen_layers_text(const SearchResult& result) {
  std::vector<std::vector<std::string>> rows = {{"module", "chosen", "loses alone", "saves alone"}};
  for (const ChosenLayers& layers : result.layers) {
    std::vector<std::string> names;
    for (size_t i = 0; i < layers.modules.size(); ++i)
      names.push_back(layers.modules[i].empty() ? layers.addresses[i] : layers.modules[i]);
    const auto& alone = layers.alone;
    rows.push_back({joined(names, " and "), std::string(form_text(layers.form)),
                    alone ? percent(alone->loss.asked) : "-",
                    alone ? cat(alone->saved, " bytes") : "-"});
  }
  return rows.size() > 1 ? table(std::move(rows)) : "";
}

}  // namespace

void add_search_options(CLI::App& command, SearchOptions& options) {
  command
      .add_option("--max-loss", options.max_loss,
                  "Leave layers in floats until no more is lost: rows that are right with\n"
                  "--labels, else rows with the same largest element; 0.5% or 0.005")
      ->type_name("SHARE");
  command
      .add_option("--budget", options.budget,
                  "Compress only as many layers as it takes for the constants to fit, those\n"
                  "that lose least for their bytes: 4MB, 800kB, 500000")
      ->type_name("SIZE");
}

compress::Goal goal_of(const SearchOptions& options) {
  compress::Goal out;
  if (!options.max_loss.empty()) out.max_loss = share_of(options.max_loss);
  if (!options.budget.empty()) out.budget = bytes_of(options.budget);
  return out;
}

std::string search_text(const SearchResult& result) {
  const auto in_floats = static_cast<size_t>(
      std::count_if(result.layers.begin(), result.layers.end(),
                    [](const auto& each) { return each.form == Form::floats; }));
  const compress::Goal& goal = result.goal;
  std::string out = cat("chosen: ", result.layers.size() - in_floats, " of ",
                        counted(result.layers.size(), "layer"), " compressed · ", result.bytes,
                        " bytes of constants, in floats ", result.bytes_of_floats);
  if (goal.budget) out += cat(", at most ", *goal.budget);
  out += cat(" · loses ", percent(result.loss.asked));
  if (goal.max_loss) out += cat(", at most ", percent(*goal.max_loss));
  out += cat(": ", meaning(result.measure), "\n", chosen_layers_text(result));
  if (in_floats == result.layers.size() && in_floats > 0)
    out += goal.budget ? "  the floats fit into the budget: nothing is compressed\n"
                       : "  every layer alone loses more than that: nothing is compressed\n";
  return out;
}

}  // namespace t2n::cli
