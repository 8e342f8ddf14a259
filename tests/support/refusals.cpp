// SPDX-License-Identifier: Apache-2.0
#include "tests/support/refusals.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::test {
namespace {

/// "aten::gelu: approximate='fast' has no translation for …", "aten::gelu has no translation …".
Refused parse(const std::string& text) {
  static const std::regex kForm(R"(^(\w+::\w+(?:\.\w+)?)(?:: (\w+)=)?)");
  std::smatch found;
  if (!std::regex_search(text, found, kForm)) return {};
  return {found[1], found[2], {}};
}

bool is_same(ir::OpId own, const std::string& named) {
  const ir::OpId other = ir::op_id(named);
  return own == other || same_translation(own, other);
}

}  // namespace

std::vector<Refused> refusals(const Diagnostic& diagnostic) {
  std::vector<Refused> out;
  for (const Use& use : diagnostic.uses) {
    out.push_back(parse(use.what));
    out.back().why = use.why;
  }
  if (!out.empty()) return out;
  out.push_back(parse(diagnostic.message));
  out[0].why = diagnostic.why.empty() ? diagnostic.message : diagnostic.why;
  return out;
}

std::vector<OperatorUse> refused_uses(const std::vector<OperatorUse>& uses,
                                      const std::vector<Refused>& refused) {
  std::vector<OperatorUse> out;
  for (const OperatorUse& use : uses)
    for (const Refused& each : refused) {
      if (each.op.empty() || !is_same(ir::op_id(use.op), each.op)) continue;
      OperatorUse part = use;
      std::erase_if(part.given, [&](const std::string& name) { return name != each.argument; });
      out.push_back(std::move(part));
    }
  return out;
}

std::string refusal_list(const std::vector<Refused>& refused) {
  std::map<std::tuple<std::string, std::string, std::string>, int> cases;
  for (const Refused& each : refused) ++cases[{each.op, each.argument, each.why}];
  std::string out;
  for (const auto& [row, count] : cases) {
    const auto& [op, argument, why] = row;
    out += cat(op, argument.empty() ? "" : " ", argument, ": ", why, " (", count,
               count == 1 ? " case)\n" : " cases)\n");
  }
  return out;
}

}  // namespace t2n::test
