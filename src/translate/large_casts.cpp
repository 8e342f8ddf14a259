// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/draft/attribute.h"
#include "src/nnef/walk.h"
#include "src/spec/input_facts.h"
#include "src/translate/folded_weights.h"
#include "src/translate/statements.h"

namespace t2n::ops {
namespace {

using ir::Ints;

class Splitting {
 public:
  Splitting(nnef::Document& document, const draft::Notes& notes, const UnpackedParts& unpacked)
      : document_(document), notes_(notes), unpacked_(unpacked), statements_(document) {}

  void run() {
    for (nnef::Assignment& statement : std::exchange(document_.graph.body, {})) {
      if (statement.right.text == "variable") variables_.insert(nnef::first_name(statement.left));
      if (!split(statement)) statements_.add(std::move(statement));
    }
    document_.graph.body = statements_.take();
    drop_unread();
  }

 private:
  bool split(const nnef::Assignment& statement) {
    const std::string name = nnef::first_name(statement.left);
    const auto note = notes_.tensors.find(name);
    if (statement.right.text != "tract_core_cast" || note == notes_.tensors.end()) return false;
    const std::string operand = statement.right.arguments.at(0).value.text;
    const bool is_variable = variables_.contains(operand);
    const auto parts = unpacked_.find(operand);
    if (!is_variable && parts == unpacked_.end()) return false;
    const Ints shape = ir::static_shape(note->second.shape);
    const int64_t bytes = ir::element_count(shape) * ir::dtype_size(note->second.dtype);
    if (bytes <= kFoldedBytes) return false;
    if (is_variable) return split_variable(statement, shape, bytes);
    join_parts(statement, shape, parts->second);
    return true;
  }

  /// The cast of `operand` instead. Returns the name of the result.
  nnef::Value cast(const nnef::Assignment& statement, const std::string& operand) {
    const std::string name = statements_.new_name(cat(nnef::first_name(statement.left), "_part"));
    std::vector<nnef::Argument> arguments = statement.right.arguments;
    arguments.at(0).value = nnef::identifier(operand);
    statements_.add(name, statement.right.text, std::move(arguments));
    return nnef::identifier(name);
  }

  /// Along the first axis that has small enough parts; false if there is none.
  bool split_variable(const nnef::Assignment& statement, const Ints& shape, int64_t bytes) {
    size_t axis = 0;
    while (axis < shape.size() && bytes / shape[axis] > kFoldedBytes) ++axis;
    if (axis == shape.size()) return false;
    const int64_t length = kFoldedBytes / (bytes / shape[axis]);
    const std::string name = nnef::first_name(statement.left);
    nnef::Values parts;
    for (int64_t first = 0; first < shape[axis]; first += length) {
      const std::string part = statements_.new_name(cat(name, "_slice"));
      statements_.add_slice(part, statement.right.arguments.at(0).value, static_cast<int64_t>(axis),
                            first, std::min(shape[axis], first + length));
      parts.push_back(cast(statement, part));
    }
    statements_.add_joined(name, std::move(parts), static_cast<int64_t>(axis));
    return true;
  }

  void join_parts(const nnef::Assignment& statement, const Ints& shape,
                  const std::vector<std::string>& parts) {
    const std::string name = nnef::first_name(statement.left);
    nnef::Values casts;
    for (const std::string& part : parts) casts.push_back(cast(statement, part));
    const std::string row = statements_.new_name(cat(name, "_joined"));
    statements_.add_joined(row, std::move(casts), 0);
    constexpr int64_t kByte = 8;  // parts hold a multiple of 8 integers
    const int64_t count = ir::element_count(shape);
    statements_.add_shaped(name, row, (count + kByte - 1) / kByte * kByte, shape);
  }

  /// Unpacked weights that nothing reads any more.
  void drop_unread() {
    std::set<std::string, std::less<>> read(document_.graph.results.begin(),
                                            document_.graph.results.end());
    std::vector<nnef::Assignment>& body = document_.graph.body;
    std::vector<nnef::Assignment> kept;
    for (auto statement = body.rbegin(); statement != body.rend(); ++statement) {
      bool is_read = spec::is_external(statement->right);
      for (const std::string_view name : nnef::assigned_names(statement->left))
        is_read = is_read || read.contains(name);
      if (!is_read) continue;
      nnef::walk(statement->right, [&](const nnef::Value& value) {
        if (value.kind == nnef::Kind::identifier) read.insert(value.text);
      });
      kept.push_back(std::move(*statement));
    }
    body.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  nnef::Document& document_;
  const draft::Notes& notes_;
  const UnpackedParts& unpacked_;
  Statements statements_;
  std::set<std::string, std::less<>> variables_;
};

}  // namespace

void split_large_casts(nnef::Document& document, const draft::Notes& notes,
                       const UnpackedParts& unpacked, const target::Target& target) {
  if (limits_folding(target)) Splitting(document, notes, unpacked).run();
}

}  // namespace t2n::ops
