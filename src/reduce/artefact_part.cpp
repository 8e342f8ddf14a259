// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/artefact_part.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "nnef_writer/dat.h"
#include "nnef_writer/print.h"
#include "src/diff/match.h"
#include "src/nnef/names.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/input_facts.h"

namespace t2n::reduce {
namespace {

/// By name, the index of the statement that assigns it.
std::map<std::string, size_t> assigned(const nnef::Document& document) {
  std::map<std::string, size_t> out;
  for (size_t i = 0; i < document.graph.body.size(); ++i)
    for (const std::string_view name : nnef::assigned_names(document.graph.body[i].left))
      out.emplace(name, i);
  return out;
}

void each_identifier(const nnef::Value& value,
                     const std::function<void(const std::string&)>& visit) {
  nnef::walk(value, [&](const nnef::Value& part) {
    if (part.kind == nnef::Kind::identifier) visit(part.text);
  });
}

std::string type_of(ir::DType dtype) {
  if (dtype == ir::DType::boolean) return "logical";
  return ir::is_integer(dtype) ? "integer" : "scalar";
}

/// Declares an input of the part.
nnef::Assignment external(const std::string& name, const ir::Value& value, spec::Dialect dialect) {
  nnef::Values sizes;
  for (const ir::Dim& dim : value.shape) sizes.push_back(nnef::dimension(dim));
  std::vector<nnef::Argument> arguments = {{"shape", nnef::array(std::move(sizes))}};
  if (dialect != spec::Dialect::tract)
    return {
        nnef::identifier(name), nnef::invocation("external", arguments, type_of(value.dtype)), {}};
  arguments.push_back({"datum_type", nnef::string(std::string(ir::dtype_name(value.dtype)))});
  return {nnef::identifier(name), nnef::invocation("tract_core_external", arguments), {}};
}

/// The statements that the results need, in order; nothing if one needs an input of the model that
/// is no input of the part.
std::optional<std::set<size_t>> needed(const nnef::Document& document,
                                       const std::vector<std::string>& inputs,
                                       const std::vector<std::string>& results) {
  const std::map<std::string, size_t> statements = assigned(document);
  const std::set<std::string> stops(inputs.begin(), inputs.end());
  std::set<size_t> out;
  std::vector<std::string> open = results;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (stops.contains(name)) continue;
    const auto found = statements.find(name);
    if (found == statements.end()) continue;  // a symbol
    const nnef::Assignment& statement = document.graph.body[found->second];
    if (spec::is_external(statement.right)) return std::nullopt;
    if (!out.insert(found->second).second) continue;
    for (const std::string_view other : nnef::assigned_names(statement.left))
      if (stops.contains(std::string(other))) return std::nullopt;
    each_identifier(statement.right, [&](const std::string& text) { open.push_back(text); });
  }
  return out;
}

/// Fragments that the statements call, and properties.
std::vector<nnef::Fragment> used_fragments(const nnef::Document& document,
                                           const std::vector<nnef::Assignment>& body) {
  std::set<std::string> used = {std::string(spec::kPropertiesFragment)};
  const std::function<void(const std::vector<nnef::Assignment>&)> visit =
      [&](const std::vector<nnef::Assignment>& statements) {
        for (const nnef::Assignment& statement : statements)
          nnef::walk(statement.right, [&](const nnef::Value& value) {
            // tract's loops name their body in a string.
            const bool is_name =
                value.kind == nnef::Kind::invocation || value.kind == nnef::Kind::string;
            if (!is_name || !used.insert(value.text).second) return;
            for (const nnef::Fragment& fragment : document.fragments)
              if (fragment.name == value.text) visit(fragment.body);
          });
      };
  visit(body);
  std::vector<nnef::Fragment> out;
  for (const nnef::Fragment& fragment : document.fragments)
    if (used.contains(fragment.name)) out.push_back(fragment);
  return out;
}

/// Nothing for a format that is not written again as it was.
std::optional<nnef::Blob> blob_of(const nnef::StoredTensor& stored) {
  if (stored.item == "q4_0") return std::nullopt;
  nnef::Blob out;
  out.label = stored.label;
  out.dtype = stored.values.dtype;
  out.shape = stored.values.shape;
  out.parts = {stored.values};
  out.bit_packed = stored.item == "bool packed";
  out.quantised = stored.quantised;
  return out;
}

bool add_blobs(const nnef::Artefact& artefact, nnef::Document& out) {
  std::set<std::string> labels;
  for (const nnef::Assignment& statement : out.graph.body) {
    if (statement.right.text != "variable") continue;
    const nnef::Value* label = nnef::find_argument(statement.right, "label");
    if (label == nullptr || !labels.insert(label->text).second) continue;
    const nnef::StoredTensor* const stored = nnef::find_tensor(artefact, label->text);
    std::optional<nnef::Blob> blob = stored == nullptr ? std::nullopt : blob_of(*stored);
    if (!blob) return false;
    out.blobs.push_back(*std::move(blob));
  }
  return true;
}

std::optional<std::vector<std::string>> names_of(const std::vector<ir::ValueId>& ids,
                                                 const TensorNames& names) {
  std::vector<std::string> out;
  for (const ir::ValueId id : ids) {
    const auto found = names.find(id);
    if (found == names.end()) return std::nullopt;
    out.push_back(found->second);
  }
  return out;
}

}  // namespace

TensorNames tensors_of(const ir::Graph& graph, const nnef::Document& exported) {
  const std::map<std::string, size_t> known = assigned(exported);
  TensorNames out;
  const auto add = [&](ir::ValueId id, const std::string& name) {
    if (known.contains(name)) out.emplace(id, name);
  };
  for (size_t i = 0; i < std::min(graph.outputs.size(), exported.graph.results.size()); ++i)
    add(graph.outputs[i], exported.graph.results[i]);
  for (size_t i = 0; i < std::min(graph.inputs.size(), exported.graph.parameters.size()); ++i)
    add(graph.inputs[i], exported.graph.parameters[i]);
  for (size_t id = 0; id < graph.values.size(); ++id)
    add(static_cast<ir::ValueId>(id), nnef::identifier_for(graph.values[id].name));
  return out;
}

TensorNames tensors_in(const nnef::Document& other, const nnef::Document& exported,
                       const TensorNames& names) {
  std::map<std::string, std::string> translated;
  const auto& ours = exported.graph;
  const auto& theirs = other.graph;
  const auto pair = [&](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      const bool is_same_name = std::find(b.begin(), b.end(), a[i]) != b.end();
      if (is_same_name || a.size() == b.size()) translated[a[i]] = is_same_name ? a[i] : b[i];
    }
  };
  pair(ours.parameters, theirs.parameters);
  pair(ours.results, theirs.results);
  if (spec::property(other, "t2nnef_version"))
    for (const auto& [name, statement] : assigned(other)) translated.emplace(name, name);
  translated.merge(diff::matching_tensors(exported, other));
  TensorNames out;
  for (const auto& [id, name] : names)
    if (const auto found = translated.find(name); found != translated.end())
      out.emplace(id, found->second);
  return out;
}

nnef::Artefact artefact_of(const nnef::Document& document) {
  nnef::Artefact out;
  out.document = nnef::parse_document(nnef::print(document), "export");
  out.document.quant = document.quant;
  for (const nnef::Blob& blob : document.blobs) {
    const auto file = std::make_shared<std::vector<std::byte>>();
    nnef::write_dat(blob, [&](std::span<const std::byte> piece) {
      file->insert(file->end(), piece.begin(), piece.end());
    });
    out.tensors.push_back(nnef::read_stored({*file, file}, blob.label));
    out.tensors.back().label = blob.label;
  }
  return out;
}

std::optional<nnef::Document> cut(const nnef::Artefact& artefact, const Part& part,
                                  const TensorNames& names) {
  const nnef::Document& full = artefact.document;
  const auto inputs = names_of(part.input_ids, names);
  const auto results = names_of(part.output_ids, names);
  if (!inputs || !results || !artefact.submodels.empty()) return std::nullopt;
  const auto statements = needed(full, *inputs, *results);
  if (!statements) return std::nullopt;
  const spec::Dialect dialect = spec::dialect_of(full);
  const std::map<std::string, size_t> known = assigned(full);
  nnef::Document out;
  out.extensions = full.extensions;
  out.symbols = full.symbols;
  out.assertions = full.assertions;
  out.graph.name = full.graph.name;
  out.graph.parameters = *inputs;
  out.graph.results = *results;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const auto own = known.find((*inputs)[i]);
    const bool is_external = !part.has_other_sizes && own != known.end() &&
                             spec::is_external(full.graph.body[own->second].right);
    out.graph.body.push_back(
        is_external ? full.graph.body[own->second]
                    : external((*inputs)[i], part.graph.values[part.graph.inputs[i]], dialect));
  }
  const std::string registry = "tract_registry tract_core";
  if (dialect == spec::Dialect::tract &&
      std::find(out.extensions.begin(), out.extensions.end(), registry) == out.extensions.end())
    out.extensions.push_back(registry);
  for (const size_t index : *statements) out.graph.body.push_back(full.graph.body[index]);
  out.fragments = used_fragments(full, out.graph.body);
  if (!add_blobs(artefact, out)) return std::nullopt;
  for (const nnef::QuantEntry& entry : full.quant)
    if (assigned(out).contains(entry.name)) out.quant.push_back(entry);
  return out;
}

}  // namespace t2n::reduce
