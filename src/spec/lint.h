// What a document of strict, flat NNEF 1.0.5 may not say, beyond its grammar.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "ir/shape.h"
#include "nnef/ast.h"
#include "src/nnef_reader/artefact.h"

namespace t2n::spec {

/// A stored tensor, as its file's header describes it.
struct Stored {
  std::string label;
  ir::Ints shape;
  ir::DType dtype = ir::DType::f32;
  bool quantised = false;  ///< integer codes of reals
  int64_t bits = 0;        ///< per value, where that is not the dtype's
  std::string own_format;  ///< an engine's, such as "q4_0"; "" for item types of NNEF
};

/// Every rule of the specification, and those of its readers, that the document breaks, a line
/// each; each names the statement's result and says what is wrong. A statement is judged up to its
/// first problem, and what follows from a wrong one is not judged at all. Linear in the document's
/// size.
std::vector<std::string> lint_strict(const nnef::Document& document,
                                     std::span<const Stored> stored);

/// The same, with the tensors that the document's blobs will become.
std::vector<std::string> lint_strict(const nnef::Document& document);

/// The same, with the tensors that were read. Nothing here judges how they are packed.
std::vector<std::string> lint_strict(const nnef::Artefact& artefact);

}  // namespace t2n::spec
