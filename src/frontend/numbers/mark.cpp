// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/mark.h"

#include <c10/core/SymNodeImpl.h>

#include <algorithm>
#include <bit>
#include <set>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

thread_local ReadMarks* reader = nullptr;

using MarkInfo = std::variant<SizeMark, OpaqueMark, ConditionMark, DataMark>;

Mark make(MarkInfo info) { return std::make_shared<const MarkInfo>(std::move(info)); }

/// Null if the mark is of another kind, or null.
template <typename T>
const T* part(const Mark& mark) {
  return mark ? std::get_if<T>(mark.get()) : nullptr;
}

const ir::Dim& symbolic(const Mark& mark) {
  static const ir::Dim none;
  if (const auto* const size = part<SizeMark>(mark)) return size->size;
  if (const auto* const opaque = part<OpaqueMark>(mark)) return opaque->sizes;
  const auto* const condition = part<ConditionMark>(mark);
  return condition == nullptr ? none : condition->sizes;
}

/// The sum of all symbols, each once, so that none cancels out.
ir::Dim sum_of_symbols(std::initializer_list<const ir::Dim*> dims) {
  std::set<ir::Symbol> symbols;
  for (const ir::Dim* dim : dims)
    for (const ir::Symbol& symbol : dim->symbols()) symbols.insert(symbol);
  std::vector<ir::Term> terms;
  for (const ir::Symbol& symbol : symbols) terms.push_back({1, {symbol}});
  return ir::sum_of(std::move(terms));
}

/// Whether joining `other` to this mark gives this mark. Long programs join few sizes very often;
/// of many, it is not worth knowing.
bool covers(const Mark& mark, const Mark& other) {
  constexpr size_t kFew = 16;
  const auto* const opaque = part<OpaqueMark>(mark);
  if (opaque == nullptr || opaque->formula || opaque->ratio) return false;
  if (mark == other || opaque->sizes == symbolic(other)) return true;
  if (opaque->sizes.terms().size() > kFew) return false;
  return std::ranges::all_of(symbolic(other).symbols(), [&](const ir::Symbol& symbol) {
    return opaque->sizes.mentions(symbol);
  });
}

int64_t quotients_in(const ir::Dim& dim, int64_t limit) {
  int64_t out = 0;
  for (const ir::Term& term : dim.terms())
    for (const ir::Atom& atom : term.atoms) {
      const ir::Operands* operands = ir::operands_of(atom);
      if (operands == nullptr || out > limit) continue;
      out += 1 + quotients_in(operands->a, limit) + quotients_in(operands->b, limit);
    }
  return out;
}

/// An expression contains its operands: each step of `n = n + n // 2` doubles its length.
void refuse_long_expression(const ir::Dim& size) {
  constexpr int64_t kMost = 1000;
  if (quotients_in(size, kMost) > kMost)
    throw Error("dynamic-size", "a number is computed from sizes by more than 1000 quotients",
                "each quotient of a quotient of sizes doubles the length of the expression",
                "compute it with tensors, or export without --dynamic for this axis");
}

}  // namespace

/// A number with its mark, stored where torch expects the node of a symbolic number.
class MarkedNode final : public c10::SymNodeImpl {
 public:
  MarkedNode(c10::IValue number, Mark mark) : number_(std::move(number)), mark_(std::move(mark)) {}

  const c10::IValue& number() const { return number_; }
  const Mark& mark() const { return mark_; }

  bool is_int() override { return number_.isInt(); }
  bool is_bool() override { return number_.isBool(); }
  bool is_float() override { return number_.isDouble(); }
  int64_t guard_int(const char*, int64_t) override { return read().toInt(); }
  bool guard_bool(const char*, int64_t) override { return read().toBool(); }
  double guard_float(const char*, int64_t) override { return read().toDouble(); }
  int64_t int_() override { return read().toInt(); }
  bool bool_() override { return read().toBool(); }
  bool has_hint() override { return true; }
  std::string str() override { return cat(number_); }
  c10::SymNode clone() override { return c10::make_intrusive<MarkedNode>(number_, mark_); }

 private:
  const c10::IValue& read() const {
    if (reader != nullptr) reader->seen_ = join(reader->seen_, mark_);
    return number_;
  }

  c10::IValue number_;
  Mark mark_;
};

namespace {

/// Null for a value that is not a marked number. Torch itself makes no symbolic numbers here.
const MarkedNode* node_of(const c10::IValue& value) {
  if (value.isSymInt())
    return dynamic_cast<const MarkedNode*>(value.toSymInt().toSymNodeImplUnowned());
  if (value.isSymFloat())
    return dynamic_cast<const MarkedNode*>(value.toSymFloat().toSymNodeImpl().get());
  if (value.isSymBool())
    return dynamic_cast<const MarkedNode*>(value.toSymBool().toSymNodeImpl().get());
  return nullptr;
}

}  // namespace

ReadMarks::ReadMarks() : outer_(reader) { reader = this; }
ReadMarks::~ReadMarks() { reader = outer_; }

Mark size_mark(ir::Dim size) {
  if (size.is_constant()) return nullptr;
  refuse_long_expression(size);
  return make(SizeMark{std::move(size)});
}

Mark opaque_mark(const ir::Dim& sizes, FormulaRef formula, std::optional<Ratio> ratio) {
  ir::Dim sum = sum_of_symbols({&sizes});
  if (sum.is_constant()) return nullptr;
  return make(OpaqueMark{std::move(sum), std::move(formula), std::move(ratio)});
}

Mark condition_mark(ir::Comparison comparison, FormulaRef truth) {
  ir::Dim sum = sum_of_symbols({&comparison.left, &comparison.right});
  if (sum.is_constant()) return nullptr;
  return make(ConditionMark{std::move(sum), std::move(comparison), std::move(truth)});
}

Mark data_mark(std::string origin, FormulaRef formula) {
  return make(DataMark{std::move(origin), std::move(formula)});
}

bool is_data(const Mark& mark) { return part<DataMark>(mark) != nullptr; }
bool is_size(const Mark& mark) { return part<SizeMark>(mark) != nullptr; }
bool is_opaque(const Mark& mark) { return mark && !is_data(mark) && !is_size(mark); }

std::optional<ir::Dim> exact_size(const Mark& mark) {
  const auto* const size = part<SizeMark>(mark);
  return size == nullptr ? std::nullopt : std::optional(size->size);
}

ir::Dim size_or(const Mark& mark, int64_t number) {
  const auto* const size = part<SizeMark>(mark);
  return size == nullptr ? ir::Dim(number) : size->size;
}

ir::Dim sizes_of(const Mark& mark) { return symbolic(mark); }

std::optional<ir::Comparison> comparison_of(const Mark& mark) {
  const auto* const condition = part<ConditionMark>(mark);
  return condition == nullptr ? std::nullopt : std::optional(condition->comparison);
}

std::optional<Ratio> ratio_of(const Mark& mark) {
  const auto* const opaque = part<OpaqueMark>(mark);
  return opaque == nullptr ? std::nullopt : opaque->ratio;
}

FormulaRef formula_of(const Mark& mark) {
  const auto* const opaque = part<OpaqueMark>(mark);
  return opaque == nullptr ? data_formula(mark) : opaque->formula;
}

FormulaRef data_formula(const Mark& mark) {
  const auto* const data = part<DataMark>(mark);
  return data == nullptr ? nullptr : data->formula;
}

FormulaRef truth_of(const Mark& mark) {
  const auto* const condition = part<ConditionMark>(mark);
  return condition == nullptr ? nullptr : condition->truth;
}

std::string origin_of(const Mark& mark) { return std::get<DataMark>(*mark).origin; }

Mark derived_mark(const Mark& mark) {
  return data_formula(mark) ? data_mark(origin_of(mark)) : mark;
}

bool depends_on_iteration(const Mark& mark) {
  if (symbolic(mark).is_constant()) return false;
  const std::vector<ir::Symbol> symbols = symbolic(mark).symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [](const ir::Symbol& symbol) { return symbol.is_iteration(); });
}

Mark join(const Mark& a, const Mark& b) {
  if (is_data(a) || is_data(b)) return derived_mark(is_data(a) ? a : b);
  if (!a && !b) return nullptr;
  if (covers(a, b)) return a;
  if (covers(b, a)) return b;
  return make(OpaqueMark{sum_of_symbols({&symbolic(a), &symbolic(b)}), nullptr, std::nullopt});
}

Mark mark_of(const c10::IValue& value) {
  const MarkedNode* node = node_of(value);
  return node == nullptr ? nullptr : node->mark();
}

c10::IValue unmarked(const c10::IValue& value) {
  const MarkedNode* node = node_of(value);
  return node == nullptr ? value : node->number();
}

c10::IValue marked(const c10::IValue& number, const Mark& mark) {
  const c10::IValue plain = unmarked(number);
  if (!mark) return plain;
  const auto node = c10::make_intrusive<MarkedNode>(plain, mark);
  if (plain.isInt()) return c10::IValue(c10::SymInt(c10::SymNode(node)));
  if (plain.isDouble()) return c10::IValue(c10::SymFloat(c10::SymNode(node)));
  T2N_ASSERT(plain.isBool(), "a value of type ", plain.tagKind(), " cannot be marked");
  return c10::IValue(c10::SymBool(c10::SymNode(node)));
}

Mark either(const Mark& a, const Mark& b) { return !a ? b : !b ? a : join(a, b); }

bool is_number(const c10::IValue& value) {
  return value.isInt() || value.isDouble() || value.isBool() || value.isSymInt() ||
         value.isSymFloat() || value.isSymBool();
}

bool are_identical(const c10::IValue& a, const c10::IValue& b) {
  if (a.tagKind() != b.tagKind()) return false;
  if (a.isDouble())
    return std::bit_cast<int64_t>(a.toDouble()) == std::bit_cast<int64_t>(b.toDouble());
  if (a.isComplexDouble()) {
    const c10::complex<double> x = a.toComplexDouble(), y = b.toComplexDouble();
    return are_identical(x.real(), y.real()) && are_identical(x.imag(), y.imag());
  }
  return a.isNone() || ((a.isScalar() || a.isString()) && a.equals(b).toBool());
}

}  // namespace t2n::trace
