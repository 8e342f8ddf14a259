// SPDX-License-Identifier: Apache-2.0
// Where an artefact begins to differ from its model, as data for the screen and for JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "src/diag/diagnostic.h"

namespace t2n {

/// When to look for the tensor at which a difference begins.
enum class Localise { never, on_failure, always };

/// A statement of the artefact, and the operation of the model that it computes.
struct StatementLocation {
  std::string tensor;     ///< the name of its result; "" if the artefact lacks it
  std::string operation;  ///< "conv"
  int line = 0;           ///< of graph.nnef; 0: unknown
  std::string op;         ///< the model's operator, "aten::conv2d"; "": unknown
  Where where;            ///< its module, and the user's lines
};

struct TensorStatistics {
  double min = 0;  ///< of finite elements, as are the next two
  double max = 0;
  double mean = 0;
  int64_t not_finite = 0;
};

/// A tensor of the artefact, and the same tensor of the model.
struct TensorDifference {
  StatementLocation location;
  ir::Ints shape;           ///< in the artefact
  ir::Ints expected_shape;  ///< in the model
  int64_t differing = 0;    ///< elements beyond rounding; 0 if the numbers of elements differ
  ir::Ints worst;           ///< the element that is furthest off
  double worst_expected = 0;
  double worst_actual = 0;
  TensorStatistics expected;
  TensorStatistics actual;
  bool is_known =
      false;  ///< the model has such a tensor; else only `location` and `actual` are valid
};

/// A weight, number or operation that an export of the model has differently.
struct FileDifference {
  StatementLocation location;
  std::string text;
};

/// A row of the table of all tensors.
struct TensorRow {
  StatementLocation location;
  std::optional<double> distance;  ///< relative, from the model's; nothing: without a counterpart
  bool is_wrong = false;
};

struct Localisation {
  std::string engine;
  std::string inputs;       ///< the input set: "at S=3"; "" for the samples
  std::string reference;    ///< what the tensors were compared with
  size_t tensors = 0;       ///< of the artefact that were compared
  size_t not_compared = 0;  ///< those that the engine cannot give as outputs
  /// The first tensors that differ although their inputs agree, first in data flow first.
  std::vector<TensorDifference> first;
  std::vector<FileDifference> file;  ///< first in data flow first
  size_t more_in_file = 0;           ///< differences that `file` does not list
  std::vector<TensorRow> table;      ///< with Localise::always: every tensor
  std::string note;                  ///< why `first` is empty
};

struct Checking;
struct CheckResult;

/// Functions of src/localise; empty: nothing is localised.
struct Localiser {
  /// Where the artefact begins to differ. Also called without a difference if `always`.
  std::function<Localisation(const Checking& checking, const CheckResult& result)> difference;
  bool always = false;
  /// The engine's error with the statement at which it fails.
  std::function<Diagnostic(const Checking& checking, Diagnostic error)> failure;
};

}  // namespace t2n
