// Passes: free functions over a graph, named in one table and run by name in pipelines.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "src/diag/sink.h"

namespace t2n::passes {

/// What passes may ask of the world; every member may be empty.
struct PassContext {
  ir::Evaluator evaluate;  ///< empty: nothing is folded
  /// Whether the target has a form of its own for an operation; empty: for all.
  std::function<bool(ir::OpId)> is_native;
  /// In which dtype an operation computes, as the table of translations says; empty: as it is.
  std::function<std::optional<ir::Promotion>(ir::OpId)> promotion;
  /// Symbols that stay symbolic (declared dynamic axes); empty: none.
  std::function<bool(const ir::Symbol&)> keeps_symbol;
  bool in_body = false;     ///< the graph is the body of a loop
  bool sizes_vary = false;  ///< the graph is one of several, of one model at other sizes
  Report report;            ///< empty: nobody wants to hear
};

/// Each returns true if the graph changed, and leaves a valid one.
using Pass = bool (*)(ir::Graph&, const PassContext&);

/// Makes `t2n::scan` of the loops that the trace has noted (src/loops/roll_loops.cpp).
bool roll_loops(ir::Graph& graph, const PassContext& context);
/// Replaces symbols in shapes and arguments by their values in the attribute `sample_sizes`.
bool bind_sizes(ir::Graph& graph, const PassContext& context);
/// Removes operations and constants that no output needs, random ones too; graph inputs stay.
bool dead_code(ir::Graph& graph, const PassContext& context);
/// Evaluates operations on constants where the result is not larger than what it replaces.
bool fold_constants(ir::Graph& graph, const PassContext& context);
/// Turns quantised tensors into their integers less the zero point, and what computes with them
/// into plain operations.
bool expand_quantised(ir::Graph& graph, const PassContext& context);
/// Writes the iterations of `t2n::scan` one after the other where the target has no loops, their
/// number is known, and there are not too many (src/limits/unrolled.h); other scans stay.
bool unroll_scans(ir::Graph& graph, const PassContext& context);
/// Stores weights behind quantisers as integers of 8 bits, where that is what they are.
bool recognise_quantisation(ir::Graph& graph, const PassContext& context);
/// Turns complex tensors into real ones with a last axis of two, and transforms into `t2n::fft_…`.
bool complex_to_pairs(ir::Graph& graph, const PassContext& context);
/// Turns written-out silu, gelu, hardswish and rms_norm into the single operation.
bool canonical_activations(ir::Graph& graph, const PassContext& context);
/// Turns x * cos + rotate_half(x) * sin into t2n::apply_rope, where the target has it.
bool canonical_rope(ir::Graph& graph, const PassContext& context);
/// Makes torch's implicit dtype promotion explicit as `t2n::cast` operations.
bool explicit_promotion(ir::Graph& graph, const PassContext& context);

struct PassInfo {
  std::string_view name;
  std::string_view doc;
  Pass run;
};

/// All passes, in the order in which the default pipeline first runs them.
const std::vector<PassInfo>& passes();
/// What `export` runs.
const std::vector<std::string>& default_pipeline();

struct PipelineOptions {
  std::vector<std::string> disabled;  ///< names to leave out
  std::string print_after;            ///< the name of a pass, "all", or nothing
  bool print_changed = false;         ///< print after each pass that changed something
  std::function<void(const std::string& text)> print;
  std::function<void(std::string_view pass, double seconds)> time;
};

/// Runs passes by name, in nested graphs too, and verifies the graph before the first and after
/// each. Returns true if one changed it.   Errors: `usage` for unknown names, `ir-invalid`.
bool run_pipeline(ir::Graph& graph, const std::vector<std::string>& names,
                  const PassContext& context, const PipelineOptions& options = {});

}  // namespace t2n::passes
