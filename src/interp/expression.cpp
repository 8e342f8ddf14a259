// SPDX-License-Identifier: Apache-2.0
// Expressions of NNEF 1.0.5 §3.2, except invocations.
#include <cmath>
#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "src/interp/evaluator.h"
#include "src/limits/limits.h"

namespace t2n::interp {
namespace {

std::string operation_of(std::string_view sign) {
  return sign == "&&" ? "and" : sign == "||" ? "or" : std::string(nnef::operation_of(sign));
}

[[noreturn]] void refuse_items() {
  throw Error("nnef-limit", cat("an array or a text of more than ", limits::kItems, " items"),
              "no real model needs more; a small file can request any number");
}

/// The number of primitives in a value, nested arrays included.
int64_t count_items(const Value& value, int depth = 0) {
  constexpr int kDeepest = 64;
  const auto* items = value.get<Values>();
  if (items == nullptr) return 1;
  if (depth > kDeepest)
    throw Error("nnef-limit", cat("arrays are nested more than ", kDeepest, " levels deep"));
  int64_t out = 1;
  for (const Value& item : *items) {
    out += count_items(item, depth + 1);
    if (out > limits::kItems) refuse_items();
  }
  return out;
}

template <typename T>
std::optional<Value> compared(const std::string& sign, const T& a, const T& b) {
  if (sign == "<") return Value(a < b);
  if (sign == "<=") return Value(a <= b);
  if (sign == ">") return Value(a > b);
  if (sign == ">=") return Value(a >= b);
  if (sign == "==") return Value(a == b);
  if (sign == "!=") return Value(a != b);
  return std::nullopt;
}

/// With a base above 1, 64 iterations suffice to overflow.
int64_t power(int64_t base, int64_t exponent) {
  if (exponent >= 0 && (base == 0 || base == 1 || base == -1))
    return exponent == 0 ? 1 : exponent % 2 == 1 ? base : base * base;
  int64_t out = 1;
  bool overflows = exponent < 0;
  for (int64_t iteration = 0; iteration < exponent && !overflows; ++iteration)
    overflows = __builtin_mul_overflow(out, base, &out);
  if (overflows) fail(cat(base, " ^ ", exponent, " does not fit a 64-bit integer"));
  return out;
}

std::optional<Value> combined(const std::string& sign, int64_t a, int64_t b) {
  int64_t out = 0;
  bool overflows = false;
  if (sign == "+")
    overflows = __builtin_add_overflow(a, b, &out);
  else if (sign == "-")
    overflows = __builtin_sub_overflow(a, b, &out);
  else if (sign == "*")
    overflows = __builtin_mul_overflow(a, b, &out);
  else if (sign == "/" && b != 0 && b != -1)
    out = a / b;
  else if (sign == "/")
    overflows = b == 0 || __builtin_sub_overflow(int64_t{0}, a, &out);
  else if (sign == "^")
    out = power(a, b);
  else
    return compared(sign, a, b);
  if (overflows) fail(cat(a, " ", sign, " ", b, " does not fit a 64-bit integer"));
  return Value(out);
}

/// Scalars are f32.
std::optional<Value> combined(const std::string& sign, double a, double b) {
  const auto rounded = [](double number) {
    return Value(static_cast<double>(static_cast<float>(number)));
  };
  if (sign == "+") return rounded(a + b);
  if (sign == "-") return rounded(a - b);
  if (sign == "*") return rounded(a * b);
  if (sign == "/") return rounded(a / b);
  if (sign == "^") return rounded(std::pow(a, b));
  return compared(sign, a, b);
}

std::optional<Value> combined(const std::string& sign, bool a, bool b) {
  if (sign == "&&") return Value(a && b);
  if (sign == "||") return Value(a || b);
  return compared(sign, a, b);
}

std::optional<Value> combined(const std::string& sign, const std::string& a, const std::string& b) {
  if (sign != "+") return compared(sign, a, b);
  if (std::cmp_greater(a.size() + b.size(), limits::kItems)) refuse_items();
  return Value(a + b);
}

Value repeated(const Values& items, int64_t times) {
  const auto count = static_cast<int64_t>(items.size());
  if (count != 0 && times > limits::kItems / count) refuse_items();
  Values out;
  for (int64_t iteration = 0; iteration < times; ++iteration)
    out.insert(out.end(), items.begin(), items.end());
  return out;
}

/// Arrays are joined by `+` and repeated by `*`.
std::optional<Value> combined(const std::string& sign, Values a, const Values& b) {
  if (sign != "+") return std::nullopt;
  if (std::cmp_greater(a.size() + b.size(), limits::kItems)) refuse_items();
  a.insert(a.end(), b.begin(), b.end());
  return Value(std::move(a));
}

template <typename T>
std::optional<Value> combined_as(const std::string& sign, const Value& a, const Value& b) {
  const T* const left = a.get<T>();
  const T* const right = b.get<T>();
  return left != nullptr && right != nullptr ? combined(sign, *left, *right) : std::nullopt;
}

std::optional<Value> combined(const std::string& sign, const Value& a, const Value& b) {
  const auto* times = b.get<int64_t>();
  if (const auto* items = a.get<Values>(); items != nullptr && times != nullptr && sign == "*")
    return repeated(*items, *times);
  if (auto out = combined_as<int64_t>(sign, a, b)) return out;
  if (auto out = combined_as<double>(sign, a, b)) return out;
  if (auto out = combined_as<bool>(sign, a, b)) return out;
  if (auto out = combined_as<std::string>(sign, a, b)) return out;
  return combined_as<Values>(sign, a, b);
}

bool contains(const Value& item, const Value& sequence) {
  for (const Value& other : to_items(sequence)) {
    const auto same = combined("==", item, other);
    if (same && *same->get<bool>()) return true;
  }
  return false;
}

size_t item_index(const Value& index, size_t count) {
  const int64_t at = to_integer(index);
  if (at < 0 || at >= static_cast<int64_t>(count))
    fail(cat("the subscript ", at, " is out of range for ", count, " items"));
  return at;
}

}  // namespace

Value DocumentEvaluator::evaluate(const nnef::Value& expression, Frame& frame) {
  const Deeper deeper(*this);
  Value out = evaluate_kind(expression, frame);
  count_steps(count_items(out));
  return out;
}

DocumentEvaluator::Deeper::Deeper(DocumentEvaluator& evaluator) : evaluator_(evaluator) {
  constexpr int kDeepest = 1200;
  if (evaluator_.expressions_ >= kDeepest)
    throw Error("nnef-limit", cat("expressions are nested more than ", kDeepest, " levels deep"),
                "fragments that are called count as well");
  ++evaluator_.expressions_;
}

void DocumentEvaluator::count_steps(int64_t count) {
  steps_ += count;
  if (steps_ > limits::kSteps)
    throw Error("nnef-limit", cat("more than ", limits::kSteps, " steps in one run"),
                "fragments that call each other, and loops, can make a small file run forever");
}

Value DocumentEvaluator::evaluate_kind(const nnef::Value& expression, Frame& frame) {
  switch (expression.kind) {
    case nnef::Kind::identifier: return identifier(expression.text, frame);
    case nnef::Kind::integer: return expression.integer;
    case nnef::Kind::scalar: return static_cast<double>(static_cast<float>(expression.number));
    case nnef::Kind::logical: return expression.logical;
    case nnef::Kind::string: return expression.text;
    case nnef::Kind::array:
    case nnef::Kind::tuple: return items(expression.items, frame);
    case nnef::Kind::invocation: return invoke(expression, frame);
    case nnef::Kind::binary: return binary(expression, frame);
    case nnef::Kind::unary: return unary(expression, frame);
    case nnef::Kind::if_else: return if_else(expression, frame);
    case nnef::Kind::subscript: return subscript(expression, frame);
    case nnef::Kind::comprehension: return comprehension(expression, frame);
    case nnef::Kind::dimension: return expression.dim.substitute(symbols_).value();
    case nnef::Kind::reference:
    case nnef::Kind::none: return {};
  }
  fail("an expression of unknown kind");
}

Value DocumentEvaluator::identifier(const std::string& name, const Frame& frame) const {
  if (const auto found = frame.names.find(name); found != frame.names.end()) return found->second;
  if (const auto found = symbols_.find(name); found != symbols_.end())
    return {found->second, /*is_constant=*/false};
  fail(cat("there is no value ", quoted(name), " here"));
}

Values DocumentEvaluator::items(const nnef::Values& expressions, Frame& frame) {
  Values out;
  for (const nnef::Value& expression : expressions) out.push_back(evaluate(expression, frame));
  return out;
}

Value DocumentEvaluator::unary(const nnef::Value& expression, Frame& frame) {
  Value operand = evaluate(expression.items[0], frame);
  const std::string& sign = expression.text;
  if (sign == "+") return operand;
  if (operand.is_tensor()) return call_operation(sign == "-" ? "neg" : "not", {operand});
  if (sign == "!") return !to_logical(operand);
  if (const auto* integer = operand.get<int64_t>()) {
    const Value out = *combined("-", int64_t{0}, *integer);
    return {*out.get<int64_t>(), operand.constant};
  }
  return -to_scalar(operand);
}

Value DocumentEvaluator::binary(const nnef::Value& expression, Frame& frame) {
  const bool is_named = &expression == named_;
  const std::string& sign = expression.text;
  const Value left = evaluate(expression.items[0], frame);
  const Value right = evaluate(expression.items[1], frame);
  if (sign == "in") return contains(left, right);
  if (left.is_tensor() || right.is_tensor())
    return call_operation(operation_of(sign), {left, right}, is_named);
  if (auto out = combined(sign, left, right)) {
    out->constant = left.constant && right.constant;
    return *out;
  }
  fail(cat("the operator ", sign, " is not defined for ", described(left), " and ",
           described(right)));
}

Value DocumentEvaluator::if_else(const nnef::Value& expression, Frame& frame) {
  const Value condition = evaluate(expression.items[0], frame);
  if (!condition.is_tensor())
    return evaluate(expression.items[to_logical(condition) ? 1 : 2], frame);
  const Value then = evaluate(expression.items[1], frame);
  return call_operation("select", {condition, then, evaluate(expression.items[2], frame)});
}

Value DocumentEvaluator::subscript(const nnef::Value& expression, Frame& frame) {
  const Values sequence = to_items(evaluate(expression.items[0], frame));
  if (expression.items.size() == 2)
    return sequence[item_index(evaluate(expression.items[1], frame), sequence.size())];
  const Value first = evaluate(expression.items[1], frame);
  const Value last = evaluate(expression.items[2], frame);
  const size_t begin = first.is_absent() ? 0 : item_index(first, sequence.size() + 1);
  const size_t end = last.is_absent() ? sequence.size() : item_index(last, sequence.size() + 1);
  if (end < begin) return Values{};
  return Values(sequence.begin() + static_cast<std::ptrdiff_t>(begin),
                sequence.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Loops advance together, as the specification defines, and are not nested.
Value DocumentEvaluator::comprehension(const nnef::Value& expression, Frame& frame) {
  Checked<Values> sequences;
  for (const nnef::Loop& loop : expression.loops)
    sequences.push_back(to_items(evaluate(loop.sequence, frame)));
  for (const Values& sequence : sequences)
    if (sequence.size() != sequences[0].size()) fail("the loops have different lengths");
  // The loops' variables hide names of the body temporarily.
  Scope hidden;
  for (const nnef::Loop& loop : expression.loops)
    if (const auto known = frame.names.find(loop.variable); known != frame.names.end())
      hidden.insert(frame.names.extract(known));
  const int calls = frame.calls;
  const size_t result_count = frame.result_count;
  Values out;
  for (size_t iteration = 0; iteration < sequences[0].size(); ++iteration) {
    frame.calls = calls;
    frame.result_count = result_count;
    for (size_t at = 0; at < sequences.size(); ++at)
      frame.names[expression.loops[at].variable] = sequences[at][iteration];
    if (!expression.condition.empty() && !to_logical(evaluate(expression.condition[0], frame)))
      continue;
    out.push_back(evaluate(expression.items[0], frame));
  }
  frame.calls = calls;
  frame.result_count = result_count;
  for (const nnef::Loop& loop : expression.loops) frame.names.erase(loop.variable);
  frame.names.merge(hidden);
  return out;
}

}  // namespace t2n::interp
