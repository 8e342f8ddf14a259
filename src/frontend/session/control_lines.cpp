// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/control_lines.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <set>
#include <string>
#include <vector>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;

/// The user's lines, as "model.py:8".
struct Lines {
  std::set<std::string> loops;
  std::set<std::string> branches;
  std::set<std::string> calls;  ///< they stand for loops and branches in torch's own modules

  void add(const Node* node, SourceMap& sources) {
    const bool calls_code = node->kind() == prim::CallMethod || node->kind() == prim::CallFunction;
    if (node->kind() != prim::Loop && node->kind() != prim::If && !calls_code) return;
    const ir::Source source = sources.find(node->sourceRange(), false);
    if (source.frames.empty()) return;
    std::string line = cat(source.frames[0].file, ":", source.frames[0].line);
    (calls_code ? calls : node->kind() == prim::Loop ? loops : branches).insert(std::move(line));
  }
};

Lines lines_of(const Loaded& model) {
  Lines out;
  std::vector<const Block*> pending;
  for (torch::jit::Function* each : model.module._ivalue()->compilation_unit()->get_functions())
    if (auto* function = torch::jit::tryToGraphFunction(*each))
      pending.push_back(function->graph()->block());
  while (!pending.empty()) {
    const Block* block = pending.back();
    pending.pop_back();
    for (const Node* node : block->nodes()) {
      out.add(node, *model.sources);
      for (const Block* inner : node->blocks()) pending.push_back(inner);
    }
  }
  return out;
}

[[noreturn]] void refuse_line(const std::string& what, const std::string& line,
                              const std::string& option, const std::set<std::string>& known) {
  const std::vector<std::string> lines(known.begin(), known.end());
  const std::string near = nearest(line, lines);
  throw Error(
      "usage", cat("the model has no ", what, " at ", line, ", which ", option, " names"),
      lines.empty() ? cat("it has no ", what) : cat("there are some at ", joined(lines, ", ")),
      near.empty() ? "an error about data-dependent code names the line"
                   : cat("did you mean ", option, " ", near, "?"));
}

}  // namespace

void require_lines(const Loaded& model, const TraceOptions& options) {
  if (options.accepted_guards.empty() && options.max_iterations.empty()) return;
  const Lines lines = lines_of(model);
  if (lines.loops.empty() && lines.branches.empty() && lines.calls.empty()) return;  // no locations
  for (const auto& [line, most] : options.max_iterations)
    if (!lines.loops.contains(line) && !lines.calls.contains(line))
      refuse_line("loop", line, "--max-iterations", lines.loops);
  std::set<std::string> both = lines.loops;
  both.insert(lines.branches.begin(), lines.branches.end());
  for (const std::string& line : options.accepted_guards)
    if (!both.contains(line) && !lines.calls.contains(line))
      refuse_line("loop or branch", line, "--accept-guard", both);
}

}  // namespace t2n::trace
