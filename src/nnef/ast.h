// SPDX-License-Identifier: Apache-2.0
// NNEF as data: a document with its fragments, graph and tensors; one struct per construct.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "src/diag/diagnostic.h"
#include "src/nnef/blob.h"
#include "src/nnef/npz.h"
#include "src/nnef/value.h"

namespace t2n::nnef {

/// `results = right`. `left` is an identifier, array or tuple of identifiers.
struct Assignment {
  Value left;
  Value right;
  std::string comment;  ///< printed after the statement as `# comment` if not empty
};

/// A parameter or result of a fragment: name, type text (`tensor<scalar>`, `integer[]`), default.
struct Parameter {
  std::string name;
  std::string type;
  std::optional<Value> default_value;
};

struct Fragment {
  std::string name;
  std::string generic;  ///< text between the angle brackets of `fragment f<? = scalar>`, or ""
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
  std::vector<Assignment> body;  ///< empty: a declaration without a body
};

struct Graph {
  std::string name = "network";
  std::vector<std::string> parameters;
  std::vector<std::string> results;
  std::vector<Assignment> body;
};

/// One line of graph.quant: `"name": operation(arguments);`
struct QuantEntry {
  std::string name;
  Value invocation;
};

/// `extension tract_assert S <= 4;`, or, for a scenario, `extension tract_assert name: S == 1;`
struct Assertion {
  std::string scenario;  ///< "" for all scenarios
  ir::Comparison comparison;
  std::string text = {};  ///< the comparison as in the file that it was read from, else ""
};

/// Attribute of a recorded graph (bool): its translation shall have Document::origins.
inline constexpr const char* kOriginsOption = "origins";

/// The operation of a model that a statement belongs to.
struct Origin {
  std::string op;  ///< "aten::conv2d"; "": unknown
  Where where;
};

struct Document {
  std::vector<std::string> extensions;  ///< others than the following: text up to `;`
  std::vector<ir::Symbol> symbols;      ///< `extension tract_symbol S;`
  std::vector<Assertion> assertions;    ///< those that can be read
  std::vector<Fragment> fragments;
  Graph graph;
  std::vector<Blob> blobs;  ///< in order of their `variable` statements
  std::vector<QuantEntry> quant;
  std::vector<NamedTensor> states;  ///< first values of states, by input; stored in kStatesFile
  std::vector<Origin> origins;  ///< by statement of the graph; empty unless requested
};

/// The file of an artefact with the first values of its states, which engines do not read.
inline constexpr const char* kStatesFile = "states.npz";

}  // namespace t2n::nnef
