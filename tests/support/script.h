// SPDX-License-Identifier: Apache-2.0
// Operator tests in three lines: inline TorchScript, exported, run in the real engine, compared.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"
#include "src/check/compare.h"
#include "src/target/target.h"
#include "tests/support/coverage.h"

namespace t2n::test {

/// A model given as TorchScript source (methods of one module) and its parameters (`self.weight`).
struct Script {
  std::string source;
  std::vector<std::pair<std::string, ir::Tensor>> parameters;
  std::vector<std::string> disabled_passes = {};
  /// Changes the traced graph by hand: to names and arguments that TorchScript replaces or refuses.
  std::function<void(ir::Graph&)> edit = {};
  Script with(std::string name, ir::Tensor value) const;
};

/// Replaces the `$names` in `source` by `values`, in order of first occurrence.
Script script_with(std::string_view source, const std::vector<std::string>& values);
std::string script_value(int value);
std::string script_value(int64_t value);
std::string script_value(double value);
std::string script_value(bool value);         ///< "True" / "False"
std::string script_value(const char* value);  ///< as it is, without quotes
std::string script_value(const std::string& value);
template <typename... Values>
Script script(std::string_view source, const Values&... values) {
  return script_with(source, {script_value(values)...});
}

// Inputs. The same arguments give the same values on every machine.
ir::Tensor randn(const ir::Ints& shape, uint64_t seed, ir::DType dtype = ir::DType::f32);
ir::Tensor uniform(const ir::Ints& shape, double low, double high, uint64_t seed,
                   ir::DType dtype = ir::DType::f32);
ir::Tensor randint(const ir::Ints& shape, int64_t low, int64_t high_exclusive, uint64_t seed,
                   ir::DType dtype = ir::DType::i64);
ir::Tensor values(const ir::Ints& shape, const std::vector<double>& data,
                  ir::DType dtype = ir::DType::f32);

/// What the reference interpreter makes of the same document.
struct ReferenceRun {
  std::vector<ir::Tensor> outputs;
  std::string error;     ///< rendered
  bool is_done = false;  ///< else it was not asked
};

/// What the reference interpreter makes of the example as strict NNEF.
struct StrictRun {
  std::vector<ir::Tensor> outputs;
  std::vector<OperatorUse> uses;
  std::string folder;    ///< where the case stays for NNEF-Tools
  bool is_done = false;  ///< else strict NNEF cannot say it, or nothing is recorded
};

struct Run {
  std::vector<ir::Tensor> expected;  ///< LibTorch's
  std::vector<ir::Tensor> actual;    ///< the engine's
  std::string nnef;                  ///< text of graph.nnef
  std::vector<OperatorUse> uses;     ///< what is recorded once the outputs have been compared
  std::string target;
  ReferenceRun reference = {};
  StrictRun strict = {};
};

/// Traces, verifies, prints and parses the IR, translates, writes, runs in the real engine.
Run export_and_run(const Script& model, const std::vector<ir::Tensor>& inputs,
                   const target::Target& target);
/// Runs a hand-written graph without weights in the real engine.
std::vector<ir::Tensor> run_text(const std::string& graph, const std::vector<ir::Tensor>& inputs,
                                 const target::Target& target);
/// What the engine says of the time that each of its operators takes, as JSON.
std::string engine_profile(const Script& model, const std::vector<ir::Tensor>& inputs,
                           const target::Target& target);
/// Only the text of graph.nnef.
std::string export_text(const Script& model, const std::vector<ir::Tensor>& inputs,
                        const target::Target& target);
/// The rendered diagnostic of an export that must fail; fails the test if it does not.
std::string export_error(const Script& model, const std::vector<ir::Tensor>& inputs,
                         const target::Target& target);

/// The newest and the oldest target whose engine is on this machine; `make matrix` has those in
/// between as well. At least one, else the test fails.
const std::vector<target::Target>& test_targets();
/// The newest only.
const target::Target& newest_target();

/// Tolerance of atol = rtol = `value`.
check::Tolerance rel(double value);
/// The rendered differences, "" if all outputs agree; records which.
std::string differences(const Run& run, const check::Tolerance& tolerance);

}  // namespace t2n::test

/// Fails with the table of differences and the NNEF text.
#define CHECK_CLOSE(run, tolerance)                                          \
  do {                                                                       \
    const auto& t2n_run = (run);                                             \
    INFO(t2n_run.nnef);                                                      \
    CHECK_EQ(::t2n::test::differences(t2n_run, (tolerance)), std::string()); \
  } while (false)
