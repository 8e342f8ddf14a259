// Reads a node on complex tensors and writes real operations in its place.
#pragma once

#include <complex>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/passes/rewrite.h"

namespace t2n::complex {

/// A complex tensor as two real ones of one dtype, which broadcast to each other.
struct Complex {
  ir::ValueId re = ir::kNoValue;
  ir::ValueId im = ir::kNoValue;  ///< kNoValue: zero everywhere
  bool is_real() const { return im == ir::kNoValue; }
};

/// Rewrites one node after the other. Values that were complex are pairs from the start: real, with
/// a last axis of two. `Shape`s given and asked for here never count that axis unless said so.
class PairBuilder {
 public:
  explicit PairBuilder(ir::Graph& graph);

  /// The next node; what is emitted from now on stands in for it.
  void begin(ir::Node node);
  void keep();    ///< as it is
  void finish();  ///< what was built takes the place of what was

  const ir::Node& node() const { return node_; }
  /// "mul" for aten::mul.Tensor and aten::mul.Scalar.
  std::string_view word() const { return word_; }
  bool has(std::string_view argument) const;
  bool involves_complex() const;
  // --- the node's arguments ---
  const ir::Attr* find(std::string_view argument) const { return node_.find(argument); }
  bool is_none(std::string_view argument) const;  ///< or not in the schema
  /// A tensor operand as it stands in the file, pairs or real; kNoValue if absent or a number.
  ir::ValueId tensor(std::string_view argument) const;
  bool is_complex(std::string_view argument) const;  ///< a complex tensor, or a number like 1j
  bool is_complex_tensor(std::string_view argument) const;
  bool is_complex(ir::ValueId original) const;
  Complex operand(std::string_view argument);            ///< tensor or number, in `component()`
  ir::ValueId operand_pairs(std::string_view argument);  ///< the same; numbers have the shape [2]
  std::complex<double> number_of(std::string_view argument) const;
  int64_t integer(std::string_view argument, int64_t otherwise) const;
  bool flag(std::string_view argument, bool otherwise) const;
  std::string text(std::string_view argument, std::string_view otherwise) const;
  std::vector<ir::Dim> dims(std::string_view argument) const;  ///< an integer is a list of one
  ir::Ints axes(std::string_view argument, int rank) const;    ///< the same, in [0, rank)
  /// The dtype that real and imaginary parts are computed in.
  ir::DType component() const;

  // --- values, by their number in the new graph ---
  ir::ValueId resolve(ir::ValueId id) const { return now_.at(static_cast<size_t>(id)); }
  ir::DType dtype(ir::ValueId id) const { return value(id).dtype; }
  /// With the last axis of pairs.
  const ir::Shape& shape(ir::ValueId id) const { return value(id).shape; }
  int rank(ir::ValueId id) const { return static_cast<int>(shape(id).size()); }
  const ir::Value& output(int index = 0) const;
  bool is_output_complex(int index = 0) const;
  ir::Shape output_shape(int index = 0) const;  ///< without the axis of pairs

  // --- building; operands are numbers of the new graph ---
  std::vector<ir::ValueId> emit_all(std::string_view op, std::vector<ir::Argument> args,
                                    const std::vector<std::pair<ir::DType, ir::Shape>>& results);
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   ir::Shape shape);
  ir::ValueId unary(std::string_view op, ir::ValueId x);
  /// The result has the dtype of `a`; comparisons and logic give booleans.
  ir::ValueId binary(std::string_view op, ir::ValueId a, ir::ValueId b);
  ir::ValueId where(ir::ValueId condition, ir::ValueId a, ir::ValueId b);
  ir::ValueId cast(ir::ValueId x, ir::DType dtype);
  ir::ValueId number(double value, ir::DType dtype);  ///< of rank 0
  ir::ValueId constant(const ir::Ints& shape, const std::vector<double>& values, ir::DType dtype);
  ir::ValueId expand(ir::ValueId x, const ir::Shape& shape);
  ir::ValueId reshape(ir::ValueId x, const ir::Shape& shape);
  ir::ValueId unsqueeze(ir::ValueId x, int axis);
  ir::ValueId select(ir::ValueId x, int axis, int64_t index);
  ir::ValueId slice(ir::ValueId x, int axis, const ir::Dim& start, const ir::Dim& end);
  ir::ValueId permute(ir::ValueId x, const ir::Ints& order);
  /// Zeros around one axis.
  ir::ValueId pad(ir::ValueId x, int axis, int64_t before, int64_t after);

  Complex parts(ir::ValueId pairs);
  ir::ValueId pairs(ir::ValueId real);  ///< with zeros as imaginary parts
  ir::ValueId pairs(const Complex& x, const ir::Shape& shape);

  // --- results ---
  void define(ir::ValueId value,
              int index = 0);  ///< of the output's dtype and shape, or cast to it
  void define(const Complex& value, int index = 0);
  /// The operation cannot be said in real numbers: an error if anything needs its result.
  void refuse(std::string_view why, std::string_view help = {});

 private:
  ir::Value& value(ir::ValueId id) { return graph_.values[static_cast<size_t>(id)]; }
  const ir::Value& value(ir::ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }
  void make_pairs(ir::ValueId id);
  ir::ValueId add_value(std::string name, ir::DType dtype, ir::Shape shape);

  ir::Graph& graph_;
  passes::FreshNames names_;
  passes::FreshCalls calls_;
  std::vector<bool> complex_;     ///< by the old number
  std::vector<ir::ValueId> now_;  ///< by the old number: what is read instead
  std::map<ir::ValueId, Complex> parts_;
  std::map<std::pair<double, ir::DType>, ir::ValueId> numbers_;
  std::unordered_set<ir::ValueId> named_;  ///< bear the name of what they stand for
  std::vector<ir::Node> done_;
  ir::Node node_;
  std::string word_;
  size_t first_new_ = 0;
};

}  // namespace t2n::complex
