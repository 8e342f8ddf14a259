// Finds packed weights whose blocks the engine would have to split.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/walk.h"

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
    constexpr std::array<std::string_view, 5> kPass = {"slice", "squeeze", "unsqueeze", "transpose",
                                                       "copy"};
    constexpr std::array<std::string_view, 4> kProducts = {"matmul", "linear", "conv",
                                                           "tract_core_einsum"};
    const auto names = nnef::assigned_names(statement.left);
    const std::string_view op = statement.right.text;
    const auto reads = [&](const std::set<std::string_view>& set) {
      bool found = false;
      nnef::walk(statement.right, [&](const nnef::Value& value) {
        found = found || (value.kind == nnef::Kind::identifier && set.contains(value.text));
      });
      return found;
    };
    const auto add = [&](std::set<std::string_view>& to) { to.insert(names.begin(), names.end()); };
    if (op == "variable" && is_packed(statement.right)) add(packed_);
    if (is_one_of(op, kPass) && reads(packed_)) add(packed_);
    if (op == "concat" || op == "stack" || (is_one_of(op, kPass) && reads(concatenated_)))
      add(concatenated_);
    if (!is_one_of(op, kProducts) || !reads(packed_) || !reads(concatenated_)) return {};
    const std::string name(names.empty() ? "" : names[0]);
    return TractFinding{
        .name = name,
        .problem =
            cat(quoted(name), ": ", quoted(op),
                " of concatenated tensors and a packed weight, which the engine would split"),
        .sizes = {},
        .symbols = {}};
  }

  bool is_packed(const nnef::Value& variable) const {
    return std::any_of(variable.arguments.begin(), variable.arguments.end(),
                       [&](const nnef::Argument& each) {
                         return each.name == "label" && labels_.contains(each.value.text);
                       });
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
