// SPDX-License-Identifier: Apache-2.0
// The book of NNEF's and tract's operations: a row says everything about an operation but its
// declaration, which is NNEF text (src/spec), and its kernel, which needs LibTorch (src/interp).
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "ir/shape.h"

namespace t2n::nnef_ops {

class Builder;
class FlowCall;
class ShapeCall;
struct Flow;
struct Ref;
struct StrictCall;

/// The shapes of a call's results; none if they are unknown.
using Shapes = std::vector<ir::Ints>;
using ShapeRule = Shapes (*)(const ShapeCall& call);
/// The flows of the results. Errors: `not-streamable`. Called only if an operand streams, or an
/// argument contains the stream's length.
using FlowRule = std::vector<Flow> (*)(const FlowCall& call);
/// Emits the call as standard operations. Errors: `unsupported-argument` if that is impossible.
using StrictRule = std::vector<Ref> (*)(const StrictCall& call, Builder& out);

/// What readers of documents ask of an operation.
enum Trait : int {
  kProduct = 1,        ///< multiplies matrices
  kLayer = 2,          ///< has weights
  kJoin = 4,           ///< appends tensors to each other
  kMovesData = 8,      ///< results have no other numbers than operands, and perhaps zeros
  kMovesAxes = 16,     ///< keeps the blocks of packed weights together
  kStructural = 32,    ///< tract compares its sizes as expressions while loading
  kElementUnary = 64,  ///< elementwise, of one tensor
  kBroadcasts = 128,   ///< kept in strict NNEF, where operands then get equal ranks
};

struct Operation {
  ShapeRule standard = nullptr;  ///< shapes in NNEF 1.0.5
  /// Shapes in tract; none if sizes do not depend on shapes alone, or if tract's versions differ.
  /// Refuses (`nnef-invalid`) only calls that no version of tract accepts.
  ShapeRule tract = nullptr;
  FlowRule flow = nullptr;      ///< without it, the operation does not run in pulses
  StrictRule strict = nullptr;  ///< without it, an operation of the standard is kept
  int traits = 0;
  bool is(Trait trait) const { return (traits & trait) != 0; }
};

inline Operation with_strict(Operation row, StrictRule strict) {
  row.strict = strict;
  return row;
}

/// Rows by operation.
class Book {
 public:
  /// `names`: operations, with blanks between them. Aborts on a second row of one.
  void add(std::string_view names, const Operation& row);
  /// An empty row for an operation that has none.
  const Operation& at(std::string_view name) const;
  bool contains(std::string_view name) const { return rows_.contains(name); }
  const std::map<std::string_view, Operation>& rows() const { return rows_; }

 private:
  std::map<std::string_view, Operation> rows_;
};

/// All operations.
const Book& book();

// The families; each adds its own.
void add_arithmetic(Book& book);
void add_conv(Book& book);
void add_fourier(Book& book);
void add_index(Book& book);
void add_join(Book& book);
void add_logic(Book& book);
void add_norm(Book& book);
void add_others(Book& book);
void add_pool(Book& book);
void add_product(Book& book);
void add_reduce(Book& book);
void add_resample(Book& book);
void add_scan(Book& book);
void add_slice(Book& book);
void add_source(Book& book);
void add_structure(Book& book);

}  // namespace t2n::nnef_ops
