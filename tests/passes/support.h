// SPDX-License-Identifier: Apache-2.0
// Running passes on textual graphs.
#pragma once

#include <string>
#include <string_view>

#include "src/export/pass_table.h"
#include "tests/ir/support.h"

namespace t2n::passes {

/// The text of the graph after one pass, which must say whether it changed something.
inline std::string after(const std::string& pass, std::string_view text,
                         const PassContext& context = {}) {
  ir::Graph graph = ir::parse(text);
  const std::string before = ir::print(graph);
  const bool changed = run_pipeline(graph, {pass}, context);
  std::string out = ir::print(graph);
  CHECK(changed == (out != before));
  CHECK(ir::print(ir::parse(out)) == out);
  return out;
}

/// For texts that a pass leaves alone.
inline void check_unchanged(const std::string& pass, std::string_view text,
                            const PassContext& context = {}) {
  CHECK(after(pass, text, context) == ir::print(ir::parse(text)));
}

}  // namespace t2n::passes
