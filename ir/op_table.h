// SPDX-License-Identifier: Apache-2.0
// What is known about operators: a table with a column for each type of facts (NNVM's idea).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "ir/op_registry.h"
#include "src/diag/error.h"

namespace t2n::ir {

/// Built once, from the families of operators, and handed down as an argument. The type of a fact
/// is the key of its column: any folder may define one. A fact stands under a name with overload,
/// or without one for all overloads that have no fact of their own.
class OpTable {
 public:
  /// A second fact of the same type for one name is a bug, reported with both source locations.
  template <typename T>
  void set(std::string_view name, T fact, std::string_view location) {
    auto& any = columns_[typeid(T)];
    if (!any) any = std::make_shared<Column<T>>();
    std::vector<std::optional<Row<T>>>& rows = static_cast<Column<T>*>(any.get())->rows;
    const size_t index = op_id(name);
    if (rows.size() <= index) rows.resize(index + 1);
    T2N_ASSERT(!rows[index], name, " has two entries: ", rows[index]->location, " and ", location);
    rows[index] = Row<T>{std::move(fact), std::string(location)};
  }
  /// The fact under exactly this name, or nullptr.
  template <typename T>
  const T* exact(OpId op) const {
    const Column<T>* column = find_column<T>();
    const size_t index = op;
    if (column == nullptr || index >= column->rows.size() || !column->rows[index]) return nullptr;
    return &column->rows[index]->fact;
  }
  /// The same, or else the fact for all overloads.
  template <typename T>
  const T* find(OpId op) const {
    if (const T* fact = exact<T>(op)) return fact;
    const std::string_view name = op_name(op);
    const size_t dot = name.find('.');
    return dot == std::string_view::npos ? nullptr : exact<T>(op_id(name.substr(0, dot)));
  }
  /// The names under which a column has facts, in alphabetical order.
  template <typename T>
  std::vector<OpId> ops() const {
    std::map<std::string_view, OpId> out;
    const Column<T>* column = find_column<T>();
    for (size_t i = 0; column != nullptr && i < column->rows.size(); ++i)
      if (column->rows[i]) out.emplace(op_name(static_cast<OpId>(i)), static_cast<OpId>(i));
    std::vector<OpId> ids;
    ids.reserve(out.size());
    for (const auto& [name, op] : out) ids.push_back(op);
    return ids;
  }

 private:
  template <typename T>
  struct Row {
    T fact;
    std::string location;
  };
  template <typename T>
  struct Column {
    std::vector<std::optional<Row<T>>> rows;  ///< by OpId
  };
  template <typename T>
  const Column<T>* find_column() const {
    const auto found = columns_.find(typeid(T));
    return found == columns_.end() ? nullptr : static_cast<const Column<T>*>(found->second.get());
  }

  std::unordered_map<std::type_index, std::shared_ptr<void>> columns_;
};

/// What happens to the sign of a zero operand; without a fact, the operation exposes it.
enum class ZeroSign {
  dropped,     ///< a sum of products that starts with zero
  propagated,  ///< it affects only the signs of zeros
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
