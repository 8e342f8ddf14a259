#include "src/frontend/numbers/mark.h"

#include <c10/core/SymNodeImpl.h>

#include <algorithm>
#include <bit>
#include <set>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

thread_local ReadMarks* reader = nullptr;

Mark make(MarkInfo info) { return std::make_shared<const MarkInfo>(std::move(info)); }

/// The sum of all symbols, each once, so that none cancels out.
ir::Dim sum_of_symbols(std::initializer_list<const ir::Dim*> dims) {
  std::set<ir::Symbol> symbols;
  for (const ir::Dim* dim : dims)
    for (const ir::Symbol& symbol : dim->symbols()) symbols.insert(symbol);
  ir::Dim sum = 0;
  for (const ir::Symbol& symbol : symbols) sum = sum + ir::Dim::symbol(symbol);
  return sum;
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
  MarkInfo info;
  info.size = std::move(size);
  return make(std::move(info));
}

Mark data_mark(std::string origin, FormulaRef formula) {
  MarkInfo info;
  info.kind = MarkInfo::Kind::data;
  info.origin = std::move(origin);
  info.formula = std::move(formula);
  return make(std::move(info));
}

Mark comparison_mark(ir::Comparison comparison) {
  MarkInfo info;
  info.kind = MarkInfo::Kind::opaque;
  info.size = sum_of_symbols({&comparison.left, &comparison.right});
  if (info.size.is_constant()) return nullptr;
  info.comparison = std::move(comparison);
  return make(std::move(info));
}

Mark opaque_mark(const ir::Dim& sizes) {
  MarkInfo info;
  info.kind = MarkInfo::Kind::opaque;
  info.size = sum_of_symbols({&sizes});
  return info.size.is_constant() ? nullptr : make(std::move(info));
}

bool is_data(const Mark& mark) { return mark && mark->kind == MarkInfo::Kind::data; }
bool is_size(const Mark& mark) { return mark && mark->kind == MarkInfo::Kind::size; }
bool is_opaque(const Mark& mark) { return mark && mark->kind == MarkInfo::Kind::opaque; }

FormulaRef data_formula(const Mark& mark) { return is_data(mark) ? mark->formula : nullptr; }

Mark derived_mark(const Mark& mark) { return data_formula(mark) ? data_mark(mark->origin) : mark; }

bool depends_on_iteration(const Mark& mark) {
  if (!mark || mark->size.is_constant()) return false;
  const std::vector<ir::Symbol> symbols = mark->size.symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [](const ir::Symbol& symbol) { return symbol.is_iteration(); });
}

Mark join(const Mark& a, const Mark& b) {
  if (!a && !b) return nullptr;
  if (is_data(a) || is_data(b)) return derived_mark(is_data(a) ? a : b);
  MarkInfo info;
  info.kind = MarkInfo::Kind::opaque;
  const ir::Dim none;
  info.size = sum_of_symbols({a ? &a->size : &none, b ? &b->size : &none});
  return make(std::move(info));
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
