// SPDX-License-Identifier: Apache-2.0
// Finds packed weights whose blocks the engine would have to split.
#include <set>
#include <string_view>

#include "src/diag/error.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"

namespace t2n::spec {
namespace {

class PackedLint {
 public:
  explicit PackedLint(const nnef::Document& document) : document_(document) {
    for (const nnef::Blob& blob : document.blobs)
      if (blob.q4_0) labels_.insert(blob.label);
  }

  std::optional<TractFinding> run() {
    if (labels_.empty()) return {};
    for (const nnef::Assignment& statement : document_.graph.body)
      if (const auto found = check(statement)) return found;
    return {};
  }

 private:
  std::optional<TractFinding> check(const nnef::Assignment& statement) {
    const auto names = nnef::assigned_names(statement.left);
    const std::string_view op = statement.right.text;
    const nnef_ops::Operation& operation = nnef_ops::book().at(op);
    const auto reads = [&](const std::set<std::string_view>& set) {
      bool found = false;
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        found = found || (value.kind == nnef::Kind::identifier && set.contains(value.text));
      });
      return found;
    };
    const auto add = [&](std::set<std::string_view>& to) { to.insert(names.begin(), names.end()); };
    if (op == "variable" && is_packed(statement.right)) add(packed_);
    if (operation.is(nnef_ops::kMovesAxes) && reads(packed_)) add(packed_);
    if (operation.is(nnef_ops::kJoin) ||
        (operation.is(nnef_ops::kMovesAxes) && reads(concatenated_)))
      add(concatenated_);
    if (!operation.is(nnef_ops::kProduct) || !reads(packed_) || !reads(concatenated_)) return {};
    const std::string name = nnef::first_name(statement.left);
    return TractFinding{
        .name = name,
        .problem =
            cat(quoted(name), ": ", quoted(op),
                " of concatenated tensors and a packed weight, which the engine would split"),
        .sizes = {},
        .symbols = {}};
  }

  bool is_packed(const nnef::Value& variable) const {
    const nnef::Value* const label = nnef::find_argument(variable, "label");
    return label != nullptr && labels_.contains(label->text);
  }

  const nnef::Document& document_;
  std::set<std::string_view> labels_;
  std::set<std::string_view> packed_;  ///< identifiers
  std::set<std::string_view> concatenated_;
};

}  // namespace

std::optional<TractFinding> packed_joins(const nnef::Document& document) {
  return PackedLint(document).run();
}

}  // namespace t2n::spec
