// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/varying.h"

#include <algorithm>
#include <map>

#include "src/diag/error.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {

using trace::Decision;

std::set<int64_t> extents_of(const ir::Graph& graph) {
  std::set<int64_t> out;
  const auto add = [&](const ir::Dim& dim) {
    if (dim.is_constant()) out.insert(dim.value());
  };
  for (const ir::Value& value : graph.values)
    for (const ir::Dim& dim : value.shape) add(dim);
  for (const ir::Node& node : graph.nodes)
    for (const ir::Argument& arg : node.args) {
      if (const auto* one = std::get_if<ir::Dim>(&arg.value)) add(*one);
      if (const auto* many = std::get_if<std::vector<ir::Dim>>(&arg.value))
        for (const ir::Dim& dim : *many) add(dim);
    }
  return out;
}

std::set<ir::ProgramPoint> varying_loops(const std::vector<TraceAt>& runs,
                                         const std::set<ir::ProgramPoint>& rerolled) {
  std::map<ir::ProgramPoint, int64_t> iterations;
  for (const Decision& decision : runs[0].traced.decisions)
    if (decision.kind == Decision::Kind::loop)
      iterations.try_emplace(decision.id, decision.direction);
  std::set<ir::ProgramPoint> varying;
  for (size_t run = 1; run < runs.size(); ++run) {
    std::set<ir::ProgramPoint> seen;
    for (const Decision& decision : runs[run].traced.decisions)
      if (iterations.contains(decision.id) && seen.insert(decision.id).second &&
          iterations.at(decision.id) != decision.direction && !rerolled.contains(decision.id))
        varying.insert(decision.id);
  }
  return varying;
}

namespace {

/// The names of values with a data-dependent size.
std::set<std::string> unbacked_values(const ir::Graph& graph) {
  std::set<std::string> out;
  for (const ir::Node* node : nodes_with_unbacked_sizes(graph))
    for (const ir::ValueId id : node->outputs) out.insert(graph.values[id].name);
  return out;
}

bool mentions_any(const ir::Dim& size, const std::set<std::string>& values) {
  const std::vector<Symbol> symbols = size.symbols();
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    const Symbol::AxisSize* axis = symbol.axis_size();
    return axis != nullptr && values.contains(axis->value);
  });
}

}  // namespace

std::vector<ir::ProgramPoint> branches_on_values(const std::vector<TraceAt>& runs,
                                                 const Sizes& at) {
  std::map<ir::ProgramPoint, std::set<int64_t>> directions;
  std::set<ir::ProgramPoint> seen;
  std::vector<ir::ProgramPoint> out;
  for (const TraceAt& run : runs) {
    const std::set<std::string> unbacked = unbacked_values(run.traced.graph);
    for (const Decision& decision : run.traced.decisions) {
      if (decision.kind != Decision::Kind::branch || decision.is_guard) continue;
      if (run.sizes == at) directions[decision.id].insert(decision.direction);
      const auto& condition = decision.comparison;
      const bool depends_on_values = condition && (mentions_any(condition->left, unbacked) ||
                                                   mentions_any(condition->right, unbacked));
      if ((depends_on_values || directions[decision.id].size() == 2) &&
          seen.insert(decision.id).second)
        out.push_back(decision.id);
    }
  }
  return out;
}

std::vector<ir::ProgramPoint> differing_branches(const std::vector<TraceAt>& runs) {
  std::vector<ir::ProgramPoint> order;
  std::vector<std::map<ir::ProgramPoint, std::vector<int64_t>>> directions(runs.size());
  const std::vector<ir::ProgramPoint> by_values = branches_on_values(runs, runs[0].sizes);
  for (size_t run = 0; run < runs.size(); ++run)
    for (const Decision& decision : runs[run].traced.decisions) {
      if (decision.kind != Decision::Kind::branch || decision.is_guard ||
          std::find(by_values.begin(), by_values.end(), decision.id) != by_values.end())
        continue;
      directions[run][decision.id].push_back(decision.direction);
      if (std::find(order.begin(), order.end(), decision.id) == order.end())
        order.push_back(decision.id);
    }
  std::erase_if(order, [&](ir::ProgramPoint branch) {
    return std::all_of(directions.begin(), directions.end(),
                       [&](auto& taken) { return taken[branch] == directions[0][branch]; });
  });
  return order;
}

std::optional<std::string> reason_of(const std::vector<TraceAt>& runs, ir::ProgramPoint branch) {
  std::optional<std::string> out;
  for (const TraceAt& run : runs)
    for (const Decision& decision : run.traced.decisions)
      if (decision.id == branch && (!out || out->empty())) out = decision.reason;
  return out;
}

void note_reason(std::vector<TraceAt>& runs, ir::ProgramPoint branch, const std::string& reason) {
  for (TraceAt& run : runs)
    for (Decision& decision : run.traced.decisions)
      if (decision.id == branch) decision.reason = reason;
}

bool add_padded(const std::vector<TraceAt>& runs, std::map<ir::ProgramPoint, int64_t>& padded) {
  const size_t before = padded.size();
  for (const TraceAt& run : runs) padded.insert(run.traced.padded.begin(), run.traced.padded.end());
  return padded.size() > before;
}

std::set<ir::ProgramPoint> varying_numbers(const std::vector<TraceAt>& runs) {
  const auto numbers = [](const TraceAt& run) {
    std::map<ir::ProgramPoint, std::string> out;
    for (const Decision& decision : run.traced.decisions)
      if (decision.is_computable) out[decision.id] += decision.number + ";";
    return out;
  };
  const std::map<ir::ProgramPoint, std::string> here = numbers(runs[0]);
  std::set<ir::ProgramPoint> varying;
  for (size_t run = 1; run < runs.size(); ++run) {
    const std::map<ir::ProgramPoint, std::string> others = numbers(runs[run]);
    for (const auto& [id, text] : here)
      if (const auto other = others.find(id); other != others.end() && other->second != text)
        varying.insert(id);
  }
  return varying;
}

std::vector<Sizes> sizes_against(const Comparison& relation, Chooser& chooser) {
  constexpr int kTries = 6;
  constexpr int64_t kFarthest = 64;
  constexpr size_t kMost = 6;
  std::vector<Sizes> out;
  const auto add = [&](const Sizes& sizes) {
    if (!holds(relation, sizes) && out.size() < kMost) out.push_back(sizes);
  };
  for (int i = 0; i < kTries && out.empty(); ++i)
    if (const auto sizes = chooser.next(symbols_of(chooser.sample()), i % 2 == 0)) add(*sizes);
  for (const Symbol& symbol : (relation.left - relation.right).symbols()) {
    const auto sample = chooser.sample().find(symbol);
    if (sample == chooser.sample().end()) continue;
    for (int64_t distance = 1; distance <= kFarthest; ++distance)
      for (const int64_t size : {sample->second + distance, sample->second - distance}) {
        Sizes sizes = chooser.sample();
        sizes[symbol] = size;
        if (size > 0 && chooser.allows(sizes)) add(sizes);
      }
  }
  return out;
}

std::string equal_axes_hint(const Symbol& symbol, const DynamicInputs& declared) {
  const int64_t size = declared.sample.at(symbol);
  const bool has_equal =
      std::any_of(declared.shapes.begin(), declared.shapes.end(), [&](const ir::Shape& shape) {
        return std::find(shape.begin(), shape.end(), ir::Dim(size)) != shape.end();
      });
  std::string out;
  if (has_equal)
    out = cat("another axis of size ", size,
              " in the sample is not declared: if both must be equal, declare it as ", symbol,
              " too; ");
  if (declared.sample.size() > 1)
    out += cat("if ", symbol, " must equal another size, give both the same symbol; ");
  return out;
}

void refuse_others(const Failure& failure, const Sizes& sample, const std::string& hint) {
  Diagnostic out = failure.second;
  out.id = "dynamic-failed";
  out.why = out.message;
  out.message = cat("the model does not run at ", sizes_str(failure.first),
                    ", only at the sample's ", sizes_str(sample));
  out.help = cat(
      hint,
      "a size of the sample may have been fixed by tracing: take it from x.size() in the model");
  throw Error(std::move(out));
}

bool all_differ(const Sizes& sizes) {
  std::set<int64_t> seen;
  for (const auto& [symbol, size] : sizes) seen.insert(size);
  return seen.size() == sizes.size();
}

bool holds_at_larger(const Comparison& relation, const Sizes& at) {
  for (const auto& [symbol, sample] : at) {
    Sizes sizes = at;
    for (int64_t size = 4 * sample; size < 8 * sample + 64; ++size) {
      sizes[symbol] = size;
      if (holds(relation, sizes)) return true;
    }
  }
  return false;
}

}  // namespace t2n::dynamic
