// SPDX-License-Identifier: Apache-2.0
// The context in which passes run.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/op_set.h"
#include "ir/op_table.h"
#include "src/diag/sink.h"

namespace t2n::compress {
class Settings;
}

namespace t2n::passes {

/// Options and services that the caller provides; every member may be empty.
struct PassContext {
  ir::Evaluator evaluate;  ///< empty: nothing is folded
  /// What is known about operators; nullptr: nothing.
  const ir::OpTable* operators = nullptr;
  /// The operations that the target has in a form of its own.
  ir::OpSet native = ir::all_operators_but({});
  /// Symbols that stay symbolic (declared dynamic axes); empty: none.
  std::function<bool(const ir::Symbol&)> keeps_symbol;
  bool in_body = false;     ///< the graph is the body of a loop
  bool sizes_vary = false;  ///< the graph is one of several probes of a model at different sizes
  /// Integer convolutions multiply by the product of the two scales, as some of oneDNN's kernels
  /// do, instead of by one after the other.
  bool multiplies_scales = false;
  /// The storage of weights and activations, by module; nullptr: unchanged.
  const compress::Settings* settings = nullptr;
  /// Runs the graph over the calibration set, for its observers; empty: there is no set.
  std::function<void(ir::Graph&)> calibrate;
  /// By result name, the share of clipped values over the calibration set; empty: there is no set.
  std::function<std::map<std::string, double>(const ir::Graph&)> clipped;
  /// Whether the target supports packed weights in an operation; empty: in all.
  std::function<bool(const ir::Node&)> reads_packed;
  /// Whether a node stays in f32 although the rest computes in f16; empty: none does.
  std::function<bool(const ir::Graph&, const ir::Node&)> keeps_f32;
  Report report;  ///< empty: messages are dropped
};

}  // namespace t2n::passes
