// SPDX-License-Identifier: Apache-2.0
// A call of an operation or fragment, with an argument for each parameter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/shape.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

using ir::Ints;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

/// One value for each parameter of the declaration: the call's, else the default; nullptr for an
/// absent optional argument. Views into the call and the declaration.
using Arguments = std::vector<const nnef::Value*>;

/// Whether the parameter is optional: its default is `false`, although it is not a logical. An
/// explicit `false` means the same.
bool may_be_absent(const nnef::Parameter& parameter);

/// The index of the parameter `name`, which must exist.
size_t parameter_index(const nnef::Fragment& declaration, std::string_view name);

/// Views of a declaration and a call, which must outlive it.
class BoundCall {
 public:
  /// Binds the arguments of a call; positional ones come first. Errors: `nnef-invalid` for missing,
  /// unknown, repeated or surplus arguments.
  BoundCall(const nnef::Fragment& declaration, const nnef::Value& invocation);
  BoundCall(const nnef::Fragment& declaration, Arguments arguments)
      : declaration_(&declaration), arguments_(std::move(arguments)) {}

  const nnef::Fragment& declaration() const { return *declaration_; }
  const std::string& operation() const { return declaration_->name; }
  const Arguments& arguments() const& { return arguments_; }
  Arguments arguments() && { return std::move(arguments_); }
  /// nullptr for an absent optional argument.
  const nnef::Value* find(std::string_view parameter) const {
    return arguments_[parameter_index(*declaration_, parameter)];
  }
  const nnef::Value& value(std::string_view parameter) const;
  const nnef::Value& first() const { return value(declaration_->parameters[0].name); }

  // Literals of the declared types.
  int64_t integer(std::string_view parameter) const { return value(parameter).integer; }
  double number(std::string_view parameter) const { return value(parameter).number; }
  bool flag(std::string_view parameter) const { return value(parameter).logical; }
  const std::string& text(std::string_view parameter) const { return value(parameter).text; }
  Ints ints(std::string_view parameter) const;
  Pairs pairs(std::string_view parameter) const;
  size_t list_size(std::string_view parameter) const { return value(parameter).items.size(); }

 private:
  const nnef::Fragment* declaration_;
  Arguments arguments_;
};

/// The items of a list of integers, or of pairs of integers.
Ints ints_of(const nnef::Value& list);
Pairs pairs_of(const nnef::Value& list);

}  // namespace t2n::spec
