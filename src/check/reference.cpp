// SPDX-License-Identifier: Apache-2.0
#include "src/check/reference.h"

#include <algorithm>
#include <cmath>

#include "ir/op_traits.h"
#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/extend/own_fragments.h"
#include "src/model/torch_module.h"

namespace t2n {
namespace {

using Outputs = std::vector<ir::Tensor>;
using trace::Executor;

/// Equal bit for bit, except for the bits of a NaN.
bool is_same(const ir::Tensor& a, const ir::Tensor& b) {
  if (ir::same_values(a, b)) return true;
  if (a.dtype != b.dtype || a.shape != b.shape || !ir::is_float(a.dtype)) return false;
  const std::vector<double> left = ir::to_f64(a);
  const std::vector<double> right = ir::to_f64(b);
  return std::equal(left.begin(), left.end(), right.begin(), [](double x, double y) {
    return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
  });
}

bool are_same(const Outputs& a, const Outputs& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), is_same);
}

/// Whether an argument makes an operation random: training, or a dropout probability.
bool trains(const ir::Argument& argument) {
  const bool* flag = std::get_if<bool>(&argument.value);
  const double* share = std::get_if<double>(&argument.value);
  return (flag != nullptr && *flag && argument.name.starts_with("train")) ||
         (share != nullptr && *share != 0 && argument.name == "dropout_p");
}

/// Whether two runs of the model may differ, because of random numbers or uninitialised memory.
bool is_nondeterministic(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    return ir::is_unpredictable(node.op) ||
           std::any_of(node.args.begin(), node.args.end(), trains) ||
           (node.body && is_nondeterministic(*node.body));
  });
}

constexpr check::Tolerance kExact{check::Level::exact, {}};

std::string difference_text(const std::string& name, const ir::Tensor& expected,
                            const ir::Tensor& actual) {
  return check::mismatch_text(name, check::compare(expected, actual, kExact));
}

[[noreturn]] void refuse_trace(trace::Session& session,
                               const std::vector<trace::SampleInput>& inputs,
                               const trace::Traced& traced, const Outputs& expected) {
  const Outputs& ours = traced.outputs;
  Diagnostic diagnostic{
      .id = "trace-differs",
      .message = "t2nnef's own run of the model differs from LibTorch's: ",
      .help = "please report it with the model: t2nnef's results for it are not reliable"};
  if (ours.size() != expected.size())
    diagnostic.message += cat(ours.size(), " outputs, expected ", expected.size());
  for (size_t i = 0; ours.size() == expected.size() && i < ours.size(); ++i) {
    if (is_same(ours[i], expected[i])) continue;
    diagnostic.message += difference_text(traced.graph.output_names[i], expected[i], ours[i]);
    break;
  }
  const bool halves = has_halves(traced.graph);
  const trace::FirstDifference first = torch_module().first_difference(
      session, inputs, Executor::torch_unfused, halves ? Executor::ours_native : Executor::ours);
  if (!first.op.empty()) {
    diagnostic.where.push_back(first.where);
    diagnostic.why =
        cat("the first operator with a different result in LibTorch is ", quoted(first.op));
  } else {
    diagnostic.why =
        "LibTorch runs all operators of t2nnef's run with the same results, but also others";
  }
  throw Error(std::move(diagnostic));
}

}  // namespace

bool has_halves(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(), [](const ir::Value& value) {
    return value.dtype == ir::DType::f16 || value.dtype == ir::DType::bf16;
  });
}

Agreement agree_with_torch(trace::Session& session, const std::vector<trace::SampleInput>& inputs,
                           const trace::Traced& traced) {
  const Outputs& ours = traced.outputs;
  const auto run = [&](Executor executor) {
    return torch_module().run_in(session, inputs, executor);
  };
  Agreement out;
  try {
    out.expected = run(Executor::torch);
  } catch (const Error& error) {
    if (error.diagnostic().id != "unsupported-dtype") throw;
    return {ours, Executor::ours,
            "t2nnef's own run in f32 per operator, as LibTorch lacks kernels for 16-bit floats"};
  }
  const std::vector<std::string> unproven = extend::unproven_in(traced.graph);
  out.description = cat("LibTorch's executor",
                        unproven.empty() ? "" : ", in which a fragment is its own reference for ",
                        joined(unproven, ", "), "; t2nnef's own run gives the same");
  const auto agreed = [&](const char* how) {
    out.description += how;
    return std::move(out);
  };
  if (are_same(ours, out.expected)) return agreed(", bit for bit");
  const Outputs unfused = run(Executor::torch_unfused);
  if (are_same(ours, unfused)) {
    if (is_nondeterministic(traced.graph)) out.expected = unfused;
    return agreed(" without torch's fused attention, bit for bit");
  }
  if (has_halves(traced.graph)) {
    const Outputs native = run(Executor::ours_native);
    if (are_same(native, out.expected) || are_same(native, unfused))
      return agreed(" with torch's kernels for 16-bit floats, bit for bit");
  }
  if (is_nondeterministic(traced.graph))
    return {ours, Executor::ours, "t2nnef's own run, as the model is not deterministic"};
  refuse_trace(session, inputs, traced, unfused);
}

}  // namespace t2n
