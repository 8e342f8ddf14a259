#include "src/export/stream.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "src/diag/error.h"
#include "src/export/graph_f64_distance.h"
#include "src/export/replay.h"
#include "src/export/torch_module.h"
#include "src/spec/dialect.h"

namespace t2n {
namespace {

ir::Tensor first_of(const ir::Tensor& tensor, size_t axis, int64_t count) {
  ir::Tensor out = tensor;
  out.shape[axis] = std::min(count, tensor.shape[axis]);
  return ir::contiguous(out);
}

class PulseCheck {
 public:
  PulseCheck(TracedModel& model, const std::vector<std::string>& names, const CheckOptions& options,
             check::Runner& runner, const Takes& takes, const target::Stream& stream,
             const StreamProperties& properties, CheckResult& result)
      : model_(model),
        names_(names),
        options_(options),
        runner_(runner),
        takes_(takes),
        stream_(stream),
        symbol_(stream.symbol),
        multiple_(properties.multiple),
        least_(properties.least),
        result_(result) {}

  void run() {
    for (const int64_t pulse : sizes()) check(pulse);
  }

 private:
  /// The declared size, one that is not its multiple, and a smaller one.
  std::vector<int64_t> sizes() const {
    constexpr int64_t kUsual = 8;
    const int64_t usual = (std::max(kUsual, least_) + multiple_ - 1) / multiple_ * multiple_;
    const int64_t declared = stream_.pulse > 0 ? stream_.pulse : usual;
    std::vector<int64_t> out = {declared, declared + multiple_};
    const int64_t half = declared / 2 / multiple_ * multiple_;
    out.push_back(half >= std::max<int64_t>(least_, 1) ? half : declared + 2 * multiple_);
    return out;
  }

  /// Torch on the whole input, which is longer than the pieces that are fed; nothing if it, or the
  /// artefact, refuses the length.
  struct Whole {
    std::vector<trace::SampleInput> inputs;
    std::vector<ir::Tensor> expected;
    dynamic::Sizes sizes;
  };
  std::optional<Whole> whole(int64_t length, uint64_t seed) {
    Whole out;
    out.sizes = model_.dynamic->chooser.sample();
    out.sizes[symbol_] = length;
    const std::vector<Sample> samples =
        samples_at(model_.samples, model_.inputs, model_.dynamic->inputs, out.sizes);
    out.inputs = fill(samples, seed);
    try {
      std::vector<ir::Ints> shapes;
      const std::vector<ir::Tensor> tensors = graph_inputs(out.inputs, model_);
      for (const size_t place : takes_.places) shapes.push_back(tensors[place].shape);
      spec::bind_sizes(takes_.rules, shapes);
      out.expected = model_.is_compressed
                         ? in_compressed(model_, out.inputs, out.sizes)
                         : torch_module().run_in(*model_.session, out.inputs, result_.executor);
    } catch (const Error& error) {
      const std::string& id = error.diagnostic().id;
      if (id != "forward-failed" && id != "input-sizes") throw;
      return {};
    }
    return out;
  }

  void check(int64_t pulse) {
    const auto info = runner_.pulse({stream_.symbol, pulse});
    if (!info)
      throw Error("engine-not-found", cat(runner_.name(), " takes no input in pieces"),
                  "only tract runs a model in pulses", "install tract, or leave --stream out");
    if (result_.pulses.empty()) result_.delays = info->delays;
    // Longer until every output gives enough. Only the first part of a longer input is fed: a model
    // may treat the end of its input specially, and no piece is the end.
    constexpr int64_t kPieces[] = {6, 12, 25, 50, 100, 400, 1600};
    constexpr int64_t kMargin = 64;
    const int64_t margin = (kMargin + multiple_ - 1) / multiple_ * multiple_;
    for (const int64_t pieces : kPieces)
      for (const int64_t rest : {margin, margin + multiple_})
        if (auto input = whole(pieces * pulse + rest, static_cast<uint64_t>(pulse)))
          if (compare(*info, *std::move(input), pieces, pulse)) return;
    throw Error("inconclusive-check", cat("nothing was compared in pulses of ", pulse),
                "torch refused all long inputs that were tried, or nothing came out of the engine",
                "give a sample of --input that is several pulses long");
  }

  /// False if an output gave too few entries to judge.
  bool compare(const check::InPulses& info, Whole input, int64_t pieces, int64_t pulse) {
    std::vector<ir::Tensor> tensors = graph_inputs(input.inputs, model_);
    for (size_t i = 0; i < tensors.size() && i < info.input_axes.size(); ++i)
      if (info.input_axes[i] >= 0) {
        const auto axis = static_cast<size_t>(info.input_axes[i]);
        const int64_t length = input.sizes.at(symbol_);
        tensors[i] = first_of(tensors[i], axis, tensors[i].shape[axis] / length * pieces * pulse);
      }
    std::vector<ir::Tensor> actual = runner_.run_in_pulses(tensors);
    if (actual.size() != input.expected.size() || actual.size() != info.axes.size())
      throw Error("engine-failed", cat("the engine gave ", actual.size(),
                                       " outputs, the model has ", input.expected.size()));
    InputSets sets;
    InputSet set{.name = "", .inputs = input.inputs, .expected = {}, .sizes = input.sizes};
    for (size_t i = 0; i < actual.size(); ++i) {
      ir::Tensor& seen = actual[i];
      ir::Tensor wanted = ir::as_pairs(input.expected[i]);
      const auto axis = static_cast<size_t>(info.axes[i]);
      if (info.axes[i] >= 0 && axis < seen.shape.size() &&
          seen.shape.size() == wanted.shape.size()) {
        constexpr int64_t kLeast = 3;
        const int64_t count = std::min(seen.shape[axis], wanted.shape[axis]);
        if (count < kLeast || count < info.delays[i]) return false;
        wanted = first_of(wanted, axis, count);
        seen = first_of(seen, axis, count);
      }
      set.compared.push_back(wanted.shape);
      set.expected.push_back(std::move(wanted));
    }
    sets.sets.push_back(std::move(set));
    sets.reference = result_.reference;
    require_fresh(tensors, actual, info, pulse);
    Replay played(runner_.name(), {actual});
    CheckResult found = check_on(sets, model_, names_, options_, played, spec::Dialect::tract);
    for (check::OutputRow& row : found.rows)
      row.where = cat("in pulses of ", pulse, ", ", dynamic::sizes_str(input.sizes));
    merge_rows(result_, found);
    result_.pulses.push_back(pulse);
    return true;
  }

  /// A second stream must not continue where the first one ended.
  void require_fresh(const std::vector<ir::Tensor>& tensors, const std::vector<ir::Tensor>& first,
                     const check::InPulses& info, int64_t pulse) {
    const std::vector<ir::Tensor> again = runner_.run_in_pulses(tensors);
    for (size_t i = 0; i < first.size(); ++i) {
      ir::Tensor second = again.at(i);
      if (info.axes[i] >= 0)
        second = first_of(second, static_cast<size_t>(info.axes[i]),
                          first[i].shape[static_cast<size_t>(info.axes[i])]);
      if (check::compare(first[i], second, {check::Level::exact, {}}).verdict ==
          check::Verdict::differs)
        throw Error("output-mismatch", cat("a new state does not begin anew, in pulses of ", pulse),
                    "a second stream gave other values than the first on the same input");
    }
  }

  TracedModel& model_;
  const std::vector<std::string>& names_;
  const CheckOptions& options_;
  check::Runner& runner_;
  const Takes& takes_;
  const target::Stream& stream_;
  ir::Symbol symbol_;
  int64_t multiple_;
  int64_t least_;
  CheckResult& result_;
};

/// A property that is a number; a default if the document has none. Errors: `nnef-invalid`.
int64_t number_property(const nnef::Document& document, std::string_view name, int64_t least) {
  const auto text = spec::property(document, name);
  if (!text) return least;
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
  if (error != std::errc() || end != text->data() + text->size() || out < least)
    throw Error("nnef-invalid", cat("the property ", quoted(name), " is ", quoted(*text),
                                    ", not a number from ", least, " on"));
  return out;
}

}  // namespace

void require_stream(const target::Target& target, const DynamicOptions& dynamic) {
  if (!target::streams(target)) return;
  const std::string& symbol = target.stream.symbol;
  if (target.engine != target::Engine::tract || !target::has(target, target::Feature::pulses))
    throw Error("usage", cat("--stream is not for ", target::target_name(target)),
                cat("what runs in pulses was measured with tract ",
                    target::version_str(target::feature_row(target::Feature::pulses).since)),
                "add --target tract");
  const ir::Symbol length(symbol);
  bool is_declared = false;
  std::set<std::string> inputs;
  for (const dynamic::AxisSpec& axis : dynamic.axes) {
    if (!axis.size.mentions(length)) continue;
    is_declared = true;
    if (!inputs.insert(axis.input).second)
      throw Error("usage",
                  cat("--stream ", symbol, ": ", quoted(axis.input), " has two axes of this size"),
                  "an input streams along one axis", "declare one of them only");
    const ir::Dim none = axis.size.substitute(ir::Sizes{{length, 0}});
    if (!none.is_constant() || none.value() != 0)
      throw Error("usage",
                  cat("--stream ", symbol, ": ", quoted(axis.text), " is no multiple of it"),
                  "pieces are all of one size", cat("declare it as 2*", symbol, " or the like"));
  }
  if (!is_declared)
    throw Error("usage", cat("--stream ", symbol, ": no axis is called so"),
                "the input streams along an axis of any size",
                cat("declare it: --dynamic x:1=", symbol));
}

StreamProperties stream_properties(const nnef::Document& document) {
  return {.symbol = spec::property(document, spec::kStreamSymbol).value_or(""),
          .multiple = number_property(document, spec::kPulseMultiple, 1),
          .least = number_property(document, spec::kPulseLeast, 0)};
}

void check_in_pulses(TracedModel& model, const std::vector<std::string>& names,
                     const CheckOptions& options, check::Runner& runner, const Takes& takes,
                     const target::Stream& stream, const StreamProperties& properties,
                     CheckResult& result) {
  T2N_ASSERT(model.dynamic, "a model that streams has open sizes");
  PulseCheck(model, names, options, runner, takes, stream, properties, result).run();
}

}  // namespace t2n
