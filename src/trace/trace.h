// From a TorchScript file to the IR: what may be asked of the tracer, without any torch header.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/schema.h"
#include "src/diag/sink.h"

namespace t2n::trace {

/// A leaf of the model's arguments. A Tensor without bytes stands for "this shape and dtype".
using Leaf = std::variant<ir::None, ir::Tensor, int64_t, double, bool, std::string>;

/// A leaf and where it sits: {"x"}, {"pair", "0"}, {"features", "audio"}.
struct SampleInput {
  std::vector<std::string> path;
  Leaf value;
  bool is_state = false;  ///< a part of the model (State::name), no argument
};

/// "pair_0": the name of a nested input in the artefact and on the command line.
inline std::string flat_name(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : "_") + part;
  return out;
}

struct ArgumentInfo {
  std::string name;
  std::string type;  ///< as TorchScript writes it: "Tensor", "Optional[int]"
  bool has_default = false;
};

enum class FileKind { traced, scripted, frozen };

struct ModelInfo {
  FileKind kind = FileKind::scripted;
  std::string class_name;
  int64_t format_version = 0;
  std::vector<std::string> methods;
  std::vector<ArgumentInfo> arguments;  ///< of `method`, without self
  std::vector<SampleInput> samples;     ///< shapes and dtypes kept in a traced file
  int64_t parameters = 0;               ///< elements of parameters and buffers, shared ones once
  int64_t parameter_bytes = 0;
};

struct TraceOptions {
  /// Keep what is computed from sizes as expressions over symbols `size(value,axis)`, with their
  /// sample values in the graph attribute kSampleSizes; otherwise they are integers at once.
  bool keep_sizes = false;
  int64_t max_operations = 1'000'000;
  /// Branches on data, as "model.py:8", that may be baked in the way this run takes them.
  std::set<std::string> accepted_guards;
  /// Loops (Decision::id) to record as one `t2n::scan` instead of turn by turn.
  std::set<const void*> rolled_loops;
  /// Operations (Decision::id) whose numbers are to be computed from sizes in the graph.
  std::set<const void*> computed_numbers;
  /// What forward changes of the model becomes inputs and outputs; otherwise it is refused. Samples
  /// with a state's name give it another first value than the model's own.
  bool explicit_states = false;
  /// Axes of states, by State::name, along which a call may leave another size than it found;
  /// negative ones count from the end, a star in a name stands for anything.
  std::set<std::pair<std::string, int64_t>> free_axes;
  /// 16-bit floats run in torch's own kernels for them, where these are slow or less exact, too.
  bool native_halves = false;
  Report report;
};

/// Who runs a model.
enum class Executor {
  torch,  ///< LibTorch's own executor, without its optimisations: what a check compares with
  torch_unfused,  ///< the same; torch's modules hear that gradients are on, as in every export, and
                  ///< do not take their fused ways
  ours,           ///< the interpreter that records
  ours_native,    ///< the same with TraceOptions::native_halves
};

/// Where two executors part.
struct FirstDifference {
  std::string op;  ///< "aten::select"; "" if no operator alone gives something else
  Where where;
};

/// A place where the way of the program follows from a size: a branch, the turns of a loop, a
/// number that an operation was given and that no expression of sizes says, or whether what is
/// written overlaps what is read.
struct Decision {
  enum class Kind { branch, loop, number, overlap };
  Kind kind = Kind::branch;
  const void* id = nullptr;  ///< the place in the program: the same in every trace of a session
  int64_t way = 0;           ///< 1 or 0 of a branch, the turns of a loop
  std::string number = {};   ///< its text
  /// Of a number: TraceOptions::computed_numbers can make it an operation of the graph.
  bool is_computable = false;
  /// Of a branch: the other way only raises an exception.
  bool is_guard = false;
  /// A branch on a comparison, or what the turns of a loop follow from, over symbols
  /// `size.value.axis`; none for anything else.
  std::optional<ir::Comparison> comparison;
  ir::Dim sizes = {};  ///< without a comparison: a sum of the sizes that it depends on
  ir::ScopeId scope = 0;
  ir::SourceId source = ir::kNoSource;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Values that an integer input may take: [low, high).
using Range = std::pair<int64_t, int64_t>;

/// A part of the model that forward changes, as an input and an output of the graph.
struct State {
  std::string path;    ///< "encoder.h"
  std::string name;    ///< of the input: "encoder_h"; the output is "encoder_h_next"
  size_t input = 0;    ///< place in graph.inputs
  size_t output = 0;   ///< place in graph.outputs
  ir::Tensor initial;  ///< the model's own value, or the sample's
};

struct Traced {
  ir::Graph graph;
  std::vector<ir::Tensor> outputs;           ///< what torch computed, as long as graph.outputs
  std::vector<std::optional<Range>> ranges;  ///< learnt per graph input; integer inputs only
  std::vector<std::string> constant_inputs;  ///< arguments that are no tensors: baked in
  std::vector<State> states;                 ///< last among inputs and outputs
  std::vector<Decision> decisions;           ///< in execution order; with keep_sizes only
};

/// A loaded model. Every trace or run starts from the state in the file.
class Session;

/// Where the bytes of a model come from in tests: source text and named buffers.
struct InlineModel {
  std::string source;
  std::vector<std::pair<std::string, ir::Tensor>> parameters;
};

/// The functions of libt2nnef_torch.so. Errors: see docs/diagnostics.md, ids `model-…`, `input-…`,
/// `forward-failed`, `data-dependent-…`, `denied-operator`, `unsupported-…`, `trace-limit`.
struct TorchModule {
  std::string torch_version;
  std::shared_ptr<Session> (*load)(const std::string& path, const std::string& method);
  std::shared_ptr<Session> (*compile)(const InlineModel& model);
  ModelInfo (*describe)(const Session& session);
  /// Runs the model once and records it. Graph inputs are the tensor leaves, depth first.
  Traced (*trace)(Session& session, const std::vector<SampleInput>& inputs,
                  const TraceOptions& options);
  /// Runs the model as trace() does, recording nothing. States are those of the last trace.
  std::vector<ir::Tensor> (*run)(Session& session, const std::vector<SampleInput>& inputs);
  /// The same in another executor. LibTorch's runs a model that is loaded anew each time. Errors:
  /// `forward-failed`; `unsupported-dtype` where LibTorch has no kernel for 16-bit floats.
  std::vector<ir::Tensor> (*run_in)(Session& session, const std::vector<SampleInput>& inputs,
                                    Executor executor);
  /// The first operator of our run that gives what no operator of that name gives in `torch`'s.
  FirstDifference (*first_difference)(Session& session, const std::vector<SampleInput>& inputs,
                                      Executor torch, Executor ours);
  /// Refuses a model whose file changed since it was loaded; with `whole`, one whose bytes are not
  /// those that were saved as well, which reads all of them.
  void (*verify)(const Session& session, bool whole);
  ir::Evaluator (*evaluator)();
  /// The same in f64, whatever floats the graph says.
  ir::Evaluator (*wide_evaluator)();
  /// The signature of "aten::add.Tensor"; nullopt if this LibTorch has no such operator.
  std::optional<ir::Schema> (*find_schema)(const std::string& op);
  /// The signatures of all operators that know nothing of tensors: on numbers, strings, containers.
  std::vector<ir::Schema> (*operators)();
  /// Tensors of a `torch.save`d tensor, list, tuple or dict.
  std::vector<SampleInput> (*read_saved)(const std::string& path);
};

/// The name under which libt2nnef_torch.so exports `const TorchModule* t2n_torch_module()`.
inline constexpr const char* kTorchModuleSymbol = "t2n_torch_module";

}  // namespace t2n::trace
