// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/insertion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::ValueId;

/// Insertions in the order of application, without duplicates.
using Chain = std::vector<const Insertion*>;

/// Finds the insertions for one reader of one value.
class Plan {
 public:
  Plan(const ir::Graph& graph, const std::vector<Insertion>& all) : graph_(graph) {
    for (const Insertion& each : all) by_value_[each.at.value].push_back(&each);
    for (auto& [value, chain] : by_value_)
      std::stable_sort(chain.begin(), chain.end(), [](const Insertion* a, const Insertion* b) {
        return a->priority < b->priority;
      });
  }

  /// `reader`: nothing for the graph's outputs.
  Chain chain_of(ValueId value, std::optional<size_t> reader) const {
    const auto found = by_value_.find(value);
    if (found == by_value_.end()) return {};
    Chain out;
    for (const Insertion* each : found->second) {
      if (each->at.reader && each->at.reader != reader) continue;
      const auto same = std::find_if(out.begin(), out.end(), [&](const Insertion* other) {
        return other->slot == each->slot;
      });
      if (same == out.end())
        out.push_back(each);
      else if ((*same)->key != each->key)
        refuse(**same, *each, reader);
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const Insertion& a, const Insertion& b,
                           std::optional<size_t> reader) const {
    const std::string& value = graph_.values[a.at.value].name;
    const std::string algorithms = a.algorithm == b.algorithm
                                       ? cat(a.algorithm, " twice")
                                       : cat(a.algorithm, " and by ", b.algorithm);
    Diagnostic out{.id = "usage",
                   .message = cat("the ", a.slot, " of ", quoted(value), " is requested by ",
                                  algorithms, ", with different settings"),
                   .where = {},
                   .details = {},
                   .why = cat("one requests ", a.key, ", the other ", b.key),
                   .help = "give all its readers the same settings"};
    if (reader) out.where.push_back(ir::node_where(graph_, graph_.nodes[*reader]));
    throw Error(std::move(out));
  }

  const ir::Graph& graph_;
  std::map<ValueId, Chain> by_value_;
};

class Commit : public passes::Rewriter {
 public:
  Commit(ir::Graph& graph, const std::vector<Insertion>& all)
      : Rewriter(graph), before_(graph), plan_(before_, all) {}

  void run() {
    std::vector<ir::Node> nodes = std::exchange(graph_.nodes, {});
    for (size_t i = 0; i < nodes.size(); ++i) {
      begin(std::move(nodes[i]));
      keep_with([&](ValueId id) { return applied(id, plan_.chain_of(id, i)); });
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = graph_.outputs[i];
      const Chain chain = plan_.chain_of(id, std::nullopt);
      if (chain.empty()) continue;
      ir::Node at;  // the location of new nodes
      at.outputs = {id};
      begin(std::move(at));
      graph_.outputs[i] = applied(id, chain);
    }
    finish();
  }

 private:
  ValueId applied(ValueId id, const Chain& chain) {
    ValueId now = resolve(id);
    Chain so_far;
    for (const Insertion* each : chain) {
      so_far.push_back(each);
      std::vector<std::pair<std::string, std::string>> key;
      for (const Insertion* part : so_far) key.emplace_back(part->slot, part->key);
      const auto [built, is_new] = built_.try_emplace({id, key}, ir::kNoValue);
      if (is_new) {
        name_after(id);
        built->second = each->build(*this, now);
      }
      now = built->second;
    }
    return now;
  }

  ir::Graph before_;
  Plan plan_;
  std::map<std::pair<ValueId, std::vector<std::pair<std::string, std::string>>>, ValueId> built_;
};

}  // namespace

bool Insertions::commit(ir::Graph& graph) const {
  if (all_.empty()) return false;
  Commit(graph, all_).run();
  return true;
}

}  // namespace t2n::compress
