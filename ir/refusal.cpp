// SPDX-License-Identifier: Apache-2.0
#include "ir/refusal.h"

namespace t2n::ir {

std::string Refusal::subject() const { return tensors.empty() ? op : op + " of " + tensors; }

std::vector<Argument> refusal_arguments(const Refusal& refusal) {
  return {
      {"op", refusal.op}, {"of", refusal.tensors}, {"why", refusal.why}, {"help", refusal.help}};
}

std::optional<Refusal> refusal_of(const Node& node) {
  static const OpId refused = op_id(kRefused);
  if (node.op != refused) return std::nullopt;
  const auto text = [&](const char* name) { return std::get<std::string>(*node.find(name)); };
  return Refusal{text("op"), text("of"), text("why"), text("help")};
}

}  // namespace t2n::ir
