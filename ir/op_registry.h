// Names of operations, and columns: tables from operations to one property (NNVM's idea).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/diag/error.h"

namespace t2n::ir {

/// Index of an interned operation name such as "aten::add.Tensor"; valid in this process.
using OpId = int32_t;

OpId op_id(std::string_view name);
std::string_view op_name(OpId op);
/// The number of interned names: every OpId is below it.
OpId op_count();

/// "aten::add_.Tensor" -> "add_": the base name, as torch spells it.
std::string_view op_base_name(std::string_view name);
std::string_view op_base_name(OpId op);
/// "aten::add_.Tensor" -> "add": the short name, for scopes, names and messages. `_convolution` and
/// similar names give the public operator that they serve (`conv2d`), so that names do not depend
/// on how a file was exported.
std::string_view op_short_name(std::string_view name);
std::string_view op_short_name(OpId op);

/// One property of operations, read with O(1). A second value for the same operation is a bug,
/// reported with both source locations.
template <typename T>
class Column {
 public:
  explicit Column(std::string_view title) : title_(title) {}

  void set(OpId op, T value, std::string_view location) {
    const size_t index = op;
    if (rows_.size() <= index) rows_.resize(index + 1);
    T2N_ASSERT(!rows_[index], op_name(op), " has two entries in column '", title_,
               "': ", rows_[index]->location, " and ", location);
    rows_[index] = Row{std::move(value), std::string(location)};
  }
  const T* find(OpId op) const {
    const size_t index = op;
    return index < rows_.size() && rows_[index] ? &rows_[index]->value : nullptr;
  }
  /// Operations that have an entry, in order of interning.
  std::vector<OpId> ops() const {
    std::vector<OpId> out;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i]) out.push_back(static_cast<OpId>(i));
    return out;
  }

 private:
  struct Row {
    T value;
    std::string location;
  };
  std::string_view title_;
  std::vector<std::optional<Row>> rows_;
};

/// The dtype in which an operation computes; read by the pass `explicit-promotion`.
enum class Promotion {
  /// Tensor operands are cast to Node::compute_dtype.
  operands,
  /// The same, but integers and booleans compute in f32 (torch's default dtype): sqrt, true
  /// division.
  to_float,
};

}  // namespace t2n::ir
