// SPDX-License-Identifier: Apache-2.0
// tract's quantised tensors: integers with a scale and a zero point.
#pragma once

#include "src/interp/value.h"
#include "src/nnef/ast.h"

namespace t2n::interp {

class Kernels;

/// Whether one of the values is quantised, or an array with quantised ones.
bool has_quantised(const Values& values);
/// The dequantised values of a quantised tensor; other tensors unchanged.
at::Tensor dequantised(const Value& value);

/// The value of a name in graph.quant: integers of its width are unchanged; floats and other
/// quantised tensors are rounded, half to even.
Value tract_quantised(const nnef::QuantEntry& entry, const Value& value);

/// Whether a quantised tensor has exactly these parameters.
bool is_quantised_as(const nnef::QuantEntry& entry, const Value& value);

/// An operation on quantised operands: the arguments for the kernel, and the conversion of its
/// result.
class QuantisedCall {
 public:
  /// Errors: `engine-failed` for operations that tract does not run, or computes incorrectly.
  QuantisedCall(const nnef::Fragment& declaration, Values arguments);

  /// The result of operations on the integers themselves; else nothing.
  const Value& known() const { return known_; }
  Values take_arguments() { return std::move(arguments_); }
  bool is_on_integers() const { return on_integers_; }
  /// Quantises the result like tract, if graph.quant does not name it.
  Value rounded(const Value& result) const;

 private:
  void use_integers(const nnef::Fragment& declaration);
  void use_floats(const nnef::Fragment& declaration);

  Values arguments_;
  Value known_;
  Quantisation to_;
  at::ScalarType dtype_ = at::kChar;
  bool on_integers_ = false;  ///< the kernel runs on the integers
};

}  // namespace t2n::interp
