// SPDX-License-Identifier: Apache-2.0
#include "src/loops/numbers.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;

/// `numbers`: one for each iteration; nothing where an iteration has none.
void name_steps(const std::vector<Dim*>& numbers, const ir::Symbol& symbol) {
  constexpr size_t kLeast = 3;
  const auto value = [&](size_t i) -> std::optional<int64_t> {
    if (numbers[i] == nullptr || !numbers[i]->is_constant()) return std::nullopt;
    return numbers[i]->value();
  };
  const size_t count = numbers.size();
  if (count < kLeast || !value(1) || !value(2)) return;
  int64_t step = 0, begin = 0;
  if (__builtin_sub_overflow(*value(2), *value(1), &step) || step == 0 ||
      __builtin_sub_overflow(*value(1), step, &begin))
    return;
  for (size_t i = 1; i < count; ++i)
    if (const auto now = value(i); !now || *now - begin != step * static_cast<int64_t>(i)) return;
  for (size_t i = value(0) == begin ? 0 : 1; i < count; ++i)
    *numbers[i] = Dim(begin) + Dim(step) * Dim::symbol(symbol);
}

}  // namespace

void name_numbers(ir::Graph& graph, const LoopRecord& loop) {
  const std::vector<size_t>& bounds = loop.bounds;
  const size_t iterations = bounds.size() - 1;
  constexpr size_t kLeast = 3;
  if (iterations < kLeast) return;
  const size_t count = bounds[2] - bounds[1];
  for (size_t i = 2; i < iterations; ++i)
    if (bounds[i + 1] - bounds[i] != count) return;
  const size_t from = bounds[1] - bounds[0] == count ? 0 : 1;
  for (size_t position = 0; position < count; ++position) {
    const Node& second = graph.nodes[bounds[1] + position];
    for (size_t a = 0; a < second.args.size(); ++a) {
      std::vector<std::span<Dim>> dims(iterations);
      for (size_t i = from; i < iterations; ++i) {
        Node& node = graph.nodes[bounds[i] + position];
        if (node.op == second.op && a < node.args.size()) dims[i] = ir::dims(node.args[a].value);
      }
      for (size_t k = 0; k < dims[1].size(); ++k) {
        std::vector<Dim*> numbers;
        for (const std::span<Dim> each : dims)
          numbers.push_back(k < each.size() ? &each[k] : nullptr);
        name_steps(numbers, loop.number);
      }
    }
  }
}

}  // namespace t2n::loops
