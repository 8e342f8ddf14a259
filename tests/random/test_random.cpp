// SPDX-License-Identifier: Apache-2.0
// Random calls of every operator: exported, run in the newest engine, compared with torch; or
// refused.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "ir/op_traits.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/translate/registry.h"
#include "tests/random/draw.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// Cases per operator; more are for hunting: T2NNEF_RANDOM_CASES=100 and RC_PARAMS=seed=7.
int case_count() {
  const char* given = std::getenv("T2NNEF_RANDOM_CASES");
  return given ? std::atoi(given) : 2;
}

/// Draws that torch refuses, as many as it takes to find one that it does not.
constexpr int kAttempts = 40;

Script model_of(const DrawnCall& call) {
  return script("def forward(self$parameters):\n  return $expression\n", call.parameters,
                call.expression);
}

/// Torch refuses the call: its arguments do not fit each other.
bool is_refused_by_torch(const Error& error) {
  const std::string& id = error.diagnostic().id;
  return id == "model-corrupt" || id == "forward-failed" || id == "data-dependent-value" ||
         id == "unsupported-dtype" || id == "output-unsupported" || id == "unsafe-argument";
}

bool is_refused(const Error& error) {
  const std::string& id = error.diagnostic().id;
  return id == "unsupported-op" || id == "unsupported-argument" || id == "unsupported-dtype";
}

double tolerance_of(const DrawnCall& call, const Run& run) {
  const auto is_half = [](const ir::Tensor& x) { return x.dtype == ir::DType::f16; };
  const bool any = std::any_of(call.inputs.begin(), call.inputs.end(), is_half) ||
                   std::any_of(run.expected.begin(), run.expected.end(), is_half);
  return any ? 2e-2 : 2e-4;
}

/// Next to nothing where torch has exactly nothing.
bool is_negligible(const Run& run) {
  for (size_t i = 0; i < run.expected.size(); ++i) {
    const std::vector<double> a = ir::to_f64(run.expected[i]), b = ir::to_f64(run.actual.at(i));
    if (run.expected[i].shape != run.actual[i].shape ||
        run.expected[i].dtype != run.actual[i].dtype)
      return false;
    for (size_t k = 0; k < a.size(); ++k)
      if (!(std::abs(a[k] - b[k]) < 1e-9)) return false;
  }
  return true;
}

enum class Result { refused_by_torch, refused, right };

/// What is wrong fails the property.
Result try_call(const DrawnCall& call) {
  try {
    const Run run = export_and_run(model_of(call), call.inputs, newest_target());
    const std::string wrong = differences(run, rel(tolerance_of(call, run)));
    if (!wrong.empty() && !is_negligible(run)) RC_FAIL(wrong + run.nnef);
    return Result::right;
  } catch (const Error& error) {
    if (is_refused_by_torch(error)) return Result::refused_by_torch;
    if (is_refused(error)) return Result::refused;
    RC_FAIL(render_text(error.diagnostic()));
  }
}

struct Tally {
  int tried = 0;
  int right = 0;
};

/// Torch checks few of the arguments of its internal operators, and crashes on wrong ones; which of
/// equal indices max_unpool takes, and of equal entries topk and kthvalue, is open.
bool is_ill_defined(const std::string& op) {
  return op.starts_with("aten::_") || op.starts_with("aten::max_unpool") || op == "aten::topk" ||
         op == "aten::kthvalue";
}

/// Whether the operator gives tensors, is not random, and leaves no memory as it was.
bool is_tested(const std::string& op, const ir::Schema& schema) {
  const bool gives_tensors = schema.text.find("-> Tensor") != std::string::npos ||
                             schema.text.find("-> (Tensor") != std::string::npos;
  return gives_tensors && op.find("empty") == std::string::npos && !is_ill_defined(op) &&
         !ir::is_random(ir::op_id(op)) && !ops::registry().find(ir::op_id(op))->refusal;
}

void check_operator(const std::string& op, const ir::Schema& schema, Tally& tally) {
  bool is_right = false;
  const bool ok = rc::check(op, [&] {
    for (int i = 0; i < kAttempts; ++i) {
      const DrawnCall call = *rc::gen::exec([&] { return draw_call(op, schema); });
      const Result result = try_call(call);
      is_right |= result == Result::right;
      if (result != Result::refused_by_torch) return;
    }
  });
  CAPTURE(op);
  CHECK(ok);
  ++tally.tried;
  tally.right += is_right ? 1 : 0;
}

}  // namespace

TEST_CASE("random calls of every operator") {
  const std::string parameters = cat("max_success=", case_count(), " ",
                                     std::getenv("RC_PARAMS") ? std::getenv("RC_PARAMS") : "");
  setenv("RC_PARAMS", parameters.c_str(), 1);
  const char* only = std::getenv("T2NNEF_RANDOM_ONLY");
  Tally tally;
  for (const ir::OpId id : ops::registry().ops()) {
    const std::string op(ir::op_name(id));
    if (only && op.find(only) == std::string::npos) continue;
    const auto schema = torch_module().find_schema(op);
    if (schema && is_tested(op, *schema)) check_operator(op, *schema, tally);
  }
  // As many as were understood well enough to be called when this was last looked at.
  constexpr int kRight = 460;
  if (!only) CHECK_GE(tally.right, kRight);
  MESSAGE(tally.right, " of ", tally.tried, " operators were called rightly");
}

}  // namespace t2n::test
