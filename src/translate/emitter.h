// SPDX-License-Identifier: Apache-2.0
// Builds the NNEF document: owns ranks, dtypes, extensions and fragments.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/draft/notes.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"
#include "src/translate/aliases.h"

namespace t2n::ops {

/// Translations use only this class. Every method that makes a tensor returns its Ref; statements
/// appear in the order of the calls. Axes are non-negative; shapes are those of the result.
class Emitter {
 public:
  Emitter(const ir::Graph& graph, const target::Target& target);
  /// The body of a scan, a fragment in the document of `outer`; see emitter_body.h.
  Emitter(const ir::Graph& body, Emitter& outer);
  ~Emitter();

  DType dtype(Ref ref) const;
  const Shape& shape(Ref ref) const;
  /// The shape as integers; refuses symbolic sizes with `unsupported-argument`.
  Ints sizes(Ref ref) const;
  int rank(Ref ref) const { return static_cast<int>(shape(ref).size()); }
  bool has(target::Feature feature) const;
  bool is_streamed(const Dim& size) const;  ///< contains the streamed symbol
  bool varies(Ref ref) const;               ///< between iterations, in the body of a scan
  /// The values, if the tensor is known at export.
  std::optional<ir::Tensor> constant_value(Ref ref) const;

  /// A rank-0 operand: a literal where tract reads it as `dtype`, else a cast literal or a
  /// `variable`.
  Ref scalar(double value, DType dtype);
  Ref scalar(int64_t value, DType dtype);
  Ref scalar(int value, DType dtype) { return scalar(int64_t{value}, dtype); }
  Ref scalar(bool value);
  Ref size(const Dim& size, DType dtype);                 ///< as a rank-0 operand
  int64_t at_sample(const Dim& size) const;               ///< its value in the trace
  Ref sized(Ref x, int axis, const Dim& size);            ///< gives an axis this size expression
  Ref range(const Dim& n);                                ///< 0, 1, … n - 1 in i64
  Shape broadcast(const Shape& a, const Shape& b) const;  ///< by numpy's rule
  /// A tensor known at export, written as a `variable` on first use. `name` is a hint, made unique.
  Ref constant(ir::Tensor values, std::string_view name);
  /// All elements equal; not stored if the format has a shorter form.
  Ref full(Ref scalar, const Shape& shape);

  // Structure. Applied to constants, these change the stored geometry and emit no statement, unless
  // that would store a large tensor twice.
  Ref reshape(Ref x, const Shape& shape);
  Ref unsqueeze(Ref x, const Ints& axes);  ///< positions in the result, ascending
  Ref squeeze(Ref x, const Ints& axes);
  Ref transpose(Ref x, const Ints& permutation);
  Ref slice(Ref x, int axis, int64_t begin, int64_t end, int64_t stride = 1);
  /// Symbolic bounds; a negative stride runs from `begin` down to the entry after `end`.
  Ref slice(Ref x, int axis, const Dim& begin, const Dim& end, int64_t stride = 1);
  Ref concat(const std::vector<Ref>& parts, int axis);
  /// Numpy rules: leading axes are added, axes of extent 1 are broadcast.
  Ref broadcast_to(Ref x, const Shape& shape);
  Ref pad(Ref x, const std::vector<std::pair<int64_t, int64_t>>& padding, double value = 0);
  /// Returns `x` if it has the dtype. Float to integer truncates, to bool is `!= 0`.
  Ref cast(Ref x, DType dtype);

  /// Calls an operation, or a fragment of ops/fragments. finish() adds the fragments that are
  /// called, and the extension lines that the names require.
  Ref call(std::string_view op, const std::vector<Ref>& operands, const Attributes& attributes,
           DType dtype, const Shape& shape);
  /// The same with several results.
  std::vector<Ref> calls(std::string_view op, const std::vector<Ref>& operands,
                         const Attributes& attributes, const std::vector<TensorType>& results);
  /// For operations that take a list of tensors as their first argument (`concat`, `stack`,
  /// einsum).
  Ref call_list(std::string_view op, const std::vector<Ref>& list, const Attributes& attributes,
                DType dtype, const Shape& shape);
  /// An operation that broadcasts: operands are aligned to the rank of the result (torch aligns
  /// right, NNEF left); rank-0 constants become literals. `dtype` defaults to that of the first
  /// operand.
  Ref elementwise(std::string_view op, const std::vector<Ref>& operands,
                  std::optional<DType> dtype = {}, const Attributes& attributes = {});
  /// A tensor inside an attribute (`initial_h = h`, the lists of tract_core_scan).
  nnef::Value operand(Ref ref);

  /// Declares that no entry of an index is negative.
  void declare_positions(Ref index);

  /// Declares `ref` to be output `index` of the operation being translated. It is not cast: a dtype
  /// or shape other than torch's is an internal error that names the operator.
  void result(Ref ref, int index = 0);
  /// The common case: one call whose result has the output's dtype and shape.
  void result(std::string_view op, const std::vector<Ref>& operands,
              const Attributes& attributes = {});

  // Used by src/translate only. State is defined in emitter_state.h.
  struct State;
  State& state() { return *state_; }
  Ref value(ir::ValueId id);
  void begin(const ir::Node& node);
  /// Removes dead statements, unless operations failed.
  nnef::Document finish();
  /// Information that the finished document does not contain.
  const draft::Notes& notes() const;

 private:
  Ref reshape_groups(Ref x, const Shape& shape);
  Ref reshaped(const char* op, Ref x, const Ints& axes, const Shape& shape);
  Ref slice_dynamic(Ref x, int axis, const Dim& begin, const Dim& end);
  Ref gather_broadcast(Ref x, const Shape& shape);
  Ref gather_steps(Ref x, int axis, int64_t first, int64_t count, int64_t step);
  std::unique_ptr<State> state_;
};

}  // namespace t2n::ops
