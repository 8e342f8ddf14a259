// SPDX-License-Identifier: Apache-2.0
// The end of a translation: outputs, final names, and declarations at the head of the text.
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "src/diag/error.h"
#include "src/extend/own_fragments.h"
#include "src/nnef/parser.h"
#include "src/spec/dialect.h"
#include "src/translate/emitter.h"
#include "src/translate/emitter_state.h"
#include "src/translate/folded_weights.h"
#include "src/translate/fragments.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

constexpr std::string_view kVersion = T2NNEF_VERSION;  // of CMakeLists.txt

struct RegistryLine {
  std::string_view prefix;
  std::string_view registry;
};
constexpr RegistryLine kRegistries[] = {
    {"tract_core_", "tract_core"},
    {"tract_shl", "tract_core"},
    {"tract_shr", "tract_core"},
    {"tract_extra_", "tract_extra"},
    {"tract_onnx_", "tract_onnx"},
    {"tract_pulse_", "tract_pulse"},
    {"tract_resource_", "tract_resource"},
    {"tract_transformers_", "tract_transformers"},
    // The aliases of tract_transformers resolve through tract_core in 0.23.
    {"tract_transformers_", "tract_core"},
};

const std::map<std::string, nnef::Fragment, std::less<>>& fragments() {
  static const auto table = [] {
    std::map<std::string, nnef::Fragment, std::less<>> out;
    for (const FragmentText& source : fragment_texts())
      for (nnef::Fragment& fragment : nnef::parse_fragments(source.text, source.file)) {
        const std::string name = fragment.name;
        T2N_ASSERT(out.emplace(name, std::move(fragment)).second, "two fragments are called ",
                   name);
      }
    for (const nnef::Fragment& own : extend::extensions().fragments) out.emplace(own.name, own);
    return out;
  }();
  return table;
}

/// Names of called operations and fragments, and symbols in dimension expressions.
struct Mentions {
  std::set<std::string, std::less<>> ops;
  std::set<std::string, std::less<>> fragments;  ///< those of ops/fragments, and the user's
  std::set<ir::Symbol> symbols;
};

void add_mentions(const nnef::Value& value, Mentions& out) {
  nnef::walk(value, [&](const nnef::Value& v) {
    if (v.kind == nnef::Kind::invocation) out.ops.insert(v.text);
    if (v.kind == nnef::Kind::dimension)
      for (const ir::Symbol& symbol : v.dim.symbols()) out.symbols.insert(symbol);
    // tract_core_scan names its body in a string.
    const bool may_name = v.kind == nnef::Kind::invocation || v.kind == nnef::Kind::string;
    if (!may_name || find_fragment(v.text) == nullptr || !out.fragments.insert(v.text).second)
      return;
    for (const nnef::Assignment& statement : fragments().find(v.text)->second.body)
      add_mentions(statement.right, out);
  });
}

/// The runtime assertions as text, for readers: no engine knows these sizes when it loads the
/// graph.
std::string runtime_assertions_text(const ir::Graph& graph) {
  std::string out = "numbers of entries are 0 or more";
  for (const ir::Comparison& assertion : ir::runtime_assertions(graph))
    out += cat("; ", ir::str(ir::as_written(assertion)));
  return out;
}

nnef::Fragment properties(const target::Target& target, const std::string& runtime_assertions) {
  const auto pair = [](const char* key, std::string value) {
    return nnef::tuple({nnef::string(key), nnef::string(std::move(value))});
  };
  nnef::Fragment out;
  out.name = "tract_core_properties";
  out.results.push_back({"properties", "(string, tensor<scalar>)[]", {}});
  nnef::Values pairs = {pair("t2nnef_version", std::string(kVersion)),
                        pair("tract_target_version", target::version_str(target.version))};
  if (!runtime_assertions.empty())
    pairs.push_back(pair(spec::kRuntimeAssertions.data(), runtime_assertions));
  out.body.push_back({nnef::identifier("properties"), nnef::array(std::move(pairs)), {}});
  return out;
}

/// Adds the fragments, properties and extension lines that the graph's body needs.
void complete(nnef::Document& document, const target::Target& target,
              const std::string& runtime_assertions) {
  Mentions mentions;
  for (const nnef::Assignment& statement : document.graph.body)
    add_mentions(statement.right, mentions);
  for (const nnef::Fragment& body : document.fragments)
    for (const nnef::Assignment& statement : body.body) add_mentions(statement.right, mentions);
  std::vector<nnef::Fragment> bodies = std::exchange(document.fragments, {});
  document.fragments.push_back(properties(target, runtime_assertions));
  for (const std::string& name : mentions.fragments)
    document.fragments.push_back(fragments().find(name)->second);
  std::move(bodies.begin(), bodies.end(), std::back_inserter(document.fragments));
  std::set<std::string> lines;
  for (const std::string& op : mentions.ops)
    for (const RegistryLine& row : kRegistries)
      if (op.starts_with(row.prefix)) lines.insert(cat("tract_registry ", row.registry));
  document.extensions.assign(lines.begin(), lines.end());
  document.symbols.assign(mentions.symbols.begin(), mentions.symbols.end());
}

}  // namespace

const nnef::Fragment* find_fragment(std::string_view name) {
  const auto found = fragments().find(name);
  return found == fragments().end() ? nullptr : &found->second;
}

Ref copied(Emitter& emitter, Ref ref) {
  const TensorEntry source = emitter.state().at(ref);
  // The shortest identity that 0.21 and 0.22 have.
  return emitter.has(target::Feature::copy)
             ? emitter.call("copy", {ref}, {}, source.dtype, source.shape)
             : emitter.call("squeeze", {ref}, {{"axes", Ints{}}}, source.dtype, source.shape);
}

Ref result_identifier(Emitter& emitter, Ref ref, std::set<int>& taken) {
  Emitter::State& state = emitter.state();
  return state.own_identifier(state.identifier(ref), taken,
                              [&](Ref x) { return copied(emitter, x); });
}

void add_outputs(Emitter& emitter) {
  Emitter::State& s = emitter.state();
  s.begin(nullptr);
  std::set<int> taken;
  for (const ir::ValueId id : s.graph.outputs) {
    Ref result = emitter.value(id);
    if (s.outputs.empty() && !s.is_incomplete) result = under_runtime_assertions(emitter, result);
    s.outputs.push_back(result_identifier(emitter, result, taken));
  }
  s.notes.results = s.graph.output_names;
}

void Emitter::State::resolve_names() {
  std::vector<std::string> symbols;
  inputs.clear();
  for (const ir::ValueId id : graph.inputs) {
    for (const Dim& dim : graph.values[id].shape)
      for (const ir::Symbol& symbol : dim.symbols()) symbols.push_back(symbol.str());
    inputs.push_back(Ref{of_value[id]});
  }
  for (const auto& [name, size] : unbacked.sizes) symbols.push_back(name);
  Draft::resolve_names(symbols);
}

nnef::Document Emitter::finish() {
  State& s = *state_;
  add_outputs(*this);
  if (!s.is_incomplete) s.drop_dead();
  s.resolve_names();
  nnef::Graph& graph = s.document.graph;
  graph.name = nnef::identifier_for(s.graph.name);
  for (const ir::ValueId id : s.graph.inputs) graph.parameters.push_back(s.at(value(id)).text);
  for (const Ref ref : s.outputs) graph.results.push_back(s.at(ref).text);
  if (s.target.engine == target::Engine::tract) {
    const UnpackedParts unpacked = store_bit_fields(s.document, s.target);
    split_large_casts(s.document, s.notes, unpacked, s.target);
  }
  complete(s.document, s.target,
           s.unbacked.failed_assertions ? runtime_assertions_text(s.graph) : "");
  return std::move(s.document);
}

const draft::Notes& Emitter::notes() const { return state_->notes; }

}  // namespace t2n::ops
