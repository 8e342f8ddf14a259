// SPDX-License-Identifier: Apache-2.0
#include "tests/lies/jury.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ir/cast.h"
#include "nnef_writer/archive.h"
#include "src/check/compare.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/samples/samples_at.h"
#include "src/samples/variations.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

/// Fewer say too little.
constexpr size_t kLeastCases = 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ir::Tensor widened(const ir::Tensor& tensor) {
  if (tensor.dtype != ir::DType::f32) return tensor;
  return ir::tensor_of(ir::DType::f64, tensor.shape, ir::to_f64(tensor));
}

nnef::Value cast(nnef::Value value, const char* dtype) {
  return nnef::invocation("tract_core_cast", {{"", std::move(value)}, {"to", nnef::string(dtype)}});
}

/// The reference interpreter, as tract, has no f64 of these.
bool is_narrow(const nnef::Value& value) {
  constexpr std::array<std::string_view, 7> kEnds = {"_erf",        "_round_even",  "_hard_swish",
                                                     "_silu",       "_gelu_approx", "_grid_sample",
                                                     "_core_resize"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return value.text.ends_with(end); }) &&
         value.text.starts_with("tract_");
}

/// Changes where a dtype is named, numbers between which a selection chooses, which are f32, and
/// what has to stay f32: rounding before a call is the same in two files that are the same.
void widen(nnef::Value& value) {
  if (value.kind == nnef::Kind::string && value.text == "f32") value.text = "f64";
  for (nnef::Value& item : value.items) widen(item);
  for (nnef::Argument& argument : value.arguments) widen(argument.value);
  if (value.kind != nnef::Kind::invocation) return;
  if (value.text == "select")
    for (nnef::Argument& argument : value.arguments)
      if (argument.value.kind == nnef::Kind::scalar) argument.value = cast(argument.value, "f64");
  if (is_narrow(value)) {
    for (nnef::Argument& argument : value.arguments)
      if (argument.name.empty()) argument.value = cast(argument.value, "f32");
    value = cast(value, "f64");
  }
  if (value.text == "external" && value.type != "integer" && value.type != "logical") {
    value.text = "tract_core_external";
    value.type.clear();
    value.arguments.push_back({"datum_type", nnef::string("f64")});
  }
}

std::vector<ir::Tensor> widened(const std::vector<ir::Tensor>& tensors) {
  std::vector<ir::Tensor> out;
  for (const ir::Tensor& tensor : tensors) out.push_back(widened(tensor));
  return out;
}

/// The same computation in f64.
nnef::Document widened(const nnef::Document& document) {
  nnef::Document out = document;
  for (nnef::Assignment& each : out.graph.body) widen(each.right);
  for (nnef::Fragment& fragment : out.fragments)
    for (nnef::Assignment& each : fragment.body) widen(each.right);
  for (nnef::Blob& blob : out.blobs) {
    if (blob.dtype != ir::DType::f32) continue;
    blob.dtype = ir::DType::f64;
    for (ir::Tensor& part : blob.parts) part = widened(part);
  }
  return out;
}

void load(check::Runner& runner, const nnef::Document& document) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact =
      nnef::write_artefact(document, {folder.path() / "model", nnef::Destination::Form::folder, 0});
  runner.load(artefact.path().string());
}

std::unique_ptr<check::Runner> wide_runner(const nnef::Document& document) {
  auto out = check::reference_runner(interp_module(), spec::Dialect::tract);
  load(*out, widened(document));
  return out;
}

bool are_finite_alike(const ir::Tensor& right, const ir::Tensor& wrong) {
  const std::vector<double> a = ir::to_f64(right);
  const std::vector<double> b = ir::to_f64(wrong);
  for (size_t i = 0; i < a.size(); ++i)
    if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
      if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

/// Whether f64 gives what torch does: it is a measure then.
bool is_measure(const std::vector<ir::Tensor>& right, const std::vector<ir::Tensor>& torch) {
  if (right.size() != torch.size()) return false;
  for (size_t i = 0; i < right.size(); ++i) {
    const ir::Tensor here = ir::as_pairs(torch[i]);
    if (here.shape != right[i].shape || ir::is_float(here.dtype) != ir::is_float(right[i].dtype))
      return false;
    const ir::Tensor narrow = ir::is_float(here.dtype)
                                  ? ir::tensor_of(here.dtype, here.shape, ir::to_f64(right[i]))
                                  : right[i];
    if (check::compare(here, narrow, {}).verdict == check::Verdict::differs) return false;
  }
  return true;
}

/// Of one output: the distance of the wrong file from the right one beside torch's, or beside one
/// rounding where torch's is smaller.
double ratio(const ir::Tensor& right, const ir::Tensor& torch, const ir::Tensor& wrong) {
  if (!ir::is_float(right.dtype))
    return right.shape == wrong.shape && ir::same_values(right, wrong) ? 0 : kInfinity;
  if (right.shape != wrong.shape || !are_finite_alike(right, wrong)) return kInfinity;
  const auto measured = check::measure(right, torch, wrong);
  if (!measured) return right.elements() == 0 || ir::same_values(right, wrong) ? 0 : kInfinity;
  constexpr double kRounding = 0x1.0p-24;
  const std::vector<double> values = ir::to_f64(right);
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double rms = std::max(measured->torch_rms, kRounding * measured->scale_rms);
  const double most = std::max(measured->torch_max, kRounding * largest);
  const double by_rms = measured->result_rms > 0 ? measured->result_rms / rms : 0;
  const double by_most = measured->result_max > 0 ? measured->result_max / most : 0;
  return std::max(by_rms, by_most);
}

}  // namespace

Jury::Jury(const SourceModel& model, const nnef::Document& right, const InputSets& sets,
           check::Runner& engine)
    : model_(model), right_(right), sets_(sets), engine_(engine) {}

void Jury::hear(std::vector<trace::SampleInput> inputs, std::vector<ir::Tensor> torch) {
  Case out;
  out.inputs = graph_inputs(inputs, model_);
  out.torch = std::move(torch);
  cases_.push_back(std::move(out));
}

/// Calls `hear` with what torch takes; the others are no inputs for the model.
void Jury::try_to_hear(std::vector<trace::SampleInput> inputs) {
  try {
    auto torch = torch_module().run_in(*model_.session, inputs, trace::Executor::ours);
    hear(std::move(inputs), std::move(torch));
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
  }
}

void Jury::hear_strange_ones() {
  struct Row {
    Change change;
    uint64_t seed;
    double factor;
  };
  constexpr std::array<Row, 24> kRows = {
      {{Change::redraw, 101, 1},   {Change::redraw, 102, 1},   {Change::redraw, 103, 1},
       {Change::redraw, 104, 1},   {Change::scale, 105, 1e-4}, {Change::scale, 106, 1e-3},
       {Change::scale, 107, 0.03}, {Change::scale, 108, 0.3},  {Change::scale, 109, 3},
       {Change::scale, 110, 30},   {Change::scale, 111, 1e3},  {Change::scale, 112, -0.1},
       {Change::scale, 113, -10},  {Change::simple, 114, 1},   {Change::simple, 115, 1},
       {Change::cross, 116, 1},    {Change::cross, 117, 1},    {Change::cross, 118, 1},
       {Change::integers, 119, 1}, {Change::integers, 120, 1}, {Change::sweep, 2, 1},
       {Change::sweep, 5, 1},      {Change::sweep, 8, 1},      {Change::from_end, 0, 1}}};
  std::vector<Sample> samples = model_.samples;
  for (size_t i = 0; i < model_.inputs.size() && i < model_.traced.ranges.size(); ++i)
    for (Sample& sample : samples)
      if (!sample.range && is_sample_of(sample.input, model_.inputs[i], i))
        sample.range = model_.traced.ranges[i];
  for (const Row& row : kRows)
    try_to_hear(varied(samples, {.change = row.change,
                                 .seed = row.seed,
                                 .thresholds = thresholds_of(model_.graph),
                                 .factor = row.factor,
                                 .parts = 11}));
  // Each input alone nothing but zeros, or ones, then all of them: masks that hide everything.
  for (size_t at = 0; at <= samples.size(); ++at)
    for (const double number : {0.0, 1.0}) {
      std::vector<trace::SampleInput> inputs = fill(samples, 0);
      for (size_t i = 0; i < inputs.size(); ++i)
        if (auto* tensor = std::get_if<ir::Tensor>(&inputs[i].value);
            tensor != nullptr && (i == at || at == samples.size()) &&
            !ir::is_complex(tensor->dtype))
          *tensor =
              ir::tensor_of(tensor->dtype, tensor->shape,
                            std::vector<double>(static_cast<size_t>(tensor->elements()), number));
      try_to_hear(std::move(inputs));
    }
}

void Jury::begin() {
  has_begun_ = true;
  hear_strange_ones();
  for (const InputSet& set : sets_.sets) hear(set.inputs, set.expected);
  const auto runner = wide_runner(right_);
  load(engine_, right_);
  std::vector<Case> heard;
  for (Case& each : cases_) try {
      each.in_engine = engine_.run(each.inputs);
      heard.push_back(std::move(each));
    } catch (const Error&) {  // sizes that the file leaves out
      continue;
    }
  cases_ = std::move(heard);
  for (Case& each : cases_) try {
      each.right = runner->run(widened(each.inputs));
      if (!is_measure(each.right, each.torch)) each.right.clear();
    } catch (const Error&) {  // what the interpreter has not in f64
      continue;
    }
}

double Jury::in_f64(const nnef::Document& wrong, const std::vector<size_t>& other) {
  const auto runner = wide_runner(wrong);
  double out = 0;
  size_t count = 0;
  for (size_t at = 0; at < cases_.size(); ++at) {
    const Case& each = cases_[at];
    if (each.right.empty()) {
      if (std::find(other.begin(), other.end(), at) != other.end()) return kInfinity;
      continue;
    }
    ++count;
    const std::vector<ir::Tensor> results = runner->run(widened(each.inputs));
    if (results.size() != each.right.size()) return kInfinity;
    for (size_t i = 0; i < results.size(); ++i)
      out = std::max(out, ratio(each.right[i], each.torch[i], results[i]));
  }
  return count < kLeastCases ? kInfinity : out;
}

std::vector<size_t> Jury::other_in_engine(const nnef::Document& wrong) {
  load(engine_, wrong);
  std::vector<size_t> out;
  for (size_t at = 0; at < cases_.size(); ++at) {
    const std::vector<ir::Tensor> results = engine_.run(cases_[at].inputs);
    const std::vector<ir::Tensor>& right = cases_[at].in_engine;
    if (!std::equal(results.begin(), results.end(), right.begin(), right.end(), ir::same_values))
      out.push_back(at);
  }
  return out;
}

double Jury::times_torch(const nnef::Document& wrong) {
  if (!has_begun_) begin();
  if (cases_.size() < kLeastCases) return kInfinity;
  try {
    const std::vector<size_t> other = other_in_engine(wrong);
    return other.empty() ? 0 : in_f64(wrong, other);
  } catch (const Error&) {
    return kInfinity;
  }
}

}  // namespace t2n::test
