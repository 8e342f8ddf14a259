// SPDX-License-Identifier: Apache-2.0
// Names for data-dependent sizes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/dynamic/level.h"

namespace t2n::dynamic {

/// True if a result has a size that depends on values computed from inputs.
bool gives_unbacked_size(const ir::Graph& graph, const ir::Node& node);
/// All such operations, except those in loops.
std::vector<const ir::Node*> nodes_with_unbacked_sizes(const ir::Graph& graph);
bool has_unbacked_sizes(const ir::Graph& graph);
/// True if a result size depends on the values of tensors with dynamic axes, even if these depend
/// on sizes alone.
bool counts_over_dynamic_axes(const ir::Graph& graph, const ir::Node& node);
/// True if it contains a data-dependent size.
bool is_unbacked(const Comparison& comparison);
/// The number that was read from a tensor as a size, if the comparison is true because sizes are
/// never negative. The number itself may be negative.
std::optional<Symbol> tests_sign(const Comparison& comparison, const ir::Graph& graph);

/// The values whose data-dependent sizes are arguments of operations.
class SizeDefinitions {
 public:
  explicit SizeDefinitions(const ir::Graph& graph);
  std::set<ir::ValueId> of(const ir::Node& node) const;

 private:
  const ir::Graph& graph_;
  std::set<ir::ValueId> unbacked_;  ///< results of operations that give such sizes
  std::map<Symbol, ir::ValueId> values_;
  std::vector<int> producers_;
};

/// True if the shapes of a rule contain shapes::unbacked_size().
bool has_unnamed(const std::vector<ir::Shape>& shapes);
/// The sizes of such axes in another trace of a graph whose shapes are expressions.
Sizes unbacked_sizes(const ir::Graph& graph, const ir::Graph& traced);

/// Upper bounds, such as the number of elements for that of nonzero ones. For a graph whose shapes
/// are expressions.
std::vector<Comparison> bounds_of_unbacked_sizes(const ir::Graph& graph);

struct Unbacked {
  Symbol symbol;
  std::optional<ir::Dim> most;  ///< upper bound
};

/// The data-dependent sizes of a graph. The number of nonzero elements of a tensor has one name, so
/// that all results indexed by one mask have the same size.
class UnbackedSizes {
 public:
  /// `used`: symbols whose names are in use.
  explicit UnbackedSizes(const Sizes& used);

  /// Names the size that a rule gave as shapes::unbacked_size() for an operation of `level`, and
  /// puts the name into `shapes`. `probes` receive its values. Nothing if the size cannot be
  /// determined.
  std::optional<Unbacked> name(const Level& level, const ir::Node& node,
                               std::vector<ir::Shape>& shapes, const std::vector<Sizes*>& probes);

 private:
  int number(const ir::Graph& graph, ir::ValueId value);
  std::string count_key(const ir::Graph& graph, const ir::Node& node);
  Symbol new_symbol(const std::string& value);

  std::set<std::string> names_;
  std::map<std::string, Symbol> known_;  ///< by count_key()
  // Values that are computed in the same way have the same number.
  std::map<std::string, int> computed_;
  std::map<ir::ValueId, int> numbers_;
  std::vector<int> producers_;
};

}  // namespace t2n::dynamic
