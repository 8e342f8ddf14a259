// SPDX-License-Identifier: Apache-2.0
// A trace of a model: its options and its result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/program_point.h"
#include "src/diag/sink.h"
#include "src/model/survey.h"

namespace t2n::trace {

struct TraceOptions {
  /// Keep numbers over sizes as expressions over symbols `size(value,axis)`, with their sample
  /// values in the graph attribute kSampleSizes; otherwise they become integers at once.
  bool keep_sizes = false;
  /// With keep_sizes: data-dependent sizes are expressions as well, if they come from an operator
  /// with OpTrait::gives_unbacked_size; otherwise they are data.
  bool unbacked_sizes = false;
  /// With unbacked_sizes: numbers read from tensors are sizes, too; otherwise they are data.
  bool read_sizes = false;
  bool* met_read_numbers = nullptr;    ///< set if one is read from a value that depends on inputs
  bool* met_size_tensors = nullptr;    ///< set if sizes are tensors, as torch.jit.trace makes them
  bool* met_unbacked_sizes = nullptr;  ///< set if such an operator's operand depends on inputs
  int64_t max_operations = 1'000'000;
  /// Branches on data, as "model.py:8", that may be fixed in this run's direction.
  std::set<std::string> accepted_guards;
  /// The maximum number of iterations of loops whose end depends on data, as "model.py:8".
  std::map<std::string, int64_t> max_iterations;
  /// Loops (Decision::id) to record as one `t2n::scan` instead of iteration by iteration.
  std::set<ir::ProgramPoint> rerolled_loops;
  /// Note the iterations of all other loops in the graph, for the pass `roll-loops`.
  bool notes_loops = false;
  /// Branches on sizes (Decision::id) of which both directions are recorded, with a select.
  std::set<ir::ProgramPoint> selected_branches;
  /// Branches on sizes (Decision::id) that have one direction, 1 or 0, at all sizes.
  std::map<ir::ProgramPoint, int64_t> fixed_branches;
  /// Operations in branches that also run on too few elements, and the axes that are padded there.
  std::map<ir::ProgramPoint, int64_t> padded;
  /// Operations (Decision::id) whose numbers are to be computed from sizes in the graph.
  std::set<ir::ProgramPoint> computed_numbers;
  /// Changes of the model by forward become inputs and outputs; otherwise they are refused. A
  /// sample with a state's name replaces the state's first value.
  bool explicit_states = false;
  /// Axes of states, by State::name, along which a call may change the size. Negative axes count
  /// from the end; a star in a name is a wildcard.
  std::set<std::pair<std::string, int64_t>> free_axes;
  bool native_halves = false;  ///< 16-bit floats run in torch's own kernels for them, however slow
  ReadNumbers* fixed_numbers = nullptr;  ///< makes them constants; never for an export
  Survey* survey = nullptr;  ///< goes on after refusals and notes them; never for an export
  Report report;
};

/// A dependence of the program's course on a size: a branch, a loop's iteration count, an operand
/// that is a number without an expression, or whether a written region overlaps a read one.
struct Decision {
  enum class Kind { branch, loop, number, overlap };
  Kind kind = Kind::branch;
  ir::ProgramPoint id;
  int64_t direction = 0;    ///< 1 or 0 for a branch, the number of iterations for a loop
  std::string number = {};  ///< its text
  /// For a number: TraceOptions::computed_numbers can make it an operation of the graph.
  bool is_computable = false;
  /// For a branch: the other direction only raises an exception.
  bool is_guard = false;
  std::string reason = {};  ///< for a branch: why it cannot become a select, if that was tried
  /// A branch on a comparison, or the condition for a loop's iterations, over symbols
  /// `size.value.axis`; none for anything else.
  std::optional<ir::Comparison> comparison;
  ir::Dim sizes = {};  ///< without a comparison: a sum of the sizes that it depends on
  ir::ScopeId scope = 0;
  ir::SourceId source = ir::kNoSource;
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// Values that an integer input may take: [first, second).
struct IntegerRange {
  int64_t first = 0;
  int64_t second = 0;
  bool are_lengths = false;  ///< lengths or offsets, at most the size of an axis
  bool is_descending = false;
  bool is_ascending = false;  ///< and begins with `first`
  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

/// The observed use of an input's values in a run.
struct InputRange {
  std::string name;                   ///< as in the graph of a trace
  std::optional<IntegerRange> range;  ///< of integers that indexed something
};

/// A part of the model that forward changes, as an input and an output of the graph.
struct State {
  std::string path;               ///< "encoder.h"
  std::string name;               ///< of the input: "encoder_h"; the output is "encoder_h_next"
  size_t input = 0;               ///< index in graph.inputs
  size_t output = 0;              ///< index in graph.outputs
  ir::Tensor initial;             ///< the model's own value, or the sample's
  std::optional<ir::Tensor> own;  ///< the model's own value, if it has one
};

struct Traced {
  ir::Graph graph;
  /// The graph with quantised tensors, if there are any; `graph` has plain operations instead.
  std::optional<ir::Graph> with_quantised;
  std::vector<ir::Tensor> outputs;  ///< torch's results, in the order of graph.outputs
  std::vector<std::optional<IntegerRange>> ranges;  ///< of graph inputs; integer inputs only
  std::vector<std::string> constant_inputs;    ///< arguments that are not tensors, as constants
  std::vector<State> states;                   ///< last among inputs and outputs
  std::vector<Decision> decisions;             ///< in execution order; only with keep_sizes
  std::map<ir::ProgramPoint, int64_t> padded;  ///< TraceOptions::padded and this run's additions
};

}  // namespace t2n::trace
