// SPDX-License-Identifier: Apache-2.0
// Finds sizes that must be equal and that tract cannot prove equal: it compares them as
// expressions.
#include <map>
#include <string_view>

#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"
#include "src/tract_forms/sizes/size_text.h"

namespace t2n::spec {
namespace {

using ir::Dim;
using nnef::find_argument;
using nnef::Value;
using MaybeShape = std::optional<ir::Shape>;

/// The size as tract parses it; std::nullopt for any other expression.
std::optional<Dim> read_size(const Value& value) {
  const auto size = read_dimension(value);
  return size ? std::optional(tract_forms::parsed_form(*size)) : std::nullopt;
}

MaybeShape read_sizes(const Value* list) {
  if (list == nullptr || list->kind != nnef::Kind::array) return {};
  ir::Shape out;
  for (const Value& item : list->items) {
    const auto size = read_size(item);
    if (!size) return {};
    out.push_back(*size);
  }
  return out;
}

Dim volume_of(const ir::Shape& shape) {
  Dim out = 1;
  for (const Dim& size : shape) out = out * size;
  return out;
}

/// Propagates symbolic shapes through operations that concatenate, slice and reshape tensors.
class SizeLint {
 public:
  std::optional<TractFinding> run(const nnef::Document& document) {
    for (const nnef::Assignment& statement : document.graph.body) {
      const MaybeShape shape = shape_of(statement.right);
      if (unequal_)
        return TractFinding{.name = statement.left.text,
                            .problem = cat(quoted(statement.left.text), ": ",
                                           quoted(statement.right.text), ": ", *unequal_),
                            .sizes = {},
                            .cure = TractFinding::Cure::unknown,
                            .symbols = {}};
      if (statement.left.kind == nnef::Kind::identifier && shape)
        shapes_.emplace(statement.left.text, *shape);
    }
    return {};
  }

 private:
  MaybeShape shape_of(const Value& value) {
    if (value.kind == nnef::Kind::identifier) {
      const auto found = shapes_.find(value.text);
      return found == shapes_.end() ? MaybeShape() : found->second;
    }
    if (value.kind != nnef::Kind::invocation || value.arguments.empty()) return {};
    const std::string_view op = value.text;
    if (op == "external" || op == "tract_core_external" || op == "tract_core_broadcast")
      return read_sizes(find_argument(value, "shape"));
    if (op == "concat") return concatenated(value);
    const MaybeShape x = shape_of(value.arguments[0].value);
    if (!x) return {};
    if (op == "reshape") return reshaped(value, *x);
    if (op == "slice") return sliced(value, *x);
    if (op == "tract_core_dyn_slice") return renamed(value, *x);
    return nnef_ops::book().at(op).is(nnef_ops::kElementUnary) ? x : MaybeShape();
  }

  MaybeShape concatenated(const Value& call) {
    const Value* axis = find_argument(call, "axis");
    if (axis == nullptr) return {};
    const size_t index = axis->integer;
    MaybeShape out;
    for (const Value& part : call.arguments[0].value.items) {
      const MaybeShape shape = shape_of(part);
      if (!shape) return {};
      if (!out) {
        out = shape;
        continue;
      }
      if (shape->size() != out->size() || index >= out->size()) return {};
      for (size_t i = 0; i < shape->size(); ++i)
        if (i == index)
          (*out)[i] = (*out)[i] + (*shape)[i];
        else
          require_equal((*out)[i], (*shape)[i]);
    }
    return out;
  }

  MaybeShape reshaped(const Value& call, const ir::Shape& x) {
    if (find_argument(call, "axis_start") != nullptr) return {};
    MaybeShape out = read_sizes(find_argument(call, "shape"));
    if (!out) return {};
    for (const Dim& size : *out)
      if (size == Dim(0) || size == Dim(-1)) return {};
    require_equal(volume_of(x), volume_of(*out));
    return out;
  }

  static MaybeShape sliced(const Value& call, const ir::Shape& x) {
    const Value* axes = find_argument(call, "axes");
    const MaybeShape begin = read_sizes(find_argument(call, "begin"));
    const MaybeShape end = read_sizes(find_argument(call, "end"));
    if (!begin || !end || axes == nullptr || find_argument(call, "stride") != nullptr) return {};
    if (begin->size() != axes->items.size() || end->size() != axes->items.size()) return {};
    ir::Shape out = x;
    for (size_t i = 0; i < axes->items.size(); ++i) {
      const auto axis = static_cast<uint64_t>(axes->items[i].integer);
      if (axis >= out.size()) return {};
      out[axis] = (*end)[i] - (*begin)[i];
    }
    return out;
  }

  static MaybeShape renamed(const Value& call, const ir::Shape& x) {
    const Value* axis = find_argument(call, "axis");
    const Value* length = find_argument(call, "len");
    const auto size = length == nullptr ? std::nullopt : read_size(*length);
    if (axis == nullptr || !size) return {};
    ir::Shape out = x;
    if (static_cast<uint64_t>(axis->integer) >= out.size()) return {};
    out[axis->integer] = *size;
    return out;
  }

  /// Numbers are compared by ShapeRunner, at probe sizes.
  void require_equal(const Dim& a, const Dim& b) {
    if (a == b || a.is_constant() || b.is_constant()) return;
    unequal_ = cat("tract cannot prove that the sizes ", ir::readable(a), " and ", ir::readable(b),
                   " are equal");
  }

  std::map<std::string_view, ir::Shape> shapes_;
  std::optional<std::string> unequal_;
};

}  // namespace

std::optional<TractFinding> unequal_sizes(const nnef::Document& document) {
  return SizeLint().run(document);
}

}  // namespace t2n::spec
