// SPDX-License-Identifier: Apache-2.0
// Reads a node on complex tensors, and emits real operations in its place.
#pragma once

#include <complex>
#include <map>
#include <string_view>
#include <vector>

#include "ir/op_table.h"
#include "ir/rearrangement.h"
#include "src/passes/arithmetic.h"

namespace t2n::complex {

// Names that all rules use.
using ir::Attr;
using ir::Dim;
using ir::DType;
using ir::Shape;
using ir::TensorRef;
using ir::ValueId;

/// A complex tensor as two real ones of one dtype, which broadcast to each other.
struct Complex {
  ir::ValueId re = ir::kNoValue;
  ir::ValueId im = ir::kNoValue;  ///< kNoValue: zero everywhere
  bool is_real() const { return im == ir::kNoValue; }
};

/// Rewrites nodes one by one. Values that were complex are pairs from the start: real, with a last
/// axis of two. Shapes of values include that axis.
class PairBuilder : public passes::Rewriter {
 public:
  PairBuilder(ir::Graph& graph, const ir::OpTable& operators);

  bool involves_complex() const;
  /// nullptr unless the operation moves elements.
  const ir::Rearrangement* rearrangement() const {
    return operators_.find<ir::Rearrangement>(node_.op);
  }
  bool is_linear() const { return operators_.find<ir::Linear>(node_.op) != nullptr; }
  // The node's arguments.
  bool is_complex(std::string_view argument) const;  ///< a complex tensor, or a number like 1j
  bool is_complex_tensor(std::string_view argument) const;
  bool is_complex(ir::ValueId original) const;
  Complex operand(std::string_view argument);            ///< tensor or number, in `component()`
  ir::ValueId operand_pairs(std::string_view argument);  ///< the same; numbers have the shape [2]
  std::complex<double> number_of(std::string_view argument) const;
  /// The dtype that real and imaginary parts are computed in.
  ir::DType component() const;
  bool is_output_complex(int index = 0) const;
  ir::Shape output_shape(int index = 0) const;  ///< without the axis of pairs

  Complex parts(ir::ValueId pairs);
  ir::ValueId pairs(ir::ValueId real);  ///< with zeros as imaginary parts
  ir::ValueId pairs(const Complex& x, const ir::Shape& shape);

  /// True if the relation holds for all sizes that the graph accepts.
  bool proves(const ir::Comparison& relation) const;
  /// Appends `count` zeros to an axis.
  ir::ValueId with_zeros(ir::ValueId x, int axis, const ir::Dim& count);

  using Rewriter::define;
  void define(const Complex& result, int index = 0);
  /// The operation cannot be expressed: an error if its result is needed.
  void refuse(std::string_view why, std::string_view help = {}) {
    refuse_for("complex tensors", why, help);
  }

 private:
  void make_pairs(ir::ValueId id);

  const ir::OpTable& operators_;
  std::vector<bool> complex_;  ///< by the original id
  std::map<ir::ValueId, Complex> parts_;
};

}  // namespace t2n::complex
