// SPDX-License-Identifier: Apache-2.0
#include "src/export/report_compression.h"

#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json accuracy_json(int64_t right, int64_t labelled) {
  if (labelled == 0) return {};
  return static_cast<double>(right) / static_cast<double>(labelled);
}

template <typename T>
Json if_followed(const compress::LayerLoss& layer, T value) {
  return layer.is_followed() ? Json(value) : Json();
}

Json layer_json(const compress::LayerLoss& layer) {
  return {{"address", layer.address},
          {"module", layer.module},
          {"format", layer.format},
          {"bytes_before", layer.bytes_before},
          {"bytes_after", if_followed(layer, layer.bytes_after)},
          {"zeros", if_followed(layer, layer.zeros)},
          {"weights_snr_db", layer.weights.snr_db()},
          {"results_snr_db", layer.results.snr_db()},
          {"weights_exact", if_followed(layer, layer.weights.noise == 0)},
          {"results_exact", if_followed(layer, layer.results.noise == 0)}};
}

Json output_json(const compress::OutputLoss& output) {
  return {{"name", output.name},
          {"snr_db", output.all.snr_db()},
          {"exact", output.all.noise == 0},
          {"cosine", output.all.cosine()},
          {"rows", output.rows},
          {"same_top1", output.same_top1},
          {"labelled", output.labelled},
          {"accuracy_before", accuracy_json(output.right_before, output.labelled)},
          {"accuracy_after", accuracy_json(output.right_after, output.labelled)}};
}

std::string_view form_name(compress::Form form) {
  switch (form) {
    case compress::Form::floats: return "floats";
    case compress::Form::wider: return "int8";
    case compress::Form::as_configured: return "as-set";
    case compress::Form::narrower: return "q4_0";
  }
  internal_error(__FILE__, __LINE__, "no such form");
}

Json chosen_json(const ChosenLayers& layers) {
  const auto& alone = layers.alone;
  return {{"addresses", layers.addresses},
          {"modules", layers.modules},
          {"chosen", form_name(layers.form)},
          {"loss_alone", alone ? Json(alone->loss.metric) : Json()},
          {"noise_alone", alone ? Json(alone->loss.noise) : Json()},
          {"saved_alone", alone ? Json(alone->saved) : Json()}};
}

Json search_json(const SearchResult& search) {
  Json layers = Json::array();
  for (const ChosenLayers& each : search.layers) layers.push_back(chosen_json(each));
  const compress::Goal& goal = search.goal;
  return {{"max_loss", goal.max_loss ? Json(*goal.max_loss) : Json()},
          {"budget", goal.budget ? Json(*goal.budget) : Json()},
          {"measure", measure_name(search.measure)},
          {"loss", search.loss.metric},
          {"noise", search.loss.noise},
          {"bytes", search.bytes},
          {"bytes_of_floats", search.bytes_of_floats},
          {"measured", search.tried},
          {"layers", layers}};
}

Json speed_json(const EngineSpeed& speed) {
  return {{"engine", speed.engine},
          {"seconds", speed.seconds},
          {"float_seconds", speed.float_seconds},
          {"ratio", speed.ratio},
          {"runs", speed.runs}};
}

}  // namespace

Json compression_json(const Compression& compression) {
  Json layers = Json::array();
  for (const compress::LayerLoss& layer : compression.layers) layers.push_back(layer_json(layer));
  Json outputs = Json::array();
  for (const compress::OutputLoss& output : compression.outputs)
    outputs.push_back(output_json(output));
  Json unquantised = Json::array();
  for (const compress::UnquantisedWeight& each : compression.unquantised)
    unquantised.push_back(
        {{"name", each.name}, {"reader", each.reader}, {"bytes", each.bytes}, {"why", each.why}});
  Json existing = Json::array();
  for (const compress::ExistingQParam& each : compression.existing)
    existing.push_back({{"name", each.name},
                        {"reader", each.reader},
                        {"bits", each.bits > 0 ? Json(each.bits) : Json()}});
  return {{"measured_on", compression.is_calibrated ? "calibration-set" : "samples"},
          {"batches", compression.batches},
          {"layers", layers},
          {"outputs", outputs},
          {"own_grids", existing},
          {"left", unquantised},
          {"activations_in_floats", compression.activations_in_floats},
          {"speed", compression.speed ? speed_json(*compression.speed) : Json()},
          {"search", compression.search ? search_json(*compression.search) : Json()}};
}

}  // namespace t2n
