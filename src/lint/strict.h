// SPDX-License-Identifier: Apache-2.0
// The rules of strict, flat NNEF 1.0.5 beyond its grammar.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "ir/shape.h"
#include "src/nnef/artefact.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

/// A stored tensor, as its file's header describes it.
struct Stored {
  std::string label;
  ir::Ints shape;
  ir::DType dtype = ir::DType::f32;
  bool quantised = false;     ///< integer codes of quantised floats
  int64_t bits = 0;           ///< per value, if that differs from the dtype's
  std::string engine_format;  ///< such as "q4_0"; "" for item types of NNEF
};

struct Violation {
  std::string name;     ///< the first result of the wrong statement, if any
  std::string message;  ///< one line, with that name: "'y': 'concat' reads 'x', which …"
  std::string help = {};
};

/// Every violated rule of the specification, and of its readers. A statement is checked up to its
/// first problem; statements that depend on a wrong one are not checked. Linear in the document's
/// size.
std::vector<Violation> lint_strict(const nnef::Document& document, std::span<const Stored> stored);

/// The same, with the tensors of the document's blobs.
std::vector<Violation> lint_strict(const nnef::Document& document);

/// The same, with the tensors of an artefact. Their packing is not checked.
std::vector<Violation> lint_strict(const nnef::Artefact& artefact);

}  // namespace t2n::spec
