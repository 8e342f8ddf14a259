// SPDX-License-Identifier: Apache-2.0
// A translation's view of an operation: arguments by schema name, typed and normalised.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node_args.h"
#include "src/target/limits.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

using target::Limit;

/// Reading a name that the schema lacks and not reading an argument are internal errors, so that no
/// argument is forgotten. Values that the target cannot express are refused with
/// `unsupported-argument`.
class OpView {
 public:
  /// `node`: one of the nodes of `graph`.
  OpView(const ir::Graph& graph, const ir::Node& node, std::string_view nnef, Emitter& out);

  /// The NNEF operation of the chosen variant.
  std::string_view nnef() const { return nnef_; }
  std::string_view op() const { return args_.op(); }
  bool has_argument(std::string_view name) const { return args_.has_argument(name); }
  const ir::Graph& body() const { return *args_.node().body; }  ///< the nested graph of a scan
  /// Whether the argument is a tensor, not a number. Does not count as reading.
  bool is_tensor(std::string_view name) const { return args_.is_tensor(name); }

  // Tensors.
  Ref tensor(std::string_view name) const;
  std::optional<Ref> opt_tensor(std::string_view name) const;
  std::vector<Ref> tensors(std::string_view name) const;
  std::vector<std::optional<Ref>> opt_tensors(std::string_view name) const;
  /// The values of a tensor argument that must be known at export; refused otherwise.
  ir::Tensor constant(std::string_view name) const;
  bool is_none(std::string_view name) const { return args_.is_none(name); }

  // Plain values. A number may be an int, float or bool (`Scalar`).
  int64_t i64(std::string_view name) const;
  double f64(std::string_view name) const;
  bool boolean(std::string_view name) const;
  std::string str(std::string_view name) const;
  std::string one_of(std::string_view name, const std::vector<std::string>& known) const;
  int64_t within(std::string_view name, int64_t first, int64_t last) const;
  std::optional<int64_t> opt_i64(std::string_view name) const { return opt(name, &OpView::i64); }
  std::optional<double> opt_f64(std::string_view name) const { return opt(name, &OpView::f64); }
  std::optional<std::string> opt_str(std::string_view name) const;
  std::optional<DType> opt_dtype(std::string_view name) const;
  Ints ints(std::string_view name) const;
  Shape dims(std::string_view name) const;  ///< like ints, but sizes may be symbolic
  Dim dim(std::string_view name) const;
  /// Whether the argument is a number over symbolic sizes. Does not count as reading.
  bool is_symbolic(std::string_view name) const { return args_.is_symbolic(name); }
  /// Like opt_i64, but the size may be symbolic.
  std::optional<Dim> opt_dim(std::string_view name) const { return opt(name, &OpView::dim); }
  std::vector<double> f64s(std::string_view name) const;
  std::optional<std::vector<double>> opt_f64s(std::string_view name) const;
  std::vector<bool> booleans(std::string_view name) const;
  /// A `Scalar` as an operand of `dtype` (rank 0).
  Ref number(std::string_view name, DType dtype) const;

  /// A dim in [0, rank); negative ones count from the end. Rank 0 counts as 1, as in torch.
  int axis(std::string_view name, int rank) const;
  int axis(std::string_view name) const;  ///< for the rank of `self`
  /// A list of dims (an int counts as a list of one), normalised and ascending; none or empty: all.
  Ints axes(std::string_view name, int rank) const;
  /// An int list of `count` entries; a single int is repeated, as torch does for kernel_size etc.
  Ints expand_ints(std::string_view name, int count) const;

  /// Refuses any other value.
  void require(std::string_view name, double value) const;
  /// Counts as reading; `why` explains why the argument has no influence here.
  void ignore(std::string_view name, std::string_view why) const;
  void ignore_all(std::initializer_list<std::string_view> names, std::string_view why) const;

  // The results of torch.
  int outputs() const { return static_cast<int>(args_.node().outputs.size()); }
  /// Whether the output is read; an unread one needs no result.
  bool is_used(int output) const;
  /// Whether a value that depends on the first result, products aside, is rounded, compared or
  /// converted to an integer later, where an error in its last bit may become a step.
  bool is_rounded_later() const;
  /// What computes an operand; null for inputs and constants.
  const ir::Node* producer(std::string_view name) const;
  /// Whether an operand may contain infinities that the program makes.
  bool may_meet_infinity(std::string_view name) const;
  DType dtype(int output = 0) const;
  const Shape& shape(int output = 0) const;
  Ints sizes(int output = 0) const;
  int rank(int output = 0) const { return static_cast<int>(shape(output).size()); }

  /// Throws `unsupported-argument`: "aten::op: argument=value has no translation for TARGET".
  [[noreturn]] void refuse(std::string_view argument, Limit limit,
                           std::string_view help = {}) const;
  /// Throws `unsupported-op` for the entire operation, e.g. for an unsupported dtype or rank.
  [[noreturn]] void refuse_op(Limit limit, std::string_view help = {}) const;

  /// Internal error if an argument was never read.
  void check_all_read() const;

 private:
  template <typename T>
  std::optional<T> opt(std::string_view name, T (OpView::*read)(std::string_view) const) const {
    return is_none(name) ? std::nullopt : std::optional<T>((this->*read)(name));
  }
  const ir::Value& result(int output) const { return args_.value(args_.node().outputs.at(output)); }
  [[noreturn]] void refuse(std::string_view argument, std::string_view why,
                           std::string_view help = {}) const;

  ir::NodeArgs args_;
  std::string_view nnef_;
  Emitter& out_;
};

}  // namespace t2n::ops
