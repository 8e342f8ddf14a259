// Names for sizes that follow from the values of tensors.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/dynamic/level.h"

namespace t2n::dynamic {

/// Whether the size of an axis of a result is in the values of what follows from inputs.
bool bears_size(const ir::Graph& graph, const ir::Node& node);
bool has_births(const ir::Graph& graph);
/// A size that follows from values stands in it.
bool is_born(const Comparison& comparison);

/// Whether born_size() stands in what a rule said.
bool has_unnamed(const std::vector<ir::Shape>& shapes);
/// The sizes that such values had in another trace of the same graph, whose shapes are expressions.
Sizes born_sizes(const ir::Graph& graph, const ir::Graph& traced);

/// No more elements are nonzero than there are, of a graph whose shapes are expressions.
std::vector<Comparison> bounds_of_births(const ir::Graph& graph);

struct Born {
  Symbol symbol;
  std::optional<ir::Dim> most;  ///< it is no larger
};

/// The sizes that a graph bears. Nonzero elements of one and the same tensor are counted once, so
/// that what is indexed by one mask has one size.
class Births {
 public:
  /// `taken`: names that stand for something else.
  explicit Births(const Sizes& taken);

  /// The name of the size that a rule said by born_size() of an operation of `level`; it is in
  /// `shapes` then. `trials` get what it was. Nothing if that cannot be told.
  std::optional<Born> name(const Level& level, const ir::Node& node, std::vector<ir::Shape>& shapes,
                           const std::vector<Sizes*>& trials);

 private:
  int number(const ir::Graph& graph, ir::ValueId value);
  std::string counted(const ir::Graph& graph, const ir::Node& node);
  Symbol new_symbol(const std::string& value);

  std::set<std::string> names_;
  std::map<std::string, Symbol> known_;  ///< by what is counted
  // Values that are computed alike have one number.
  std::map<std::string, int> computed_;
  std::map<ir::ValueId, int> numbers_;
  std::vector<int> producers_;
};

}  // namespace t2n::dynamic
