// SPDX-License-Identifier: Apache-2.0
// Symbols of sizes: integers that are known at run time.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace t2n::ir {

/// A non-negative integer that is known at run time. Text is a declared name.
struct Symbol {
  struct Declared {
    std::string name;
    auto operator<=>(const Declared&) const = default;
  };
  struct AxisSize {  ///< of a value of the graph
    std::string value;
    int64_t axis = 0;
    auto operator<=>(const AxisSize&) const = default;
  };
  struct Iteration {  ///< the iteration number of a loop inside `depth` other loops
    int64_t depth = 0;
    auto operator<=>(const Iteration&) const = default;
  };
  struct Unbacked {  ///< a named axis whose size is data-dependent
    std::string name;
    auto operator<=>(const Unbacked&) const = default;
  };
  std::variant<Declared, AxisSize, Iteration, Unbacked> what;

  template <std::convertible_to<std::string_view> Text>
  Symbol(const Text& name) : what(Declared{std::string(std::string_view(name))}) {}  // NOLINT
  Symbol(AxisSize size) : what(std::move(size)) {}                                   // NOLINT
  Symbol(Iteration iteration) : what(iteration) {}                                   // NOLINT
  Symbol(Unbacked unbacked) : what(std::move(unbacked)) {}                           // NOLINT
  /// "S", "size.x.0", "iteration.0", "born.N"
  std::string str() const;
  bool is_iteration() const { return std::holds_alternative<Iteration>(what); }
  const AxisSize* axis_size() const { return std::get_if<AxisSize>(&what); }
  const Unbacked* unbacked() const { return std::get_if<Unbacked>(&what); }
  auto operator<=>(const Symbol&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Symbol& symbol);

/// Reads what Symbol::str() prints.
Symbol parse_symbol(std::string_view text);

/// The value of each symbol in one run.
using Sizes = std::map<Symbol, int64_t>;

}  // namespace t2n::ir
