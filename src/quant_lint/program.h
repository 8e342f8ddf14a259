// SPDX-License-Identifier: Apache-2.0
// Quantised statements, of a graph or of a document, as the lint's rules see them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/quant_info.h"
#include "ir/tensor.h"
#include "src/diag/diagnostic.h"

namespace t2n::lint {

/// What a tensor holds.
enum class Form {
  floats,       ///< any numbers
  integers,     ///< rounded values, or stored integers
  dequantised,  ///< integers times a scale, possibly rearranged
  adjusted,     ///< dequantised values, scaled or shifted: the start of a quantiser
};

struct Scale {
  std::vector<double> numbers;  ///< one, or one for each channel
  std::vector<int64_t> zero_points;
  std::string text = {};  ///< instead of numbers: as a document writes it
  friend bool operator==(const Scale&, const Scale&) = default;
};

struct Value {
  std::string name = {};
  Form form = Form::floats;
  std::optional<Scale> scale = {};  ///< unless all are floats; nothing if it is unknown
  bool is_float = true;             ///< its dtype, or unknown
  bool is_known = false;            ///< depends on constants only
  bool is_output = false;
  int producer = -1;                 ///< a statement
  std::vector<size_t> readers = {};  ///< statements
  /// The constant that it is, or of which it is an elementwise function that keeps zeros: a value.
  std::optional<size_t> stored = {};
  const ir::Tensor* data = nullptr;  ///< of a constant, if it is loaded
  std::optional<ir::QuantInfo> quant = {};
};

enum class Kind {
  other,
  rearrange,      ///< moves or selects elements
  quantise,       ///< floats to integers
  dequantise,     ///< integers to floats, as an operation of its own
  fake_quantise,  ///< both at once
  observe,
  boundary,  ///< computes nothing in floats: a layer of quantised operands, an input
};

struct Statement {
  std::string op = {};
  std::string name = {};  ///< in messages
  Kind kind = Kind::other;
  bool joins = false;  ///< on integers, its operands must share a scale
  std::vector<size_t> operands = {};
  std::vector<size_t> results = {};
  Where where = {};
};

struct Program {
  bool is_file = false;  ///< an artefact: its tensors are those of a file, its settings are unknown
  std::vector<Value> values = {};
  std::vector<Statement> statements = {};  ///< in execution order

  bool has_kind(size_t statement, Kind kind) const { return statements[statement].kind == kind; }
  /// Adds the statement, and makes it the producer of its results and a reader of its operands.
  void add(Statement statement);
};

}  // namespace t2n::lint
