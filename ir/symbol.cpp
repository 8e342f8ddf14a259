// SPDX-License-Identifier: Apache-2.0
#include "ir/symbol.h"

#include <charconv>
#include <optional>
#include <ostream>

#include "src/diag/error.h"

namespace t2n::ir {
namespace {

constexpr std::string_view kSize = "size.", kIteration = "iteration.", kUnbacked = "born.";

std::optional<int64_t> number_of(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string Symbol::str() const {
  if (const AxisSize* size = axis_size()) return cat(kSize, size->value, ".", size->axis);
  if (const Iteration* iteration = std::get_if<Iteration>(&what))
    return cat(kIteration, iteration->depth);
  if (const Unbacked* named = unbacked()) return cat(kUnbacked, named->name);
  return std::get<Declared>(what).name;
}

std::ostream& operator<<(std::ostream& out, const Symbol& symbol) { return out << symbol.str(); }

Symbol parse_symbol(std::string_view text) {
  if (text.starts_with(kUnbacked) && text.size() > kUnbacked.size())
    return Symbol::Unbacked{std::string(text.substr(kUnbacked.size()))};
  const size_t dot = text.rfind('.');
  if (dot == text.npos) return text;
  const auto number = number_of(text.substr(dot + 1));
  if (number && text.starts_with(kSize) && dot > kSize.size())
    return Symbol::AxisSize{std::string(text.substr(kSize.size(), dot - kSize.size())), *number};
  if (number && text.starts_with(kIteration) && dot + 1 == kIteration.size())
    return Symbol::Iteration{*number};
  return text;
}

}  // namespace t2n::ir
