// SPDX-License-Identifier: Apache-2.0
// The book of operators, as the families fill it.
#pragma once

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rearrangement.h"
#include "src/diag/one_of.h"
#include "src/shapes/shape_rule.h"
#include "src/translate/integer_rules.h"
#include "src/translate/translation.h"

namespace t2n::ops {

using ir::Relation;
using ir::ZeroSign;
using shapes::all_but_last;
using shapes::atleast_nd;
using shapes::dim_rank;
using shapes::last_dims;
using shapes::Shapes;
using shapes::ShapeView;
using shapes::with_dim;
using shapes::without;

/// Every family writes here what it knows about its operators: a column for each kind of fact.
class Registry {
 public:
  using Names = std::vector<std::string_view>;
  using Location = std::source_location;

  void add(Entry entry, const Location& location = Location::current());
  /// Adds an entry for each name.
  void same(const Names& ops, const Shared& shared, const Location& location = Location::current());
  /// The same for elementwise operators: the results have the shape that all tensors among the
  /// arguments broadcast to.
  void elementwise(Entry entry, const Location& location = Location::current());
  void elementwise(const Names& ops, const Shared& shared,
                   const Location& location = Location::current());
  /// Refuses operators that no target supports, with the reason.
  void refuse(const Names& ops, std::string_view doc, const Refusal& refusal,
              const Location& location = Location::current());
  void unary(std::span<const UnaryRow> rows, Translate translate = unary_row,
             const Location& location = Location::current());
  void binary(std::span<const BinaryRow> rows, Translate translate = binary_row,
              const Location& location = Location::current());

  /// Names are separated by spaces; the namespace is aten by default. A name without overload
  /// stands for all overloads.
  template <typename T>
  void facts(const T& fact, std::string_view names, const Location& location) {
    for_each_word(names, [&](std::string_view name) { set(qualified(name), fact, location); });
  }
  /// The shapes of the results.
  void shapes(shapes::ShapeRule rule, std::string_view names,
              const Location& location = Location::current()) {
    facts(shapes::ResultShapes{rule}, names, location);
  }
  /// The range of integer results.
  void bounds(const IntegerRule& rule, std::string_view names,
              const Location& location = Location::current()) {
    facts(rule, names, location);
  }
  /// Which arguments move elements.
  void rearranges(const ir::Rearrangement& how, std::string_view names,
                  const Location& location = Location::current()) {
    facts(how, names, location);
  }
  /// Acts on real and imaginary parts separately.
  void linear(std::string_view names, const Location& location = Location::current()) {
    facts(ir::Linear{}, names, location);
  }
  /// The signs of zeros.
  void zero_signs(ir::ZeroSign fact, std::string_view names,
                  const Location& location = Location::current()) {
    facts(fact, names, location);
  }

  /// All columns.
  const ir::OpTable& table() const { return table_; }
  /// The translation; nullptr for an operator that has none.
  const Entry* find(ir::OpId op) const { return table_.exact<Entry>(op); }
  std::vector<ir::OpId> ops() const { return table_.ops<Entry>(); }  ///< all operators, by name
  /// The variant for a target; nullptr if the operator or a suitable variant is missing.
  const Variant* variant(ir::OpId op, const target::Target& target) const;

 private:
  template <typename T>
  void set(std::string_view name, T fact, const Location& location) {
    table_.set(name, std::move(fact), cat(location.file_name(), ":", location.line()));
  }
  /// "aten::add" for "add".
  static std::string qualified(std::string_view name);

  ir::OpTable table_;
};

}  // namespace t2n::ops
