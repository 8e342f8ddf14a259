// SPDX-License-Identifier: Apache-2.0
#include "src/check/engine_runs.h"

#include <utility>

#include "src/diag/error.h"

namespace t2n {
namespace {

/// If an engine fails only at other sizes or values, the message names them.
template <typename Step>
void with_set_named(const InputSet& set, const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    const std::string where = where_of(set);
    if (where.empty()) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message += cat(", ", where);
    throw Error(std::move(diagnostic));
  }
}

}  // namespace

void require_count(size_t outputs, size_t expected) {
  if (outputs == expected) return;
  throw Error("engine-failed",
              cat("the engine gave ", outputs, " outputs, the model has ", expected));
}

std::string where_of(const InputSet& set) {
  if (!set.sizes.empty()) return cat("at ", dynamic::sizes_str(set.sizes));
  return set.name.empty() ? "" : cat("with ", set.name);
}

std::vector<ir::Tensor> with_widths(std::vector<ir::Tensor> actual, const InputSet& set,
                                    const Checking& checking) {
  require_count(actual.size(), set.expected.size());
  const bool has_widths =
      checking.dialect == spec::Dialect::tract && !checking.options.tolerance.in_f16;
  for (size_t i = 0; i < actual.size() && !has_widths; ++i)
    actual[i] = as_dtype(actual[i], ir::component_dtype(set.expected[i].dtype)).value_or(actual[i]);
  return actual;
}

void EngineRuns::start(const std::vector<InputSet>& sets, size_t at) {
  finish(sets);
  const InputSet& set = sets[at];
  if (checking_.options.observe) checking_.options.observe(set, nullptr);
  with_set_named(set, [&] {
    checking_.runner.start_run(fed_inputs(set.inputs, checking_.model, checking_.accepted));
  });
  running_ = at;
}

Results EngineRuns::finish_all(const std::vector<InputSet>& sets) {
  finish(sets);
  return std::move(results_);
}

void EngineRuns::finish(const std::vector<InputSet>& sets) {
  if (!running_) return;
  const InputSet& set = sets[*std::exchange(running_, std::nullopt)];
  with_set_named(set,
        [&] { results_.push_back(with_widths(checking_.runner.finish_run(), set, checking_)); });
  if (checking_.options.observe) checking_.options.observe(set, &results_.back());
}

}  // namespace t2n
