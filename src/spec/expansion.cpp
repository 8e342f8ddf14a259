// SPDX-License-Identifier: Apache-2.0
// Counts each fragment once, after those that it calls; a recursive call counts as one statement.
#include "src/spec/expansion.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/nnef/walk.h"

namespace t2n::spec {
namespace {

using nnef::Value;
using Body = std::vector<nnef::Assignment>;

/// Above every limit; two of them can be added.
constexpr int64_t kTooMany = int64_t{1} << 40;

class Counter {
 public:
  explicit Counter(const nnef::Document& document) : fragments_(document) {}

  int64_t count(const Body& body) {
    int64_t out = 0;
    for (const nnef::Assignment& statement : body)
      out = std::min(kTooMany, out + 1 + count(statement.right));
    return out;
  }

 private:
  /// Counts the calls in an expression.
  int64_t count(const Value& value) {
    constexpr int kDeepest = 4800;  // values; a running expression consists of up to four of them
    if (values_ >= kDeepest)
      throw Error("nnef-limit", "expressions are nested more than 1200 levels deep",
                  "fragments that are called count as well");
    ++values_;
    const int64_t out = count_inside(value);
    --values_;
    return out;
  }

  int64_t count_inside(const Value& value) {
    int64_t out = value.kind == nnef::Kind::invocation ? count_call(value.text) : 0;
    const auto add = [&](const Value& part) { out = std::min(kTooMany, out + count(part)); };
    nnef::for_each_part(value, add);
    return out;
  }

  int64_t count_call(const std::string& name) {
    const nnef::Fragment* const fragment = fragments_.find(name);
    if (fragment == nullptr) return 0;
    const auto known = counts_.find(name);
    if (known != counts_.end()) return known->second;
    // Nesting of fragment calls; deeper ones run nowhere.
    constexpr int kDeepest = 256;
    if (depth_ >= kDeepest) return kTooMany;
    counts_[name] = 0;
    ++depth_;
    const int64_t out = count(fragment->body);
    --depth_;
    counts_[name] = out;
    return out;
  }

  nnef::FragmentTable fragments_;
  std::unordered_map<std::string, int64_t> counts_;
  int depth_ = 0;   ///< of calls
  int values_ = 0;  ///< nested values, through all calls
};

void check_names(const nnef::Graph& graph) {
  std::unordered_set<std::string_view> assigned;
  for (const nnef::Assignment& statement : graph.body)
    for (const std::string_view name : nnef::assigned_names(statement.left)) assigned.insert(name);
  for (const std::string& name : graph.results)
    if (assigned.count(name) == 0)
      throw Error("nnef-invalid", cat("the result ", quoted(name), " is never assigned"),
                  "a graph's results are names of its statements");
}

}  // namespace

void check_document(const nnef::Document& document) {
  check_names(document.graph);
  const int64_t statements = Counter(document).count(document.graph.body);
  if (statements <= limits::kExpandedStatements) return;
  throw Error("nnef-limit",
              cat("the graph is more than ", limits::kExpandedStatements,
                  " statements once its fragments are expanded"),
              "nested fragment calls can expand a small file to any number of statements");
}

}  // namespace t2n::spec
