// The pass `insert-observers`.
#include "src/compress/quantisers.h"

#include <algorithm>
#include <cmath>

#include "ir/print.h"
#include "src/compress/elements.h"
#include "src/compress/existing_qparams.h"
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
std::string quantiser_text(const Observation& of) {
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

/// Why a weight is in floats of 32 bits still.
struct Unfit {
  size_t reader = 0;  ///< the first operation that reads it
  std::string why;
};

constexpr std::string_view kTooSmall = "its numbers are too small for what they would be stored as";

/// What decides whether a weight can be stored smaller.
struct ConstraintSet {
  bool is_finite = true;
  double largest = 0;  ///< magnitude
  double signal = 0;   ///< sum of squares
  double noise = 0;    ///< the same of what rounding to 16 bits does
};

std::string unfit_for_half(const ConstraintSet& facts) {
  constexpr double kBeyondHalf = 65520;  // from here on, the nearest is infinity
  if (facts.largest >= kBeyondHalf) return "it holds numbers beyond 65504, the largest in 16 bits";
  constexpr double kMostLost = 0.5;  // of the power
  return facts.noise > kMostLost * facts.signal ? std::string(kTooSmall) : "";
}

ConstraintSet facts_of(const ir::Tensor& data) {
  ConstraintSet out;
  if (!passes::is_loaded(data)) return out;
  for_each_part(data, [&](size_t, std::span<const double> elements) {
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

/// Whether scales of channels would be a large part of the stored bytes, and one scale for all is
/// almost as good.
bool shares_scale(const ir::Tensor& data, size_t axis, const Grid& grid) {
  if (!passes::is_loaded(data) || data.elements() == 0) return false;
  constexpr int64_t kFile = 128;  // what a file of scales begins with
  constexpr int64_t kShare = 20;
  const int64_t channels = data.shape.at(axis);
  if (kShare * (kFile + 4 * channels) < data.elements()) return false;
  Range range = {INFINITY, -INFINITY};
  for_each_part(data, [&](size_t, std::span<const double> values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range = {std::min(range.low, *low), std::max(range.high, *high)};
  });
  const Scale scale = scale_for(range, grid);
  size_t inner = 1;
  for (size_t i = axis + 1; i < data.shape.size(); ++i) inner *= static_cast<size_t>(data.shape[i]);
  std::vector<double> signal(static_cast<size_t>(channels));
  std::vector<double> noise(signal.size());
  for_each_part(data, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = rounded(values[i], scale, grid) - values[i];
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

std::string unfit_for_integers(const ir::Tensor& weight, const ConstraintSet& facts,
                               std::optional<int> axis, const Grid& grid) {
  // All of its numbers are less than the least step there is.
  if (facts.largest > 0 && facts.largest < kLeastScale * static_cast<double>(highest(grid)))
    return std::string(kTooSmall);
  const bool is_free = grid.is_per_channel && grid.may_share_scale && passes::is_loaded(weight);
  if (!is_free || !axis || shares_scale(weight, static_cast<size_t>(*axis), grid)) return "";
  constexpr int64_t kFloat = 4;
  const int64_t channels = weight.shape.at(static_cast<size_t>(*axis));
  return weight.elements() + kFloat * channels < kFloat * weight.elements()
             ? ""
             : "scales of its channels would take more than its integers save";
}

class AddingQuantisers {
 public:
  AddingQuantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings)
      : insertions_(insertions),
        graph_(graph),
        settings_(settings),
        known_(known_values(graph)),
        own_(graph),
        constants_(ir::constant_index(graph)) {}

  void run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      if (const auto layer = layer_of(graph_, graph_.nodes[i], known_))
        add(i, *layer, settings_.of(graph_, graph_.nodes[i]));
  }

  /// Says which weights stay in floats of 32 bits, as they would be infinite, or nothing, else.
  void report_unfit(const Report& report) const {
    if (!report || unfit_.empty()) return;
    Diagnostic out;
    out.severity = Severity::warning;
    out.id = "weight-not-packed";
    for (const auto& [value, unfit] : unfit_) {
      const std::string module = ir::module_path(graph_, graph_.nodes[unfit.reader].scope);
      out.details.push_back(cat(graph_.values[static_cast<size_t>(value)].name,
                                module.empty() ? "" : cat(", of ", quoted(module)), ": ",
                                unfit.why));
    }
    out.message = cat(unfit_.size(), unfit_.size() == 1 ? " weight stays" : " weights stay",
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
        if (!own_.is_within(value, settings.activations->bits))
          add_observer(node, value, {.grid = *settings.activations, .axis = axis});
      }
    if (settings.bias && layer.bias != ir::kNoValue)
      add_observer(node, layer.bias, {.grid = *settings.bias});
  }

  void add_weight(size_t node, const Weight& weight, const WeightSettings& settings) {
    if (own_.weight_bits(weight.value) > 0) return;
    if (settings.format == Format::q4_0) return;
    const ir::Tensor* data = stored(weight.value);
    if (data != nullptr) {
      if (settings.format == Format::integers) require_finite(node, weight.value, *data);
      if (const std::string why = unfit_reason(*data, weight.channel_axis, settings); !why.empty())
        return void(unfit_.emplace(weight.value, Unfit{node, why}));
    }
    if (settings.format == Format::f16) return add_half(node, weight.value);
    Observation of = {.grid = settings.grid};
    if (settings.grid.is_per_channel) of.axis = weight.channel_axis;
    if (of.axis && settings.grid.may_share_scale && data != nullptr &&
        shares_scale(*data, static_cast<size_t>(*of.axis), of.grid))
      of.axis = std::nullopt;
    of.least_squares = settings.rounding == Rounding::least_squares;
    add_observer(node, weight.value, of);
  }

  /// A constant of floats of 32 bits, or nullptr.
  const ir::Tensor* stored(ValueId value) const {
    const int index = constants_[static_cast<size_t>(value)];
    if (index < 0 || !is_plain(value)) return nullptr;
    return &graph_.constants[static_cast<size_t>(index)].data;
  }

  /// No integer stands for NaN or infinities.
  void require_finite(size_t node, ValueId value, const ir::Tensor& data) const {
    if (facts_of(data).is_finite) return;
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

  /// Channels of an image lie behind the batch axis, if there is one; those of rows lie last.
  int channel_axis(ValueId value, size_t node, const Layer& layer) const {
    const auto rank_of = [this](ValueId id) {
      return static_cast<int>(graph_.values[static_cast<size_t>(id)].shape.size());
    };
    const std::string_view name = ir::op_short_name(ir::op_name(graph_.nodes[node].op));
    if (!name.starts_with("conv")) return rank_of(value) - 1;
    return rank_of(value) == rank_of(layer.weights.at(0).value) ? 1 : 0;
  }

  void add_observer(size_t node, ValueId value, const Observation& of) {
    if (!is_plain(value)) return;
    insertions_.add({.at = {value, node},
                     .priority = kQuantiserPriority,
                     .algorithm = "quantisation",
                     .slot = "quantiser",
                     .key = quantiser_text(of),
                     .build = [of](passes::Rewriter& rewriter, ValueId id) {
                       return emit_observer(rewriter, id, of);
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
  ExistingQParams own_;
  std::vector<int> constants_;
  std::map<ValueId, Unfit> unfit_;
};

}  // namespace

std::string unfit_reason(const ir::Tensor& weight, std::optional<int> axis,
                         const WeightSettings& settings) {
  if (settings.format == Format::q4_0) return "";
  const ConstraintSet facts = facts_of(weight);
  if (settings.format == Format::f16) return unfit_for_half(facts);
  return unfit_for_integers(weight, facts, axis, settings.grid);
}

void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                    const Report& report) {
  AddingQuantisers adding(insertions, graph, settings);
  adding.run();
  adding.report_unfit(report);
}

}  // namespace t2n::compress

bool t2n::passes::insert_observers(ir::Graph& graph, const PassContext& context) {
  if (context.settings == nullptr) return false;
  compress::Insertions insertions;
  compress::add_quantisers(insertions, graph, *context.settings, context.report);
  return insertions.commit(graph);
}
