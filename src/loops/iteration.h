// SPDX-License-Identifier: Apache-2.0
// Expressions over a loop's iteration number, and the operations that use them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ir/building.h"
#include "ir/graph.h"

namespace t2n::loops {

/// True if the value depends on a loop's iteration number. Each running loop has a symbol for it.
bool mentions_iteration(const ir::Dim& dim);
bool mentions_iteration(const ir::Attr& attr);
bool mentions_iteration(const ir::Node& node);
/// The same for one symbol.
bool mentions(const ir::Attr& attr, const ir::Symbol& symbol);
bool mentions(const ir::Node& node, const ir::Symbol& symbol);

/// The expression with the symbol replaced by `by`.
ir::Dim replaced(const ir::Dim& dim, const ir::Symbol& symbol, const ir::Dim& by);
/// The coefficient, if `dim` = coefficient * symbol + its value at 0.
std::optional<int64_t> coefficient(const ir::Dim& dim, const ir::Symbol& symbol);

/// For a remainder or a quotient of a division by a constant: the remainder and the constant.
/// Nothing for any other atom.
std::optional<std::pair<ir::Dim, int64_t>> remainder_of(const ir::Atom& atom);

/// The value of an expression in the sample's run, if the graph has it.
std::optional<int64_t> sample_of(const ir::Graph& graph, const ir::Dim& dim);

/// An argument that is a number or a size.
ir::Argument size_argument(std::string name, const ir::Dim& value);
/// An argument of the operation, if it exists and is a size.
const ir::Dim* dim_of(const ir::Node& node, std::string_view name);
/// True for x[:].
bool is_full_slice(const ir::Node& slice);
/// The argument `dim`, counted from the front.
int64_t axis_of(const ir::Node& node, size_t rank);

/// The slice of one element that an iteration reads from a tensor, or writes to it.
struct OneSlice {
  int64_t axis = 0;
  ir::Dim index;
  bool keeps_axis = false;
};
/// Consecutive elements of an axis.
struct AxisPart {
  int64_t axis = 0;
  ir::Dim index;
  bool keeps_axis = false;
  int64_t width = 1;
};
/// The part of select, slice, narrow and their scattering counterparts, if its width is constant.
std::optional<AxisPart> axis_part_of(const ir::Node& node, size_t rank);
/// The slice of select, slice, narrow and their scattering counterparts.
std::optional<OneSlice> one_slice_of(const ir::Node& node, size_t rank);

/// For messages at a location without a node.
ir::Node node_at(ir::Location location);

inline constexpr const char* kRefusedLoop =
    "a loop of dynamic length cannot be expressed as one scan";
inline constexpr const char* kIterationHelp =
    "use the iteration number as a tensor, or only add a constant to it";
/// Errors: `short-loop` for fewer than three iterations, which are too few to compare. The tracer
/// adds the location itself.
void require_iterations(int64_t count, std::vector<Where> where = {});
/// Throws error `dynamic-loop` at the location of a node.
[[noreturn]] void refuse_loop(const ir::Graph& graph, const ir::Node& node, std::string why,
                              std::string help);
/// The same for tensors that may have another length after each iteration, if they are read later.
[[noreturn]] void refuse_part(const ir::Graph& graph, ir::Location location);
/// The same without a location, which the tracer adds.
[[noreturn]] void refuse_loop(std::string why, std::string help);

}  // namespace t2n::loops
