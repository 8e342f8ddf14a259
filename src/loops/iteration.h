// Expressions over the number of an iteration, and what operations say with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace t2n::loops {

/// Each size in an argument.
template <typename Visit>
void for_each_dim(const ir::Attr& attr, Visit&& visit) {
  if (const auto* one = std::get_if<ir::Dim>(&attr)) visit(*one);
  if (const auto* many = std::get_if<std::vector<ir::Dim>>(&attr))
    for (const ir::Dim& dim : *many) visit(dim);
}

/// Whether the number of an iteration, a symbol per loop that runs, stands in sizes and arguments.
bool mentions_iteration(const ir::Dim& dim);
bool mentions_iteration(const ir::Attr& attr);
bool mentions_iteration(const ir::Node& node);
/// The same of one symbol.
bool mentions(const ir::Attr& attr, const ir::Symbol& symbol);
bool mentions(const ir::Node& node, const ir::Symbol& symbol);

/// With `by` in the place of the symbol.
ir::Dim replaced(const ir::Dim& dim, const ir::Symbol& symbol, const ir::Dim& by);
/// `dim` = coefficient * symbol + the value at 0, if it is so.
std::optional<int64_t> coefficient(const ir::Dim& dim, const ir::Symbol& symbol);

/// An argument, if the operation has it and it is a size.
const ir::Dim* dim_of(const ir::Node& node, std::string_view name);
/// x[:]
bool is_whole(const ir::Node& slice);
/// The argument `dim`, counted from the front.
int64_t axis_of(const ir::Node& node, size_t rank);

/// The slice of one element that an iteration takes of a tensor, or writes to it.
struct OneSlice {
  int64_t axis = 0;
  ir::Dim place;
  bool keeps_axis = false;
};
/// Of select, slice, narrow and their scattering counterparts.
std::optional<OneSlice> one_slice_of(const ir::Node& node, size_t rank);

inline constexpr const char* kRefusedLoop =
    "a loop of dynamic length cannot be expressed as one scan";
/// Error `dynamic-loop` at the place of a node.
[[noreturn]] void refuse_loop(const ir::Graph& graph, const ir::Node& node, std::string why,
                              std::string help);

}  // namespace t2n::loops
