// SPDX-License-Identifier: Apache-2.0
#include "src/export/port_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/export/pipeline.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/name_copies.h"

namespace t2n {
namespace {

/// Inputs or outputs, with the option that names them.
struct Side {
  const char* option;
  const char* kind;  ///< "input", as in `input_0`
  std::vector<Port>& ports;
};

size_t index_of(const Side& side, const std::string& old_name, const std::string& text) {
  const std::vector<std::string> names = port_names(side.ports);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == old_name || cat(side.kind, "_", i) == old_name) return i;
  const std::string near = nearest(old_name, names);
  throw Error("usage",
              cat(side.option, " ", text, ": the model has no ", side.kind, " ", quoted(old_name)),
              cat("it has: ", joined(names, ", ")),
              near.empty() ? std::string() : cat("did you mean ", quoted(near), "?"));
}

/// "key_*=k_*" as one spec for each matching port, with what `*` stands for.
std::vector<std::string> expanded(const Side& side, const std::string& text) {
  const size_t equals = text.find('=');
  const std::string old_name = text.substr(0, std::min(equals, text.size()));
  if (equals == std::string::npos || !is_glob(old_name)) return {text};
  const std::string name = text.substr(equals + 1);
  const size_t star = old_name.find('*');
  if (star == std::string::npos || old_name.find_first_of("*?", star + 1) != std::string::npos ||
      old_name.find('?') != std::string::npos || std::count(name.begin(), name.end(), '*') != 1)
    throw Error("usage", cat(side.option, " ", text, " needs one * on each side"), {},
                cat("such as ", side.option, " 'cache_*=past_*'"));
  const size_t rest = old_name.size() - star - 1;
  std::vector<std::string> out;
  for (const std::string& port : port_names(side.ports))
    if (glob_matches(old_name, port)) {
      std::string renamed = name;
      renamed.replace(name.find('*'), 1, port.substr(star, port.size() - star - rest));
      out.push_back(cat(port, "=", renamed));
    }
  if (out.empty())
    throw Error("usage",
                cat(side.option, " ", text, ": no ", side.kind, " matches ", quoted(old_name)),
                cat("the model has: ", joined(port_names(side.ports), ", ")));
  return out;
}

/// By port; empty if the name stays.
std::vector<std::string> new_names(const Side& side, const std::vector<std::string>& specs) {
  std::vector<std::string> out(side.ports.size());
  size_t next = 0;
  std::vector<std::string> all;
  for (const std::string& text : specs)
    for (std::string& spec : expanded(side, text)) all.push_back(std::move(spec));
  for (const std::string& text : all) {
    const size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? text : text.substr(equals + 1);
    const size_t index =
        equals == std::string::npos ? next++ : index_of(side, text.substr(0, equals), text);
    if (index >= out.size())
      throw Error("usage", cat(side.option, " ", text, " is superfluous"),
                  cat("the model has ", out.size(), " ", side.kind, out.size() == 1 ? "" : "s"));
    if (nnef::identifier_for(name) != name)
      throw Error("usage", cat(side.option, " ", quoted(name), " is not a valid NNEF name"),
                  "a name is letters, digits and _, does not begin with a digit, and is not an "
                  "NNEF keyword",
                  cat("such as ", nnef::identifier_for(name)));
    if (!out[index].empty())
      throw Error("usage", cat(side.option, " names ", quoted(side.ports[index].name), " twice"));
    out[index] = name;
  }
  return out;
}

void refuse_twins(const ExportResult& result) {
  std::set<std::string> inputs, outputs;
  for (const Port& port : result.inputs)
    if (!inputs.insert(port.name).second)
      throw Error("usage", cat("two inputs would be called ", quoted(port.name)));
  for (const Port& port : result.outputs)
    if (!outputs.insert(port.name).second || inputs.contains(port.name))
      throw Error("usage",
                  cat("an output would be called ", quoted(port.name),
                      inputs.contains(port.name) ? ", as an input is" : ", as another output is"));
}

/// Refuses names of symbols, which are names in the document, too.
void refuse_symbols(const nnef::Document& document, const std::set<std::string>& names) {
  for (const ir::Symbol& symbol : document.symbols)
    if (names.contains(symbol.str()))
      throw Error("usage", cat(quoted(symbol.str()), " is the name of a size"), {},
                  "choose another name for the input or output");
}

void rename(Side side, const std::vector<std::string>& names, std::vector<Port>& others) {
  std::map<std::string, std::string> renamed;
  for (size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) renamed[std::exchange(side.ports[i].name, names[i])] = names[i];
  for (Port& other : others)
    if (const auto found = renamed.find(other.other_side); found != renamed.end())
      other.other_side = found->second;
}

using Renamed = std::map<std::string, std::string>;  ///< from names of the document to new ones

/// All changed names. Another tensor with one of the new names gets a unique name.
Renamed new_tensors(const nnef::Document& document, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
  Renamed out;
  const auto add = [&](const std::vector<std::string>& old, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty() && names[i] != old[i]) out[old[i]] = names[i];
  };
  add(document.graph.parameters, inputs);
  add(document.graph.results, outputs);
  std::set<std::string> targets;
  for (const auto& [old, name] : out) targets.insert(name);
  refuse_symbols(document, targets);
  nnef::UniqueNames unique;
  for (const std::string& name : targets) unique.reserve(name);
  std::vector<std::string> tensors;
  for (const nnef::Assignment& statement : document.graph.body)
    for (const std::string_view name : nnef::assigned_names(statement.left)) {
      unique.reserve(name);
      tensors.emplace_back(name);
    }
  for (const std::string& name : tensors)
    if (targets.contains(name) && !out.contains(name)) out[name] = unique.claim(name);
  return out;
}

void rename_tensors(nnef::Document& document, const Renamed& renamed) {
  const auto change = [&](std::string& name) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  const auto change_all = [&](nnef::Value& expression) {
    nnef::walk(expression, [&](nnef::Value& value) {
      if (value.kind == nnef::Kind::identifier) change(value.text);
    });
  };
  for (std::string& name : document.graph.parameters) change(name);
  for (std::string& name : document.graph.results) change(name);
  for (nnef::Assignment& statement : document.graph.body) {
    change_all(statement.left);
    change_all(statement.right);
  }
  for (nnef::QuantEntry& entry : document.quant) change(entry.name);
}

}  // namespace

std::vector<std::string> port_names(const std::vector<Port>& ports) {
  std::vector<std::string> out;
  for (const Port& port : ports) out.push_back(port.name);
  return out;
}

void rename_ports(const PortNames& names, nnef::Document& document, ExportResult& result) {
  if (names.inputs.empty() && names.outputs.empty()) return;
  const Side in{"--input-name", "input", result.inputs};
  const Side out{"--output-name", "output", result.outputs};
  const std::vector<std::string> inputs = new_names(in, names.inputs);
  const std::vector<std::string> outputs = new_names(out, names.outputs);
  rename(in, inputs, result.outputs);
  rename(out, outputs, result.inputs);
  refuse_twins(result);
  rename_tensors(document, new_tensors(document, inputs, outputs));
  if (spec::dialect_of(document) != spec::Dialect::tract) return;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].empty() && result.outputs[i].dtype != ir::DType::boolean)
      spec::add_name_copy(document, outputs[i]);
}

}  // namespace t2n
