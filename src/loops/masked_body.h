// SPDX-License-Identifier: Apache-2.0
// Axes of which every iteration reads another part: x[:, :t + 1].
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/loops/body.h"

namespace t2n::loops {

/// An axis of a body value that has all elements, although the program has only some of them. The
/// others may have any values, also NaN.
struct MaskedAxis {
  ir::ValueId inside = ir::kNoValue;  ///< bool, in the body: which ones the program has
  bool is_prefix = false;             ///< they begin with the first one
  size_t range = 0;  ///< equal for masks of the same positions, if their axes are equally long
};
using MaskedAxes = std::map<int64_t, MaskedAxis>;

/// Appends operations to a body so that elements outside of the parts never affect those inside.
class MaskedBody {
 public:
  MaskedBody(Body& body, const ir::Graph& outer) : body_(body), outer_(outer) {}

  /// Null if the program has all elements of the value.
  const MaskedAxes* find(ir::ValueId id) const;
  void set(ir::ValueId id, MaskedAxes axes);
  /// Whether the program has another value: a part of it, or an index into the part.
  bool differs(ir::ValueId id) const { return find(id) != nullptr || shifted_.contains(id); }
  /// Whether the operation reads such a value.
  bool reads_any(const ir::Node& node) const;
  /// Appends the operation, whose operands are body values. `results`: as recorded. Gives the
  /// results in the body. Errors: `dynamic-loop` for an operation that cannot be masked.
  std::vector<ir::ValueId> add(ir::Node node, std::span<const ir::Value> results);
  /// The masks of axes that an operation reduces which needs at least one element.
  const std::set<ir::ValueId>& never_empty() const { return never_empty_; }
  /// Masks whose axes must be equally long.
  const std::set<std::pair<ir::ValueId, ir::ValueId>>& equal() const { return equal_; }

 private:
  [[noreturn]] void refuse(const ir::Node& node, std::string why) const;
  const ir::Shape& shape(ir::ValueId id) const { return body_.graph().values[id].shape; }
  int64_t rank(ir::ValueId id) const { return static_cast<int64_t>(shape(id).size()); }
  std::vector<ir::ValueId> append(ir::Node node, std::span<const ir::Value> results,
                                  const MaskedAxes& axes);
  MaskedAxes results_of(ir::Node& node, std::span<const ir::Value> results);

  ir::ValueId aligned(const MaskedAxis& mask, int64_t axis, int64_t rank, const ir::Node& origin);
  ir::ValueId filled(ir::ValueId id, const ir::Ints& axes, double value, const ir::Node& origin);
  ir::ValueId count(const MaskedAxis& mask, ir::DType dtype, const ir::Node& origin);
  void divide_sum(ir::Node& node, const ir::Ints& masked, const MaskedAxes& kept,
                  const ir::Value& result);

  bool are_equal(const MaskedAxis& a, const MaskedAxis& b);
  MaskedAxes elementwise(const ir::Node& node, int64_t rank);
  MaskedAxes moved(const ir::Node& node, const ir::Ints& order) const;
  std::optional<MaskedAxes> select_end(ir::Node& node);
  static bool is_reduction(const ir::Node& node);
  bool gives_shifted_index(const ir::Node& node) const;
  MaskedAxes reduced(ir::Node& node, std::span<const ir::Value> results);
  using Labels = std::vector<std::string>;  ///< a letter for each axis: by operand, and the result
  MaskedAxes contracted(ir::Node& node, const Labels& labels);
  MaskedAxes attention(ir::Node& node);

  Body& body_;
  const ir::Graph& outer_;
  std::map<ir::ValueId, MaskedAxes> masked_;
  std::map<std::pair<ir::ValueId, int64_t>, ir::ValueId> aligned_;  ///< by mask, axes after it
  std::set<ir::ValueId> shifted_;  ///< indices that count from the first element of the axis
  std::set<ir::ValueId> never_empty_;
  std::set<std::pair<ir::ValueId, ir::ValueId>> equal_;
};

}  // namespace t2n::loops
