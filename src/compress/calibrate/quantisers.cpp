// SPDX-License-Identifier: Apache-2.0
// The pass `insert-observers`.
#include "src/compress/calibrate/quantisers.h"

#include <algorithm>
#include <cmath>

#include "ir/elements.h"
#include "ir/print.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"
#include "src/compress/existing_qparams.h"
#include "src/compress/passes.h"
#include "src/compress/skipped_weights.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::ValueId;

/// "8 bits, signed, symmetric, per channel 0": equal texts share a quantiser.
std::string quantiser_text(const Observation& observation) {
  return cat(observation.scheme.bits, " bits, ",
             observation.scheme.is_signed ? "signed" : "unsigned",
             observation.scheme.is_symmetric ? ", symmetric" : "",
             observation.scheme.is_narrow ? ", without the lowest integer" : "",
             observation.axis ? cat(", per channel of axis ", *observation.axis) : "", ", ",
             observation.least_squares ? "least squares"
                                       : std::string(observer_name(observation.scheme.observer)));
}

ValueId emit_observer(passes::Rewriter& rewriter, ValueId value, Observation observation) {
  observation.self = value;
  return rewriter.emit(kObserveOp, observation_arguments(observation), rewriter.dtype(value),
                       rewriter.shape(value));
}

/// Why a weight stays in 32-bit floats.
struct UnfitWeight {
  size_t reader = 0;  ///< the node index of its first reader
  std::string why;
};

constexpr std::string_view kTooSmall = "its values are too small for the requested format";

/// The properties that decide whether a weight can be compressed.
struct WeightStatistics {
  bool is_finite = true;
  double largest = 0;  ///< magnitude
  double signal = 0;   ///< sum of squares
  double noise = 0;    ///< sum of squared errors of rounding to 16 bits
};

std::string unfit_for_half(const WeightStatistics& statistics) {
  constexpr double kBeyondHalf = 65520;  // from here on, the nearest is infinity
  if (statistics.largest >= kBeyondHalf)
    return "it has values beyond 65504, the largest 16-bit float";
  constexpr double kMostLost = 0.5;  // of the power
  return statistics.noise > kMostLost * statistics.signal ? std::string(kTooSmall) : "";
}

WeightStatistics statistics_of(const ir::Tensor& data) {
  WeightStatistics out;
  if (!data.is_loaded()) return out;
  ir::for_each_part(data, [&](size_t, std::span<const double> elements) {
    for (const double element : elements) {
      out.is_finite = out.is_finite && std::isfinite(element);
      if (!std::isfinite(element)) continue;
      const double half = ir::half_to_float(ir::float_to_half(static_cast<float>(element)));
      out.largest = std::max(out.largest, std::abs(element));
      out.signal += element * element;
      out.noise += (element - half) * (element - half);
    }
  });
  return out;
}

/// Whether per-channel scales would be a large part of the stored bytes, and one scale is almost as
/// accurate.
bool shares_scale(const ir::Tensor& data, size_t axis, const QuantScheme& scheme) {
  if (!data.is_loaded() || data.elements() == 0) return false;
  constexpr int64_t kFile = 128;  // the header of a file of scales
  constexpr int64_t kShare = 20;
  const int64_t channels = data.shape.at(axis);
  if (kShare * (kFile + 4 * channels) < data.elements()) return false;
  Range range = {INFINITY, -INFINITY};
  ir::for_each_part(data, [&](size_t, std::span<const double> values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range = {std::min(range.low, *low), std::max(range.high, *high)};
  });
  const Scale scale = scale_for(range, scheme);
  const size_t inner = ir::inner_size(data.shape, axis);
  std::vector<double> signal(channels);
  std::vector<double> noise(signal.size());
  ir::for_each_part(data, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = rounded(values[i], scale, scheme) - values[i];
      const size_t channel = (first + i) / inner % signal.size();
      signal[channel] += values[i] * values[i];
      noise[channel] += error * error;
    }
  });
  constexpr double kLeastRatio = 3162;  // 35 dB, of every channel
  for (size_t i = 0; i < signal.size(); ++i)
    if (!(noise[i] * kLeastRatio <= signal[i])) return false;
  return true;
}

std::string unfit_for_integers(const ir::Tensor& weight, const WeightStatistics& statistics,
                               std::optional<int> axis, const QuantScheme& scheme) {
  // All values are smaller than the smallest scale.
  if (statistics.largest > 0 &&
      statistics.largest < kLeastScale * static_cast<double>(highest(scheme)))
    return std::string(kTooSmall);
  const bool is_free = scheme.is_per_channel && scheme.may_share_scale && weight.is_loaded();
  if (!is_free || !axis || shares_scale(weight, static_cast<size_t>(*axis), scheme)) return "";
  constexpr int64_t kFloat = 4;
  const int64_t channels = weight.shape.at(*axis);
  return weight.elements() + kFloat * channels < kFloat * weight.elements()
             ? ""
             : "its per-channel scales would take more bytes than its integers save";
}

class AddingQuantisers {
 public:
  AddingQuantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings)
      : insertions_(insertions),
        graph_(graph),
        settings_(settings),
        known_(passes::known_values(graph)),
        existing_(graph),
        constants_(ir::constant_index(graph)) {}

  void run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (const auto layer = passes::layer_of(graph_, graph_.nodes[i], known_))
        add(i, *layer, settings_.of(graph_, graph_.nodes[i]));
  }

  /// Notes and reports weights that stay 32-bit floats, since they would overflow or underflow
  /// otherwise.
  void report_unfit(ir::Graph& graph, const Report& report) const {
    std::vector<std::string> details;
    for (const auto& [value, unfit] : unfit_) {
      const std::string& name = graph.values[value].name;
      const std::string module = ir::module_path(graph, graph.nodes[unfit.reader].scope);
      note_skipped(graph, name, unfit.why);
      details.push_back(
          cat(name, module.empty() ? "" : cat(", of ", quoted(module)), ": ", unfit.why));
    }
    warn_of(report, "weight-not-packed", details,
            cat(details.size(), details.size() == 1 ? " weight stays" : " weights stay",
                " in 32-bit floats"),
            "change their settings, or exclude their modules with --ignore");
  }

 private:
  void add(size_t node, const passes::Layer& layer, const NodeSettings& settings) {
    if (settings.weights)
      for (const passes::Weight& weight : layer.weights)
        add_weight(node, weight, *settings.weights);
    if (settings.activations)
      for (const ValueId value : layer.activations) {
        std::optional<int> axis;
        if (settings.activations->is_per_channel) axis = channel_axis(value, node, layer);
        if (!existing_.is_within(value, settings.activations->bits))
          add_observer(node, value, {.scheme = *settings.activations, .axis = axis});
      }
    if (settings.bias && layer.bias != ir::kNoValue)
      add_observer(node, layer.bias, {.scheme = *settings.bias});
  }

  void add_weight(size_t node, const passes::Weight& weight, const WeightSettings& settings) {
    if (existing_.weight_bits(weight.value) > 0 || settings.format == Format::q4_0) return;
    const ir::Tensor* data = stored(weight.value);
    if (data != nullptr) {
      const WeightStatistics statistics = statistics_of(*data);
      const bool is_half = settings.format == Format::f16;
      if (!is_half && !statistics.is_finite) refuse_not_finite(node, weight.value);
      std::string why =
          is_half ? unfit_for_half(statistics)
                  : unfit_for_integers(*data, statistics, weight.channel_axis, settings.scheme);
      if (!why.empty())
        return void(unfit_.emplace(weight.value, UnfitWeight{node, std::move(why)}));
    }
    if (settings.format == Format::f16) return add_half(node, weight.value);
    Observation observation = {.scheme = settings.scheme};
    if (settings.scheme.is_per_channel) observation.axis = weight.channel_axis;
    if (observation.axis && settings.scheme.may_share_scale && data != nullptr &&
        shares_scale(*data, static_cast<size_t>(*observation.axis), observation.scheme))
      observation.axis = std::nullopt;
    observation.least_squares = settings.rounding == Rounding::least_squares;
    add_observer(node, weight.value, observation);
  }

  /// A constant of 32-bit floats, or nullptr.
  const ir::Tensor* stored(ValueId value) const {
    const int index = constants_[value];
    if (index < 0 || !is_plain(value)) return nullptr;
    return &graph_.constants[index].data;
  }

  [[noreturn]] void refuse_not_finite(size_t node, ValueId value) const {
    throw Error({.id = "unsupported-argument",
                 .message = cat("the weight ", quoted(graph_.values[value].name),
                                " contains NaN or infinities, which integers cannot represent"),
                 .where = {ir::node_where(graph_, graph_.nodes[node])},
                 .details = {},
                 .why = {},
                 .help = cat("fix the model, or exclude the module with --ignore ",
                             ir::module_path(graph_, graph_.nodes[node].scope))});
  }

  /// The channel axis of images follows the batch axis, if there is one; that of rows is the last.
  int channel_axis(ValueId value, size_t node, const passes::Layer& layer) const {
    const auto rank_of = [this](ValueId id) {
      return static_cast<int>(graph_.values[id].shape.size());
    };
    const std::string_view name = ir::op_short_name(ir::op_name(graph_.nodes[node].op));
    if (!name.starts_with("conv")) return rank_of(value) - 1;
    return rank_of(value) == rank_of(layer.weights.at(0).value) ? 1 : 0;
  }

  void add_observer(size_t node, ValueId value, const Observation& observation) {
    if (!is_plain(value)) return;
    insertions_.add({.at = {value, node},
                     .priority = kQuantiserPriority,
                     .algorithm = "quantisation",
                     .slot = "quantiser",
                     .key = quantiser_text(observation),
                     .build = [observation](passes::Rewriter& rewriter, ValueId id) {
                       return emit_observer(rewriter, id, observation);
                     }});
  }

  void add_half(size_t node, ValueId value) {
    if (!is_plain(value)) return;
    insertions_.add({.at = {value, node},
                     .priority = kQuantiserPriority,
                     .algorithm = "quantisation",
                     .slot = "quantiser",
                     .key = "floats of 16 bits",
                     .build = [](passes::Rewriter& rewriter, ValueId id) {
                       return rewriter.cast(rewriter.cast(id, ir::DType::f16), ir::DType::f32);
                     }});
  }

  /// False for constant expressions: the model itself quantises them, and they are left unchanged.
  bool is_plain(ValueId value) const {
    const size_t at = value;
    return graph_.values[at].dtype == ir::DType::f32 && !graph_.values[at].quant &&
           (!known_[at] || constants_[at] >= 0);
  }

  Insertions& insertions_;
  const ir::Graph& graph_;
  const Settings& settings_;
  std::vector<bool> known_;
  ExistingQParams existing_;
  std::vector<int> constants_;
  std::map<ValueId, UnfitWeight> unfit_;
};

}  // namespace

void add_quantisers(Insertions& insertions, ir::Graph& graph, const Settings& settings,
                    const Report& report) {
  AddingQuantisers adding(insertions, graph, settings);
  adding.run();
  adding.report_unfit(graph, report);
}

}  // namespace t2n::compress

bool t2n::compress::insert_observers(ir::Graph& graph, const passes::PassContext& context) {
  if (context.settings == nullptr) return false;
  compress::Insertions insertions;
  compress::add_quantisers(insertions, graph, *context.settings, context.report);
  return insertions.commit(graph);
}
