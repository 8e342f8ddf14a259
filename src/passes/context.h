// What passes may ask of the world.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "src/diag/sink.h"

namespace t2n::compress {
class Settings;
}

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
  /// How weights and activations shall be stored, by module; nullptr: as they are.
  const compress::Settings* settings = nullptr;
  /// Runs the graph over the calibration set, for observers that wait for it; empty: there is none.
  std::function<void(ir::Graph&)> calibrate;
  /// Which share of what is rounded lies outside of its grid, over the calibration set, by the name
  /// of the result; empty: there is no set.
  std::function<std::map<std::string, double>(const ir::Graph&)> clipped;
  /// Whether the target multiplies with packed weights in an operation; empty: in all.
  std::function<bool(const ir::Node&)> reads_packed;
  Report report;  ///< empty: nobody wants to hear
};

}  // namespace t2n::passes
