// A trace of a model: what is asked of it, and what comes out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "src/diag/sink.h"

namespace t2n::trace {

struct TraceOptions {
  /// Keep what is computed from sizes as expressions over symbols `size(value,axis)`, with their
  /// sample values in the graph attribute kSampleSizes; otherwise they are integers at once.
  bool keep_sizes = false;
  /// With keep_sizes: sizes that follow from the values of tensors are expressions, too, where an
  /// operator is known to count them (OpTrait::bears_size); otherwise they are data.
  bool born_sizes = false;
  /// Is set when such an operator runs on what follows from inputs.
  bool* met_born_sizes = nullptr;
  int64_t max_operations = 1'000'000;
  /// Branches on data, as "model.py:8", that may be baked in the way this run takes them.
  std::set<std::string> accepted_guards;
  /// Of loops whose end follows from data, as "model.py:8": how many iterations they take at most.
  std::map<std::string, int64_t> max_iterations;
  /// Loops (Decision::id) to record as one `t2n::scan` instead of iteration by iteration.
  std::set<const void*> rolled_loops;
  /// Note the iterations of all other loops in the graph, for the pass `roll-loops`.
  bool notes_loops = false;
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

/// A place where the way of the program follows from a size: a branch, the iterations of a loop, a
/// number that an operation was given and that no expression of sizes says, or whether what is
/// written overlaps what is read.
struct Decision {
  enum class Kind { branch, loop, number, overlap };
  Kind kind = Kind::branch;
  const void* id = nullptr;  ///< the place in the program: the same in every trace of a session
  int64_t way = 0;           ///< 1 or 0 of a branch, the iterations of a loop
  std::string number = {};   ///< its text
  /// Of a number: TraceOptions::computed_numbers can make it an operation of the graph.
  bool is_computable = false;
  /// Of a branch: the other way only raises an exception.
  bool is_guard = false;
  /// A branch on a comparison, or what the iterations of a loop follow from, over symbols
  /// `size.value.axis`; none for anything else.
  std::optional<ir::Comparison> comparison;
  ir::Dim sizes = {};  ///< without a comparison: a sum of the sizes that it depends on
  ir::ScopeId scope = 0;
  ir::SourceId source = ir::kNoSource;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Values that an integer input may take: [first, second).
struct Range {
  int64_t first = 0;
  int64_t second = 0;
  bool are_lengths = false;  ///< of sequences, none longer than an axis
  bool falls = false;        ///< the largest come first
  friend bool operator==(const Range&, const Range&) = default;
};

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
  /// The same with its quantised tensors, where it has any: `graph` says them in plain operations.
  std::optional<ir::Graph> with_quantised;
  std::vector<ir::Tensor> outputs;           ///< what torch computed, as long as graph.outputs
  std::vector<std::optional<Range>> ranges;  ///< learnt per graph input; integer inputs only
  std::vector<std::string> constant_inputs;  ///< arguments that are no tensors: baked in
  std::vector<State> states;                 ///< last among inputs and outputs
  std::vector<Decision> decisions;           ///< in execution order; with keep_sizes only
};

}  // namespace t2n::trace
