// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/tree.h"

#include "src/diag/error.h"

namespace t2n::pt2 {
namespace {

/// The names of `count` children in a node's context: the keys of a dictionary, or the fields of a
/// class. Torch writes both as a JSON array of strings; empty if it is anything else.
std::vector<std::string> names_in(const std::string& context, size_t count) {
  const Json names = Json::parse(context, nullptr, false);
  std::vector<std::string> out;
  if (!names.is_array() || names.size() != count) return out;
  for (const Json& name : names) {
    if (!name.is_string()) return {};
    out.push_back(name.get<std::string>());
  }
  return out;
}

Tree read_subtree(const Cursor& at) {
  Tree out;
  if (!at.find("type")) {
    out.is_leaf = true;
    return out;
  }
  for (const Cursor& child : at["children_spec"].elements())
    out.children.push_back(read_subtree(child));
  if (const auto context = at.find("context"))
    out.keys = names_in(context->text(), out.children.size());
  return out;
}

}  // namespace

Tree read_tree(const std::string& text, const std::string& record) {
  const JsonTable table = parse_table(text, cat(record, " (a tree of arguments or results)"));
  const std::vector<Cursor> parts = Cursor(table).elements();
  if (parts.size() != 2 || parts[0].integer() != 1)
    Cursor(table).refuse("is of a version that this t2nnef does not know");
  return read_subtree(parts[1]);
}

}  // namespace t2n::pt2
