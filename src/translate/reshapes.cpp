#include "src/translate/reshapes.h"

#include <array>
#include <set>

#include "src/diag/one_of.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {

bool depends_on_reshape(Emitter& out, Ref x) {
  constexpr std::array<std::string_view, 8> kReshapes = {
      "reshape", "squeeze",           "unsqueeze",       "matmul",
      "linear",  "tract_core_einsum", "tract_core_scan", "tract_transformers_sdpa"};
  std::set<int> needed = {x.id};
  const std::vector<nnef::Assignment>& body = out.state().document.graph.body;
  for (auto statement = body.rbegin(); statement != body.rend(); ++statement) {
    bool is_needed = false;
    for_each_id(statement->left, [&](int id) { is_needed = is_needed || needed.contains(id); });
    if (!is_needed) continue;
    if (is_one_of(statement->right.text, kReshapes)) return true;
    for_each_id(statement->right, [&](int id) { needed.insert(id); });
  }
  return false;
}

}  // namespace t2n::ops
