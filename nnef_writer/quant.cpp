// SPDX-License-Identifier: Apache-2.0
// Prints entries in a form that both the specification and tract read: named arguments, quoted
// name.
#include "nnef_writer/quant.h"

#include <algorithm>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/names.h"

namespace t2n::nnef {
namespace {

std::string print_entry(const QuantEntry& entry) {
  const auto& arguments = entry.invocation.arguments;
  T2N_ASSERT(entry.invocation.kind == Kind::invocation, "the entry of ", quoted(entry.name),
             " in graph.quant is not an invocation");
  T2N_ASSERT(std::none_of(arguments.begin(), arguments.end(),
                          [](const Argument& argument) { return argument.name.empty(); }),
             "an argument of ", quoted(entry.name), " in graph.quant has no name");
  // A quoted name must be a plain one: tract refuses "a.b", but reads i"a.b".
  const std::string name =
      is_plain_identifier(entry.name) ? cat("\"", entry.name, "\"") : print_identifier(entry.name);
  return cat(name, ": ", print(entry.invocation), ";\n");
}

}  // namespace

std::string print_quant(const std::vector<QuantEntry>& entries) {
  std::string out;
  for (const QuantEntry& entry : entries) out += print_entry(entry);
  return out;
}

}  // namespace t2n::nnef
