// SPDX-License-Identifier: Apache-2.0
// Statements of NNEF, run in the real tract and in the reference interpreter: both must give what
// was worked out by hand.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace t2n::test {

/// Statements over the inputs x, y, z, w; what they call out, out2… are the results, one for each
/// expected tensor. Fragments stand before the graph.
struct Statements {
  std::string body;
  std::vector<ir::Tensor> inputs = {};
  std::string fragments = {};
  std::string quant = {};  ///< of graph.quant
  bool is_open = false;    ///< the first axis of x has the symbolic size T
};

/// What the result of this index is called: out, out2…
std::string output_name(size_t index);

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

ir::Tensor f32(const ir::Ints& shape, const std::vector<double>& data);
/// A tensor of one axis.
ir::Tensor vec(const std::vector<double>& data, ir::DType dtype = ir::DType::f32);

/// The document, with the externals of its inputs and all of tract's registries.
std::string graph_text(const Statements& statements, size_t results = 1);

/// The results of the newest tract.
std::vector<ir::Tensor> run_tract(const Statements& statements, size_t results = 1);

/// Both engines give `expected`; reals within `tolerance`.
void check_agree(const Statements& statements, const std::vector<ir::Tensor>& expected,
                 double tolerance = 1e-6);
/// The same for `out = CALL;` on one input.
void check_tract_call(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                      double tolerance = 1e-6);
/// Both engines give the same; nobody worked out what.
void check_same(const Statements& statements, size_t results = 1, double tolerance = 1e-5);
/// Only the reference, for what the newest tract gets wrong or aborts at.
void check_reference(const Statements& statements, const std::vector<ir::Tensor>& expected,
                     double tolerance = 1e-6);
/// Both engines refuse; the reference says `message`.
void check_refused(const Statements& statements, const std::string& message);
/// The reference refuses, saying `message`; tract is not asked, since it aborts or answers wrong.
void check_refused_here(const Statements& statements, const std::string& message);

}  // namespace t2n::test
