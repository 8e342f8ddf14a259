// SPDX-License-Identifier: Apache-2.0
// The statements of a document that is rewritten.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/draft/attribute.h"
#include "src/nnef/ast.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/target/target.h"

namespace t2n::ops {

/// Whether tract leaves an operation on constants for every run if its result has more than
/// kFoldedBytes, and more bytes than its operands. 0.21.19 folds large results, 0.23.9 does not.
inline bool limits_folding(const target::Target& target) {
  return target.version >= target::Version{0, 22, 0};
}
inline constexpr int64_t kFoldedBytes = int64_t{4} << 20;

class Statements {
 public:
  explicit Statements(const nnef::Document& document) {
    for (const ir::Symbol& symbol : document.symbols) names_.reserve(symbol.str());
    for (const nnef::Assignment& statement : document.graph.body)
      for (const std::string_view name : nnef::assigned_names(statement.left)) names_.reserve(name);
  }

  std::string new_name(std::string_view similar) { return names_.claim(similar); }
  void add(nnef::Assignment statement) { body_.push_back(std::move(statement)); }
  void add(const std::string& name, std::string operation, std::vector<nnef::Argument> arguments,
           std::string type = {}) {
    body_.push_back({nnef::identifier(name),
                     nnef::invocation(std::move(operation), std::move(arguments), std::move(type)),
                     {}});
  }
  /// Assigns the parts, joined along an axis.
  void add_joined(const std::string& name, nnef::Values parts, int64_t axis) {
    add(name, "concat", {{"", nnef::array(std::move(parts))}, {"axis", nnef::integer(axis)}});
  }
  void add_slice(const std::string& name, nnef::Value of, int64_t axis, int64_t begin,
                 int64_t end) {
    const auto one = [](int64_t number) { return nnef::array({nnef::integer(number)}); };
    add(name, "slice",
        {{"", std::move(of)}, {"axes", one(axis)}, {"begin", one(begin)}, {"end", one(end)}});
  }
  /// Assigns the first elements of a row in this shape.
  void add_shaped(const std::string& name, std::string row, int64_t length, const ir::Ints& shape) {
    if (const int64_t count = ir::element_count(shape); count != length) {
      const std::string all = std::exchange(row, new_name(name + "_row"));
      add_slice(row, nnef::identifier(all), 0, 0, count);
    }
    add(name, "reshape",
        {{"", nnef::identifier(row)}, {"shape", draft::Attribute("shape", shape).value}});
  }

  std::vector<nnef::Assignment> take() { return std::move(body_); }

 private:
  nnef::UniqueNames names_;
  std::vector<nnef::Assignment> body_;
};

}  // namespace t2n::ops
