// SPDX-License-Identifier: Apache-2.0
#include "cli/options/compress_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/screen/text.h"
#include "src/config/compression_settings.h"
#include "src/diag/error.h"
#include "src/nnef/npy.h"
#include "src/samples/calibration_set.h"

namespace t2n::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& value) {
  return value.find('/') != std::string::npos || value.ends_with(".json");
}

std::vector<compress::SettingsEntry> entries_for(const std::string& value) {
  if (!is_file(value)) {
    std::vector<compress::SettingsEntry> out = compress::preset(value);
    if (!out.empty()) return out;
    const std::string suggestion = nearest(value, compress::preset_names());
    throw Error("usage", cat("--compress ", quoted(value), " is neither a preset nor a .json file"),
                {},
                suggestion.empty() ? cat("presets are ", joined(compress::preset_names(), ", "))
                                   : cat("did you mean ", quoted(suggestion), "?"));
  }
  const std::vector<std::byte> bytes = nnef::read_input_file(value);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return config::read_compression_settings(text, value);
}

std::string fixed(double value, int digits) {
  if (std::isinf(value) && value > 0) return "exact";
  if (!std::isfinite(value)) return "-inf";
  const double scale = std::pow(10.0, digits);
  std::string out = cat(std::round(value * scale) / scale);
  return out;
}

std::string decibels(double ratio) {
  const std::string text = fixed(ratio, 1);
  return text == "exact" ? text : text + " dB";
}

std::string percent_of(int64_t part, int64_t all) {
  return cat(fixed(100.0 * static_cast<double>(part) / static_cast<double>(all), 1), " %");
}

bool has_other_weights(const compress::LayerLoss& layer) {
  return layer.bytes_before != layer.bytes_after || layer.weights.noise != 0;
}

/// Its module, with the operation where it has several.
std::string label_of(const compress::LayerLoss& layer,
                     const std::vector<compress::LayerLoss>& all) {
  const auto of_module = std::count_if(
      all.begin(), all.end(), [&](const auto& each) { return each.module == layer.module; });
  if (layer.module.empty()) return layer.address;
  if (of_module == 1) return layer.module;
  return cat(layer.module, " ", layer.address.substr(layer.address.rfind('/') + 1));
}

/// Equal weights of several layers count in the first one.
std::string stored_bytes(const compress::LayerLoss& layer) {
  if (layer.bytes_before == 0) return "shared";
  return cat(layer.bytes_before, " -> ",
             layer.bytes_after == 0 ? "shared" : cat(layer.bytes_after));
}

std::string layers_text(std::vector<compress::LayerLoss> layers, bool with_zeros) {
  std::erase_if(layers, [](const compress::LayerLoss& layer) {
    return !layer.is_followed() || (!has_other_weights(layer) && layer.results.noise == 0);
  });
  std::stable_sort(layers.begin(), layers.end(),
                   [](const compress::LayerLoss& a, const compress::LayerLoss& b) {
                     return a.results.snr_db() < b.results.snr_db();
                   });
  constexpr size_t kShown = 8;
  std::vector<std::vector<std::string>> rows = {
      {"module", "weights", "bytes", "weights dB", "results dB"}};
  if (with_zeros) rows.front().emplace_back("zeros");
  for (size_t i = 0; i < std::min(layers.size(), kShown); ++i) {
    const compress::LayerLoss& layer = layers[i];
    rows.push_back({label_of(layer, layers), layer.format, stored_bytes(layer),
                    fixed(layer.weights.snr_db(), 1), fixed(layer.results.snr_db(), 1)});
    if (with_zeros) rows.back().push_back(cat(fixed(100 * layer.zeros, 1), " %"));
  }
  std::string out = rows.size() > 1 ? table(std::move(rows)) : "";
  if (layers.size() > kShown)
    out += cat("  and ", counted(layers.size() - kShown, "layer"),
               " that lost less (--report has all)\n");
  return out;
}

/// "" unless some integers are narrower than their place in the file.
std::string narrow_text(const std::vector<compress::LayerLoss>& layers) {
  const bool has_narrow = std::any_of(layers.begin(), layers.end(), [](const auto& layer) {
    return layer.format.starts_with("int") && !layer.format.starts_with("int8");
  });
  return has_narrow ? "  integers of fewer than 8 bits take a byte each\n" : "";
}

/// Layers without a counterpart in the compressed graph.
std::string lost_text(const std::vector<compress::LayerLoss>& layers) {
  std::string out;
  for (const compress::LayerLoss& layer : layers)
    if (!layer.is_followed())
      out += cat("    ", layer.module.empty() ? layer.address : layer.module, ", ",
                 short_bytes(layer.bytes_before), "\n");
  return out.empty() ? "" : "  not found in the compressed graph, so not measured:\n" + out;
}

std::string output_text(const compress::OutputLoss& output) {
  std::string out = cat("  ", output.name, ": SNR ", decibels(output.all.snr_db()), ", cosine ",
                        fixed(output.all.cosine(), 5));
  if (output.rows > 0 && output.has_classes)
    out += cat(", the same largest element in ", percent_of(output.same_top1, output.rows), " of ",
               output.rows, " rows");
  if (output.labelled > 0)
    out += cat(", right in ", percent_of(output.right_before, output.labelled), " before and ",
               percent_of(output.right_after, output.labelled), " after");
  return out + "\n";
}

std::string unquantised_text(const std::vector<compress::UnquantisedWeight>& weights) {
  if (weights.empty()) return "";
  int64_t bytes = 0;
  for (const compress::UnquantisedWeight& each : weights) bytes += each.bytes;
  std::string out =
      cat("  unquantised: ", counted(weights.size(), "weight"), ", ", short_bytes(bytes), "\n");
  for (const compress::UnquantisedWeight& each : weights)
    out += cat("    ", each.name, ", ", short_bytes(each.bytes), ": ", each.why, "\n");
  return out;
}

std::string existing_qparams_text(const std::vector<compress::ExistingQParam>& existing) {
  const size_t of_weights = std::count_if(existing.begin(), existing.end(),
                                          [](const auto& each) { return each.bits > 0; });
  const size_t of_activations = existing.size() - of_weights;
  if (existing.empty()) return "";
  std::string what = of_weights > 0 ? counted(of_weights, "weight") : "";
  if (of_activations > 0)
    what += cat(what.empty() ? "" : ", ", "the inputs of ", counted(of_activations, "layer"));
  return cat("  with the model's own quantisation parameters: ", what, "\n");
}

std::string in_floats_text(const std::vector<std::string>& modules) {
  if (modules.empty()) return "";
  return cat("  activations stay in floats: ", joined(modules, ", "), "\n");
}

void require_files(const std::vector<std::string>& calibrate) {
  for (const std::string& spec : calibrate) {
    std::error_code ignored;
    if (!fs::exists(calibration_path(spec), ignored))
      throw Error("calibration", cat("--calibrate ", quoted(spec), ": there is no such file"));
  }
}

}  // namespace

void add_compression_options(CLI::App& command, CompressionOptions& options) {
  command
      .add_option("--compress", options.compress,
                  cat("Compress weights: ", joined(compress::preset_names(), ", "),
                      "\nRepeatable. FILE.json has settings by module."))
      ->type_name("PRESET|FILE.json")
      ->allow_extra_args(false);
  command
      .add_option("--calibrate", options.calibrate,
                  "Samples for quantising activations\n"
                  "Repeatable: @FILE.npz, @FILE.pt, or a folder of them; batches along axis 0 or "
                  "one per file.")
      ->type_name("@FILE|FOLDER")
      ->allow_extra_args(false);
  command
      .add_option("--ignore", options.ignore,
                  "Modules not to compress: head  'layers.*.norm'\n"
                  "Repeatable.")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      .add_option("--only", options.only,
                  "Compress these modules only\n"
                  "Repeatable.")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void add_loss_options(CLI::App& command, CompressionOptions& options) {
  command
      .add_option("--labels", options.labels,
                  "True class indices of the calibration set\n"
                  "One per row of the first output.")
      ->type_name("FILE.npy");
  add_search_options(command, options.search);
}

std::optional<CompressOptions> compress_options(const CompressionOptions& options) {
  const compress::Goal goal = goal_of(options.search);
  if (options.compress.empty()) {
    if (goal.max_loss || goal.budget)
      throw Error("usage", "--max-loss and --budget need --compress", {},
                  "add --compress int8-weights or another preset");
    if (!options.calibrate.empty() || !options.ignore.empty() || !options.only.empty() ||
        !options.labels.empty())
      throw Error("usage", "--calibrate, --ignore, --only and --labels need --compress", {},
                  cat("add --compress PRESET: ", joined(compress::preset_names(), ", ")));
    return std::nullopt;
  }
  if (!options.labels.empty() && options.calibrate.empty())
    throw Error("usage", "--labels needs --calibrate", {}, "add --calibrate @FILE.npz");
  for (const std::string& glob : options.ignore)
    if (std::find(options.only.begin(), options.only.end(), glob) != options.only.end())
      throw Error("usage", cat("--ignore and --only both name ", quoted(glob)), {},
                  "give it to one of them");
  CompressOptions out;
  for (const std::string& value : options.compress)
    for (compress::SettingsEntry& entry : entries_for(value))
      out.entries.push_back(std::move(entry));
  for (compress::SettingsEntry& entry : compress::limited_to(options.only))
    out.entries.push_back(std::move(entry));
  for (compress::SettingsEntry& entry : compress::ignoring(options.ignore))
    out.entries.push_back(std::move(entry));
  compress::Settings{out.entries};  // refuses wrong settings before any work
  out.calibrate = options.calibrate;
  out.labels = options.labels;
  out.goal = goal;
  require_files(out.calibrate);
  return out;
}

std::optional<CompressOptions> compress_or_calibrate_options(const CompressionOptions& options) {
  const bool only_calibrates = options.compress.empty() && !options.calibrate.empty() &&
                               options.ignore.empty() && options.only.empty() &&
                               options.labels.empty();
  if (!only_calibrates) return compress_options(options);
  require_files(options.calibrate);
  CompressOptions out;
  out.calibrate = options.calibrate;
  out.has_settings = false;
  return out;
}

std::vector<nnef::Taken> compression_files(const CompressionOptions& options) {
  std::vector<nnef::Taken> out;
  for (const std::string& value : options.compress)
    if (is_file(value)) out.push_back({"the settings of compression", value});
  for (const std::string& spec : options.calibrate)
    out.push_back({"the calibration set", calibration_path(spec)});
  if (!options.labels.empty()) out.push_back({"the labels", options.labels});
  return out;
}

std::string compression_text(const Compression& compression) {
  int64_t before = 0;
  int64_t after = 0;
  size_t followed = 0;
  size_t changed = 0;
  for (const compress::LayerLoss& layer : compression.layers) {
    if (!layer.is_followed()) continue;
    ++followed;
    changed += has_other_weights(layer) ? 1 : 0;
    before += layer.bytes_before;
    after += layer.bytes_after;
  }
  std::string out = compression.search ? search_text(*compression.search) : "";
  out += cat("compressed: ", changed < followed ? cat(changed, " of ") : "weights of ",
             counted(followed, "layer"), ", ", short_bytes(before), " -> ", short_bytes(after),
             " · loss on ", compression.batches, compression.batches == 1 ? " batch" : " batches",
             " of ", compression.is_calibrated ? "the calibration set" : "samples", "\n");
  out += lost_text(compression.layers);
  out += layers_text(compression.layers, compression.is_pruned);
  out += narrow_text(compression.layers);
  out += existing_qparams_text(compression.existing);
  out += unquantised_text(compression.unquantised);
  out += in_floats_text(compression.activations_in_floats);
  for (const compress::OutputLoss& output : compression.outputs) out += output_text(output);
  if (compression.speed) out += speed_text(*compression.speed);
  return out;
}

}  // namespace t2n::cli
