#include "src/trace/nesting.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

using Id = Nesting::Id;

struct Measure {
  int depth = 0;
  uint64_t places = 1;
};

/// Nodes in an order in which what is held comes before its holder; a circle throws.
class Measurer {
 public:
  Measurer(const Nesting& nodes, const std::string& id, const std::string& what)
      : nodes_(nodes),
        id_(id),
        what_(what),
        state_(nodes.held.size()),
        measures_(nodes.held.size()) {}

  void run() {
    for (Id id = 1; id < nodes_.held.size(); ++id)
      if (state_[id] == State::fresh) visit(id);
  }

 private:
  enum class State : uint8_t { fresh, open, done };

  void visit(Id root) {
    std::vector<std::pair<Id, size_t>> path = {{root, 0}};
    state_[root] = State::open;
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next == nodes_.held[id].size()) {
        finish(id);
        path.pop_back();
        continue;
      }
      const Id held = nodes_.held[id][next++];
      if (state_[held] == State::open)
        throw Error(id_, cat(what_, " cannot be read"), "a value in it contains itself");
      if (state_[held] == State::done) continue;
      state_[held] = State::open;
      path.emplace_back(held, 0);
    }
  }

  void finish(Id id) {
    Measure out;
    for (const Id held : nodes_.held[id]) {
      out.depth = std::max(out.depth, measures_[held].depth + 1);
      out.places = std::min(out.places + measures_[held].places, kMaxPlaces + 1);
    }
    if (out.depth > kMaxValueDepth)
      throw Error(id_, cat(what_, " cannot be read"),
                  cat("its values are nested more than ", kMaxValueDepth, " levels deep"));
    if (out.places > kMaxPlaces)
      throw Error(id_, cat(what_, " cannot be read"),
                  cat("its values, with those that are shared, are more than ", kMaxPlaces));
    state_[id] = State::done;
    measures_[id] = out;
  }

  const Nesting& nodes_;
  const std::string& id_;
  const std::string& what_;
  std::vector<State> state_;
  std::vector<Measure> measures_;
};

bool has_inner(const c10::IValue& value) {
  return value.isList() || value.isTuple() || value.isGenericDict() || value.isObject();
}

template <typename Visit>
void for_each_inner(const c10::IValue& value, const Visit& visit) {
  if (value.isList())
    for (const c10::IValue& each : value.toListRef()) visit(each);
  else if (value.isTuple())
    for (const c10::IValue& each : value.toTupleRef().elements()) visit(each);
  else if (value.isObject())
    for (const c10::IValue& each : value.toObjectRef().slots()) visit(each);
  else
    for (const auto& entry : value.toGenericDict()) visit(entry.value());
}

}  // namespace

void check_nesting(const Nesting& nodes, const std::string& id, const std::string& what) {
  Measurer(nodes, id, what).run();
}

size_t check_nesting(const c10::IValue& value, const std::string& id, const std::string& what) {
  if (!has_inner(value)) return 1;
  Nesting nodes;
  nodes.held.emplace_back();
  std::unordered_map<const void*, Id> known;
  std::vector<c10::IValue> open;
  size_t count = 0;
  const auto id_of = [&](const c10::IValue& each) {
    const auto [found, is_new] =
        known.emplace(each.internalToPointer(), static_cast<Id>(nodes.held.size()));
    if (is_new) {
      nodes.held.emplace_back();
      open.push_back(each);
    }
    return found->second;
  };
  id_of(value);
  while (!open.empty()) {
    const c10::IValue next = open.back();
    open.pop_back();
    const Id holder = known.at(next.internalToPointer());
    for_each_inner(next, [&](const c10::IValue& each) {
      ++count;
      if (has_inner(each)) {
        const Id inner = id_of(each);
        nodes.held[holder].push_back(inner);
      }
    });
  }
  check_nesting(nodes, id, what);
  return count;
}

bool may_nest(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::AnyType:
    case c10::TypeKind::AnyListType:
    case c10::TypeKind::AnyTupleType:
    case c10::TypeKind::AnyClassType:
    case c10::TypeKind::ClassType:
    case c10::TypeKind::InterfaceType: return true;
    default: break;
  }
  const auto inner = type.containedTypes();
  return std::any_of(inner.begin(), inner.end(),
                     [](const c10::TypePtr& each) { return may_nest(*each); });
}

}  // namespace t2n::trace
