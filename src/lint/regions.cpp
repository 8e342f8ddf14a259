// SPDX-License-Identifier: Apache-2.0
// Finds tensors whose integer factors give the engine a number that it never finishes computing.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"
#include "src/spec/dialect.h"
#include "src/tract_forms/outside.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;
using tract_forms::Outside;

bool is_pointwise(std::string_view op) {
  constexpr std::array<std::string_view, 16> kNames = {"add", "sub", "mul", "div",   "pow", "min",
                                                       "max", "lt",  "gt",  "le",    "ge",  "eq",
                                                       "ne",  "and", "or",  "select"};
  return is_one_of(op, kNames) || nnef_ops::book().at(op).is(nnef_ops::kElementUnary);
}

/// The integers of one element among the stored tensors, by label.
std::map<std::string, double> stored_integers(const nnef::Document& document) {
  std::map<std::string, double> out;
  for (const nnef::Blob& blob : document.blobs)
    if (!ir::is_float(blob.dtype) && blob.parts.size() == 1 && blob.parts[0].elements() == 1 &&
        !blob.parts[0].bytes.empty())
      out[blob.label] = ir::to_f64(blob.parts[0])[0];
  return out;
}

/// A region of interest, and how many unions were made of numbers beyond 64 bits. Each of these
/// doubles the time.
struct Region {
  Outside outside;
  int64_t beyond = 0;
};

/// With 12 of them, a file takes 4 s to load; with 15, 16 s.
constexpr int64_t kMostBeyond = 17;

Region union_of(const Region& a, const Region& b) {
  if (a.outside == b.outside && !a.outside.is_union) return a;
  Region out{tract_forms::outside_union(a.outside, b.outside), a.beyond + b.beyond};
  if (std::abs(out.outside.number) > 0x1p63) ++out.beyond;
  out.beyond = std::min(out.beyond, kMostBeyond + 1);
  return out;
}

/// The regions of interest of the tensors of a body: see src/tract_forms/regions.h.
class RegionLint {
 public:
  RegionLint(std::span<const nnef::Assignment> body, const std::map<std::string, double>& stored)
      : body_(body), stored_(stored) {
    for (const nnef::Assignment& statement : body) read_constant(statement);
  }

  /// The first tensor whose number is too large, in reverse order.
  std::optional<std::string> run() {
    for (auto statement = body_.rbegin(); statement != body_.rend(); ++statement) {
      const std::string name = nnef::first_name(statement->left);
      const auto region = region_of(name);
      if (region && region->beyond > kMostBeyond) return name;
      add_uses(statement->right, region);
    }
    return {};
  }

 private:
  void read_constant(const nnef::Assignment& statement) {
    const Value& call = statement.right;
    const std::string name = nnef::first_name(statement.left);
    if (call.text == "variable") {
      constants_.insert(name);
      const Value* const label = nnef::find_argument(call, "label");
      if (const auto found = label ? stored_.find(label->text) : stored_.end();
          found != stored_.end())
        integers_[name] = found->second;
    } else if (const auto number = integer(call)) {
      constants_.insert(name);
      integers_[name] = *number;
    }
  }

  /// tract_core_cast(3, to = 'i64'), or the name of such a constant.
  std::optional<double> integer(const Value& value) const {
    if (value.kind == Kind::identifier) {
      const auto found = integers_.find(value.text);
      return found == integers_.end() ? std::nullopt : std::optional(found->second);
    }
    if (value.kind != Kind::invocation || value.text != "tract_core_cast") return {};
    const Value* const type = nnef::find_argument(value, "to");
    const Value& operand = value.arguments.at(0).value;
    if (type == nullptr || type->text.starts_with("f")) return {};
    return operand.kind == Kind::integer ? std::optional(static_cast<double>(operand.integer))
                                         : std::nullopt;
  }

  std::optional<Region> region_of(const std::string& name) const {
    std::optional<Region> out;
    const auto found = uses_.find(name);
    if (found == uses_.end()) return out;
    for (auto use = found->second.rbegin(); use != found->second.rend(); ++use)
      out = out ? union_of(*out, *use) : *use;
    return out;
  }

  void add_use(const Value& tensor, const std::optional<Region>& region) {
    if (tensor.kind == Kind::identifier && region && region->outside.number != 0 &&
        !constants_.contains(tensor.text))
      uses_[tensor.text].push_back(*region);
  }

  void add_uses(const Value& call, const std::optional<Region>& region) {
    const bool multiplies = call.text == "mul" || call.text == "div" || call.text == "and";
    for (const size_t i : {size_t{0}, size_t{1}}) {
      if (!multiplies || call.arguments.size() != 2) break;
      if (const auto factor = integer(call.arguments[i].value))
        return add_use(call.arguments[1 - i].value, Region{{1 - *factor}});
    }
    if (!is_pointwise(call.text) && !tract_forms::hands_regions_on(call.text)) return;
    for (const nnef::Argument& argument : call.arguments) {
      add_use(argument.value, region);
      if (argument.value.kind == Kind::array)
        for (const Value& item : argument.value.items) add_use(item, region);
    }
  }

  std::span<const nnef::Assignment> body_;
  const std::map<std::string, double>& stored_;
  std::set<std::string> constants_;
  std::map<std::string, double> integers_;
  std::map<std::string, std::vector<Region>> uses_;  ///< the last one first
};

}  // namespace

std::optional<TractFinding> large_regions(const nnef::Document& document) {
  const auto target = stated_target(document);
  if (target && !target::has(*target, target::Feature::open_sizes)) return {};
  const std::map<std::string, double> stored = stored_integers(document);
  std::vector<std::span<const nnef::Assignment>> bodies = {document.graph.body};
  for (const nnef::Fragment& fragment : document.fragments) bodies.emplace_back(fragment.body);
  for (const auto& body : bodies)
    if (const auto name = RegionLint(body, stored).run())
      return TractFinding{
          .name = *name,
          .problem = cat(quoted(*name),
                         ": the engine does not finish loading, as it takes unions of the "
                         "many integer factors of this tensor"),
          .sizes = {},
          .symbols = {}};
  return {};
}

}  // namespace t2n::spec
