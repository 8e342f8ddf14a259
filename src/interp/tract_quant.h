// tract's quantised tensors: integer codes with a scale and a zero point.
#pragma once

#include "nnef/ast.h"
#include "src/interp/value.h"

namespace t2n::interp {

class Kernels;

/// Whether one of the values is quantised, or an array with quantised ones.
bool has_quantised(const Values& values);
/// The reals of a quantised tensor; other tensors unchanged.
at::Tensor dequantised(const Value& value);

/// The value of a name in graph.quant: codes of its width are unchanged; reals and other quantised
/// tensors are rounded, half to even.
Value tract_quantised(const nnef::QuantEntry& entry, const Value& value);

/// Whether a quantised tensor has just these parameters.
bool is_quantised_as(const nnef::QuantEntry& entry, const Value& value);

/// An operation on quantised operands: the arguments for the kernel, and what becomes of its
/// result.
class QuantisedCall {
 public:
  /// Errors: `engine-failed` for operations that tract does not run, or computes wrong.
  QuantisedCall(const nnef::Fragment& declaration, Values arguments);

  /// The result of operations that read the codes themselves; else nothing.
  const Value& known() const { return known_; }
  Values take_arguments() { return std::move(arguments_); }
  bool is_of_codes() const { return of_codes_; }
  /// Quantised as tract does if graph.quant does not name the result.
  Value rounded(const Value& result) const;

 private:
  void take_codes(const nnef::Fragment& declaration);
  void take_reals(const nnef::Fragment& declaration);

  Values arguments_;
  Value known_;
  Quantisation to_;
  at::ScalarType codes_ = at::kChar;
  bool of_codes_ = false;  ///< the kernel runs on codes
};

}  // namespace t2n::interp
