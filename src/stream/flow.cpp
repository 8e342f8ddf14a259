#include "src/stream/flow.h"

#include <algorithm>
#include <numeric>

#include "ir/atoms.h"
#include "nnef/walk.h"
#include "src/spec/dimension.h"

namespace t2n::stream {

void blocked(std::string what, std::string help) {
  throw Error("not-streamable", std::move(what), {}, std::move(help));
}

bool mentions(const ir::Dim& dim, const std::string& symbol) {
  return dim.mentions(ir::Symbol(symbol));
}

bool mentions(const nnef::Value& value, const std::string& symbol) {
  bool found = false;
  nnef::walk(value, [&](const nnef::Value& part) {
    found = found || (part.kind == nnef::Kind::identifier && part.text == symbol) ||
            (part.kind == nnef::Kind::dimension && mentions(part.dim, symbol));
  });
  return found;
}

int streaming_axis(const ir::Shape& shape, const std::string& symbol) {
  int out = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!mentions(shape[i], symbol)) continue;
    if (out >= 0) return -2;
    out = static_cast<int>(i);
  }
  return out;
}

/// A number whose multiples are divisible by all divisors of the expression, nested ones too;
/// std::nullopt if a divisor is no number, or the divisors are too large.
std::optional<int64_t> exact_step(const ir::Dim& dim) {
  constexpr int64_t kMost = int64_t{1} << 30;
  int64_t out = 1;
  bool is_known = true;
  const auto join = [&](const std::optional<int64_t>& step, int64_t divisor) {
    if (!step || divisor <= 0 || divisor > kMost || *step > kMost / divisor) return false;
    const int64_t both = *step * divisor / std::gcd(out, *step * divisor);
    if (both > kMost / out) return false;
    out *= both;
    return true;
  };
  ir::for_each_atom(dim, [&](const ir::Atom& atom) {
    const ir::Operands* const operands = ir::operands_of(atom);
    if (operands == nullptr || !is_known) return;
    const bool divides =
        std::holds_alternative<ir::FloorDiv>(atom) || std::holds_alternative<ir::Mod>(atom);
    if (divides)
      is_known = operands->b.is_constant() && join(exact_step(operands->a), operands->b.value());
    else
      is_known = join(exact_step(operands->a), 1) && join(exact_step(operands->b), 1);
  });
  return is_known ? std::optional(out) : std::nullopt;
}

std::optional<Rate> rate_of(const ir::Dim& dim, const std::string& symbol) {
  const std::optional<int64_t> step = exact_step(dim);
  if (!step) return {};
  // Far beyond the numbers in minima and maxima, an expression grows linearly.
  const int64_t far = *step * (int64_t{1} << 24);
  const auto at = [&](int64_t value) -> std::optional<int64_t> {
    const ir::Dim out = spec::at_sizes(dim, {{ir::Symbol(symbol), value}});
    return out.is_constant() ? std::optional(out.value()) : std::nullopt;
  };
  const auto one = at(far), two = at(2 * far), three = at(3 * far);
  if (!one || !two || !three || *two - *one != *three - *two || *two <= *one) return {};
  const int64_t shared = std::gcd(*two - *one, far);
  return Rate{(*two - *one) / shared, far / shared};
}

const nnef::Value& FlowCall::value(std::string_view parameter) const {
  const nnef::Value* const argument = spec::argument(declaration_, arguments_, parameter);
  T2N_ASSERT(argument != nullptr, "'", declaration_.name, "' has no ", parameter);
  return literal_(*argument);
}

bool FlowCall::has(std::string_view parameter) const {
  return spec::argument(declaration_, arguments_, parameter) != nullptr;
}

std::vector<Flow> FlowCall::flows(std::string_view parameter) const {
  std::vector<Flow> out;
  for (const nnef::Value& item : value(parameter).items) out.push_back(flow_(item));
  return out;
}

std::vector<Flow> FlowCall::operands() const {
  std::vector<Flow> out;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i] == nullptr || !declaration_.parameters[i].type.starts_with("tensor"))
      continue;
    const nnef::Value& argument = literal_(*arguments_[i]);
    if (argument.kind == nnef::Kind::array)
      for (const nnef::Value& item : argument.items) out.push_back(flow_(item));
    else
      out.push_back(flow_(argument));
  }
  return out;
}

std::optional<int64_t> FlowCall::number(const nnef::Value& value) const {
  const nnef::Value& literal = literal_(value);
  if (literal.kind == nnef::Kind::integer) return literal.integer;
  const auto dim = spec::read_dimension(literal);
  return dim && dim->is_constant() ? std::optional(dim->value()) : std::nullopt;
}

int64_t FlowCall::integer(std::string_view parameter) const {
  const auto out = number(value(parameter));
  if (!out) blocked(cat("has no constant ", parameter));
  return *out;
}

bool FlowCall::flag(std::string_view parameter) const {
  const nnef::Value& argument = value(parameter);
  return argument.kind == nnef::Kind::logical ? argument.logical : integer(parameter) != 0;
}

std::string FlowCall::text(std::string_view parameter) const { return value(parameter).text; }

ir::Ints FlowCall::ints(std::string_view parameter) const {
  ir::Ints out;
  for (const nnef::Value& item : value(parameter).items) {
    const auto entry = number(item);
    if (!entry) blocked(cat("has no constant ", parameter));
    out.push_back(*entry);
  }
  return out;
}

std::vector<std::pair<int64_t, int64_t>> FlowCall::pairs(std::string_view parameter) const {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const nnef::Value& item : value(parameter).items) {
    const nnef::Value& pair = literal_(item);
    const auto first = pair.items.size() == 2 ? number(pair.items[0]) : std::nullopt;
    const auto second = first ? number(pair.items[1]) : std::nullopt;
    if (!second) blocked(cat("has no constant ", parameter));
    out.emplace_back(*first, *second);
  }
  return out;
}

bool FlowCall::reads_length(std::string_view parameter) const {
  return mentions(value(parameter), symbol_);
}

Flow combined_flow(const std::vector<Flow>& flows) {
  Flow out;
  for (const Flow& flow : flows) {
    out.known = out.known && flow.known;
    out.rank = std::max(out.rank, flow.rank);
    if (!flow.streams()) continue;
    if (out.streams() && out.axis != flow.axis)
      blocked("combines streams along different axes",
              "combining all pairs of time steps needs the complete input");
    out.axis = flow.axis;
    out.delayed = out.delayed || flow.delayed;
  }
  return out;
}

}  // namespace t2n::stream
