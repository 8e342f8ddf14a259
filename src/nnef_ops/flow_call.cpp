// SPDX-License-Identifier: Apache-2.0
#include "src/nnef_ops/flow_call.h"

#include <algorithm>
#include <numeric>

#include "ir/atoms.h"
#include "src/nnef/walk.h"
#include "src/spec/dimension.h"

namespace t2n::nnef_ops {
namespace {

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

/// Names of literals are replaced by them.
spec::Arguments literals(spec::Arguments arguments, const FlowCall::LiteralOf& literal) {
  for (const nnef::Value*& each : arguments)
    if (each != nullptr) each = &literal(*each);
  return arguments;
}

}  // namespace

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

FlowCall::FlowCall(const nnef::Fragment& declaration, const nnef::Value& invocation,
                   const FlowOf& flow, const LiteralOf& literal, std::string symbol,
                   const ir::Shape* result)
    : BoundCall(declaration, literals(BoundCall(declaration, invocation).arguments(), literal)),
      flow_(flow),
      literal_(literal),
      symbol_(std::move(symbol)),
      result_(result) {}

Flows FlowCall::flows(std::string_view parameter) const {
  Flows out;
  for (const nnef::Value& item : value(parameter).items) out.push_back(flow_(item));
  return out;
}

Flows FlowCall::operands() const {
  Flows out;
  for (size_t i = 0; i < arguments().size(); ++i) {
    const nnef::Value* const argument = arguments()[i];
    if (argument == nullptr || !declaration().parameters[i].type.starts_with("tensor")) continue;
    if (argument->kind == nnef::Kind::array)
      for (const nnef::Value& item : argument->items) out.push_back(flow_(item));
    else
      out.push_back(flow_(*argument));
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

ir::Ints FlowCall::ints(std::string_view parameter) const {
  ir::Ints out;
  for (const nnef::Value& item : value(parameter).items) {
    const auto entry = number(item);
    if (!entry) blocked(cat("has no constant ", parameter));
    out.push_back(*entry);
  }
  return out;
}

spec::Pairs FlowCall::pairs(std::string_view parameter) const {
  spec::Pairs out;
  for (const nnef::Value& item : value(parameter).items) {
    const nnef::Value& pair = literal_(item);
    const auto first = pair.items.size() == 2 ? number(pair.items[0]) : std::nullopt;
    const auto second = first ? number(pair.items[1]) : std::nullopt;
    if (!second) blocked(cat("has no constant ", parameter));
    out.emplace_back(*first, *second);
  }
  return out;
}

bool FlowCall::reads_length() const {
  return std::any_of(arguments().begin(), arguments().end(), [&](const nnef::Value* argument) {
    return argument != nullptr && mentions(*argument, symbol_);
  });
}

void FlowCall::refuse_length(std::initializer_list<std::string_view> parameters) const {
  for (const std::string_view parameter : parameters)
    if (const nnef::Value* const argument = find(parameter);
        argument != nullptr && mentions(*argument, symbol_))
      blocked("uses the total input length", kNoEnd);
}

Flow combined_flow(const Flows& flows) {
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

Flows elementwise_flow(const FlowCall& call) {
  Flow out = combined_flow(call.operands());
  // Sizes among operands are numbers that depend on the length.
  if (!out.streams() && out.known) blocked("uses the total input length", kNoEnd);
  return {out};
}

Flow along_other_axes(const FlowCall& call, const ir::Ints& axes, const char* what) {
  Flow out = call.first_flow();
  if (std::find(axes.begin(), axes.end(), out.axis) != axes.end())
    blocked(
        cat(what, " over the entire stream"),
        "use an operation on a fixed number of time steps: a convolution, a pool or a recurrent "
        "layer");
  out.shape = nullptr;
  return out;
}

}  // namespace t2n::nnef_ops
