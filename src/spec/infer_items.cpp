// The item types of a whole graph, statement by statement.
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

[[noreturn]] void refuse(const Signature& signature, std::string_view wanted) {
  throw Error("nnef-invalid", cat(quoted(signature.declaration->name), " results in ", wanted));
}

bool is_list(const Value& value) { return value.kind == Kind::tuple || value.kind == Kind::array; }

/// Collects the names of a left side.
struct Targets {
  const Signature& signature;
  Dialect dialect;
  std::vector<Target> out = {};

  void add(const Value& left, const Type& type, Item item) {
    if (type.form == Type::Form::array) return add_array(left, type.items[0], item);
    if (left.kind != Kind::identifier) refuse(signature, "single tensors: write names");
    out.push_back({left.text, item});
  }

  void add_array(const Value& left, const Type& type, Item item) {
    const bool matches = dialect == Dialect::khronos ? left.kind == Kind::array : is_list(left);
    if (!matches && dialect == Dialect::tract) return add(left, type, item);
    if (!matches) refuse(signature, "an array of tensors: write [a, b] = …, with a name for each");
    for (const Value& name : left.items) add(name, type, item);
  }
};

class Inference {
 public:
  Inference(const nnef::Document& document, Dialect dialect) : dialect_(dialect) {
    for (const nnef::Fragment& fragment : document.fragments)
      own_.emplace(fragment.name, signature_of(fragment));
  }

  void statement(const nnef::Assignment& assignment) {
    const Value& right = assignment.right;
    if (right.kind != Kind::invocation) return expression(assignment.left);
    const Signature& called = signature(right.text);
    for (const Target& target : targets(assignment.left, called, results(right, called), dialect_))
      items_[std::string(target.name)] = target.item;
  }

  std::unordered_map<std::string, Item> take() { return std::move(items_); }

 private:
  const Signature& signature(const std::string& name) const {
    const auto own = own_.find(name);
    return own == own_.end() ? operation_signature(name, dialect_) : own->second;
  }

  std::vector<Item> results(const Value& call, const Signature& called) const {
    const ItemOf item_of = [&](const Value& value) { return item(value); };
    const Arguments arguments = bind(*called.declaration, call);
    return check_types(called, call, arguments, item_of, dialect_);
  }

  Item item(const Value& value) const {
    if (value.kind == Kind::invocation) {
      const std::vector<Item> all = results(value, signature(value.text));
      return all.size() == 1 ? all[0] : Item::unknown;
    }
    const auto found = items_.find(value.text);
    return value.kind == Kind::identifier && found != items_.end() ? found->second : Item::unknown;
  }

  void expression(const Value& left) {
    if (left.kind == Kind::identifier) items_[left.text] = Item::unknown;
    for (const Value& name : left.items) expression(name);
  }

  Dialect dialect_;
  std::unordered_map<std::string_view, Signature> own_;
  std::unordered_map<std::string, Item> items_;
};

}  // namespace

std::vector<Target> targets(const Value& left, const Signature& signature,
                            const std::vector<Item>& items, Dialect dialect) {
  Targets names{signature, dialect};
  const size_t count = signature.results.size();
  if (count == 1) {
    names.add(left, signature.results[0], items[0]);
    return std::move(names.out);
  }
  if (!is_list(left) || left.items.size() != count)
    refuse(signature, cat(count, " tensors: write (a, b) = …, with a name for each"));
  for (size_t i = 0; i < count; ++i) names.add(left.items[i], signature.results[i], items[i]);
  return std::move(names.out);
}

std::unordered_map<std::string, Item> infer_items(const nnef::Document& document, Dialect dialect) {
  Inference inference(document, dialect);
  for (const nnef::Assignment& assignment : document.graph.body) inference.statement(assignment);
  return inference.take();
}

}  // namespace t2n::spec
