// The pass `insert-observers`.
#include "src/compress/quantisers.h"

#include <algorithm>

#include "ir/print.h"
#include "src/compress/grid.h"
#include "src/compress/layers.h"
#include "src/compress/observe.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/pass.h"

namespace t2n::compress {
namespace {

using ir::ValueId;

/// "8 bits, signed, symmetric, per channel 0": equal texts are one quantiser.
std::string words(const Observation& of) {
  return cat(of.grid.bits, " bits, ", of.grid.is_signed ? "signed" : "unsigned",
             of.grid.is_symmetric ? ", symmetric" : "",
             of.grid.is_narrow ? ", without the lowest integer" : "",
             of.axis ? cat(", per channel of axis ", *of.axis) : "", ", ",
             of.least_squares ? "least squares" : std::string(observer_name(of.grid.observer)));
}

ValueId emit_observer(passes::Rewriter& rewriter, ValueId value, Observation of) {
  of.self = value;
  return rewriter.emit(kObserveOp, observation_arguments(of), rewriter.dtype(value),
                       rewriter.shape(value));
}

/// Constant expressions that are integers on a grid: the model's own quantisers.
std::vector<bool> rounded_values(const ir::Graph& graph) {
  std::vector<bool> out(graph.values.size());
  for (const ir::Constant& constant : graph.constants) {
    const auto place = static_cast<size_t>(constant.value);
    out[place] = graph.values[place].quant && ir::is_integer(graph.values[place].dtype);
  }
  for (const ir::Node& node : graph.nodes) {
    bool follows = false;
    ir::for_each_input(node,
                       [&](ValueId id) { follows = follows || out[static_cast<size_t>(id)]; });
    for (const ValueId id : node.outputs) out[static_cast<size_t>(id)] = follows;
  }
  return out;
}

class Adding {
 public:
  Adding(Insertions& insertions, const ir::Graph& graph, const Settings& settings)
      : insertions_(insertions),
        graph_(graph),
        settings_(settings),
        known_(known_values(graph)),
        is_rounded_(rounded_values(graph)),
        constants_(ir::constant_index(graph)) {}

  void run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (const auto layer = layer_of(graph_, graph_.nodes[i], known_))
        add(i, *layer, settings_.of(graph_, graph_.nodes[i]));
  }

  /// Reports weights that stay f32, as f16 would make them infinite.
  void report_too_large(const Report& report) const {
    if (!report || too_large_.empty()) return;
    Diagnostic out;
    out.severity = Severity::warning;
    out.id = "weight-not-packed";
    for (const auto& [value, node] : too_large_) {
      const std::string module = ir::module_path(graph_, graph_.nodes[node].scope);
      out.details.push_back(cat(graph_.values[static_cast<size_t>(value)].name,
                                module.empty() ? "" : cat(", of ", quoted(module)),
                                ": it holds numbers beyond 65504, the largest in 16 bits"));
    }
    out.message = cat(too_large_.size(), too_large_.size() == 1 ? " weight stays" : " weights stay",
                      " in floats of 32 bits");
    out.help = "give them other settings, or leave their modules out with --ignore";
    report(out);
  }

 private:
  void add(size_t node, const Layer& layer, const NodeSettings& settings) {
    if (settings.weights)
      for (const Weight& weight : layer.weights) add_weight(node, weight, *settings.weights);
    if (settings.activations)
      for (const ValueId value : layer.activations) {
        std::optional<int> axis;
        if (settings.activations->is_per_channel) axis = channel_axis(value, node, layer);
        add_observer(node, value, {.grid = *settings.activations, .axis = axis});
      }
    if (settings.bias && layer.bias != ir::kNoValue)
      add_observer(node, layer.bias, {.grid = *settings.bias});
  }

  void add_weight(size_t node, const Weight& weight, const WeightSettings& settings) {
    if (is_rounded_[static_cast<size_t>(weight.value)]) return;
    if (settings.format == Format::q4_0) return;
    if (settings.format == Format::f16) return add_half(node, weight.value);
    require_finite(node, weight.value);
    Observation of = {.grid = settings.grid};
    if (settings.grid.is_per_channel) of.axis = weight.channel_axis;
    if (of.axis && settings.grid.may_share_scale && shares_scale(weight, of.grid))
      of.axis = std::nullopt;
    of.least_squares = settings.rounding == Rounding::least_squares;
    add_observer(node, weight.value, of);
  }

  /// The elements of a constant; none if it is computed or not loaded.
  std::vector<double> elements_of(ValueId value) const {
    const int index = constants_[static_cast<size_t>(value)];
    if (index < 0) return {};
    const ir::Tensor& data = graph_.constants[static_cast<size_t>(index)].data;
    return passes::is_loaded(data) ? ir::to_f64(data) : std::vector<double>();
  }

  /// No integer represents NaN or infinities.
  void require_finite(size_t node, ValueId value) const {
    const std::vector<double> values = elements_of(value);
    if (std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
      return;
    throw Error(
        {.id = "unsupported-argument",
         .message = cat("the weight ", quoted(graph_.values[static_cast<size_t>(value)].name),
                        " holds NaN or infinities, which no integers stand for"),
         .where = {ir::node_where(graph_, graph_.nodes[node])},
         .details = {},
         .why = {},
         .help = cat("mend the model, or leave the module out: --ignore ",
                     ir::module_path(graph_, graph_.nodes[node].scope))});
  }

  /// Whether scales of channels would be a large part of the stored bytes, and one scale for all is
  /// almost as good.
  bool shares_scale(const Weight& weight, const Grid& grid) const {
    const int index = constants_[static_cast<size_t>(weight.value)];
    if (index < 0) return false;
    const ir::Tensor& data = graph_.constants[static_cast<size_t>(index)].data;
    if (!passes::is_loaded(data) || data.elements() == 0) return false;
    constexpr int64_t kFile = 128;  // the header of a file of scales
    constexpr int64_t kShare = 20;
    const auto axis = static_cast<size_t>(*weight.channel_axis);
    const int64_t channels = data.shape.at(axis);
    if (kShare * (kFile + 4 * channels) < data.elements()) return false;
    const std::vector<double> values = ir::to_f64(data);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const Scale scale = scale_for({*low, *high}, grid);
    size_t inner = 1;
    for (size_t i = axis + 1; i < data.shape.size(); ++i)
      inner *= static_cast<size_t>(data.shape[i]);
    std::vector<double> signal(static_cast<size_t>(channels));
    std::vector<double> noise(signal.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = rounded(values[i], scale, grid) - values[i];
      const size_t channel = i / inner % signal.size();
      signal[channel] += values[i] * values[i];
      noise[channel] += error * error;
    }
    constexpr double kLeastRatio = 3162;  // 35 dB, in every channel
    for (size_t i = 0; i < signal.size(); ++i)
      if (!(noise[i] * kLeastRatio <= signal[i])) return false;
    return true;
  }

  /// Channels of an image lie behind the batch axis, if there is one; those of rows lie last.
  int channel_axis(ValueId value, size_t node, const Layer& layer) const {
    const auto rank_of = [this](ValueId id) {
      return static_cast<int>(graph_.values[static_cast<size_t>(id)].shape.size());
    };
    const std::string_view word = ir::op_short_name(ir::op_name(graph_.nodes[node].op));
    if (!word.starts_with("conv")) return rank_of(value) - 1;
    return rank_of(value) == rank_of(layer.weights.at(0).value) ? 1 : 0;
  }

  void add_observer(size_t node, ValueId value, const Observation& of) {
    if (!is_plain(value)) return;
    insertions_.add({.at = {value, node},
                     .priority = kQuantiserPriority,
                     .algorithm = "quantisation",
                     .slot = "quantiser",
                     .key = words(of),
                     .build = [of](passes::Rewriter& rewriter, ValueId id) {
                       return emit_observer(rewriter, id, of);
                     }});
  }

  void add_half(size_t node, ValueId value) {
    if (!is_plain(value)) return;
    constexpr double kBeyondHalf = 65520;  // from here on, the nearest half float is infinity
    for (const double element : elements_of(value))
      if (std::isfinite(element) && std::abs(element) >= kBeyondHalf)
        return void(too_large_.emplace(value, node));
    insertions_.add({.at = {value, node},
                     .priority = kQuantiserPriority,
                     .algorithm = "quantisation",
                     .slot = "quantiser",
                     .key = "floats of 16 bits",
                     .build = [](passes::Rewriter& rewriter, ValueId id) {
                       return rewriter.cast(rewriter.cast(id, ir::DType::f16), ir::DType::f32);
                     }});
  }

  /// False for constant expressions: the model itself quantised them, and they are left unchanged.
  bool is_plain(ValueId value) const {
    const auto at = static_cast<size_t>(value);
    return graph_.values[at].dtype == ir::DType::f32 && !graph_.values[at].quant &&
           (!known_[at] || constants_[at] >= 0);
  }

  Insertions& insertions_;
  const ir::Graph& graph_;
  const Settings& settings_;
  std::vector<bool> known_;
  std::vector<bool> is_rounded_;  ///< by the model itself
  std::vector<int> constants_;
  std::map<ValueId, size_t> too_large_;  ///< for f16, with the first reader
};

}  // namespace

void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                    const Report& report) {
  Adding adding(insertions, graph, settings);
  adding.run();
  adding.report_too_large(report);
}

}  // namespace t2n::compress

bool t2n::passes::insert_observers(ir::Graph& graph, const PassContext& context) {
  if (context.settings == nullptr) return false;
  compress::Insertions insertions;
  compress::add_quantisers(insertions, graph, *context.settings, context.report);
  return insertions.commit(graph);
}
