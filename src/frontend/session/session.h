// SPDX-License-Identifier: Apache-2.0
// A loaded model between runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/frontend/load/loader.h"
#include "src/frontend/state/state.h"
#include "src/model/torch_module.h"

namespace t2n::trace {

class Interpreter;
class ModuleNames;

class Session {
 public:
  /// `load` is called again for runs in LibTorch's executor.
  Session(std::function<Loaded()> load, std::string method);

  ModelInfo describe() const;
  Traced trace(const std::vector<SampleInput>& inputs, const TraceOptions& options);
  /// See TorchModule::survey.
  Survey survey(const std::vector<SampleInput>& inputs, const TraceOptions& options);
  /// See TorchModule::input_ranges.
  std::vector<InputRange> input_ranges(const std::vector<SampleInput>& inputs,
                                       bool explicit_states);
  std::vector<ir::Tensor> run(const std::vector<SampleInput>& inputs, Executor executor);
  FirstDifference first_difference(const std::vector<SampleInput>& inputs, Executor torch,
                                   Executor ours);
  std::vector<ir::Tensor> run(const std::vector<SampleInput>& inputs);
  /// See TorchModule::module_calls.
  std::vector<ModuleCall> module_calls(const std::vector<SampleInput>& inputs);
  /// See TorchModule::saved.
  std::string saved() const;
  /// See TorchModule::verify.
  void verify(bool entire_file) const;
  /// Tensors that replace parts of the model, by path.
  using Tensors = std::map<std::string, at::Tensor>;

 private:
  const c10::FunctionSchema& schema() const;
  bool is_frozen() const;
  void restore() const;
  ObjectPtr model() const { return loaded_.module._ivalue(); }

  struct Split {
    std::vector<SampleInput> arguments;
    Tensors states;
  };
  struct Attempt;
  struct ClassifiedChanges;
  Split split(const std::vector<SampleInput>& inputs, bool may_be_states) const;
  void limit_memory(const std::vector<SampleInput>& arguments) const;
  /// Called for every operator that ran, with the interpreter's position.
  using Visit =
      std::function<void(Interpreter& interpreter, const std::string& op, uint64_t digest)>;
  std::vector<ir::Tensor> run_plain(const std::vector<SampleInput>& arguments, StateWatch& watch,
                                    bool native_halves = false, const Visit& visit = {});
  std::vector<ir::Tensor> run_ours(const std::vector<SampleInput>& inputs, bool native_halves,
                                   const Visit& visit = {});
  std::vector<ir::Tensor> run_torch(const std::vector<SampleInput>& inputs, bool unfused);
  Loaded load_for_executor(bool unfused);
  bool is_unchanged_by_second_call(const Split& samples);
  void bind_modules(Interpreter& interpreter, const ModuleNames& names, ir::Graph& graph,
                    const TraceOptions& options);
  Attempt attempt(const Split& samples, TraceOptions options);
  static bool adopt_changes(const Attempt& attempt, Split& samples);
  Attempt attempt_once(const Split& samples, const TraceOptions& options);
  void run_recorded(const Split& samples, const TraceOptions& options, StateWatch& watch,
                    Attempt& attempt);
  ClassifiedChanges classify(Attempt& attempt, const Split& samples, bool explicit_states);
  Traced finish(Attempt attempt, const Split& samples, const Tensors& by_user,
                const TraceOptions& options);

  std::function<Loaded()> load_;
  Loaded loaded_;
  std::map<bool, std::function<std::optional<Loaded>()>> read_again_;  ///< by `unfused`
  std::string method_;
  std::vector<State> states_;  ///< of the last trace, without values
};

}  // namespace t2n::trace
