// SPDX-License-Identifier: Apache-2.0
#include "src/export/causal_lm.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "ir/readable.h"
#include "ir/sizes.h"
#include "src/diag/error.h"
#include "src/export/all_refusals.h"
#include "src/export/declared_axes.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/export/traced_model.h"
#include "src/nnef/walk.h"

namespace t2n {
namespace {

constexpr const char* kTokens = "S";
constexpr const char* kPast = "P";

constexpr const char* kWrapper =
    "wrap the model: forward(input_ids, past_key_values) must return the logits, then each cache "
    "as torch.cat([past, new], dim); see docs/language_models.md";

[[noreturn]] void refuse_preset(const std::string& what, const std::string& why,
                                const std::string& help = kWrapper) {
  throw Error("preset-unmet", cat("tract's causal_llm client cannot run this model: ", what), why,
              help);
}

const ir::Value& input(const ir::Graph& graph, size_t i) { return graph.values[graph.inputs[i]]; }
const ir::Value& output(const ir::Graph& graph, size_t i) { return graph.values[graph.outputs[i]]; }

std::string shown(const ir::Value& value) {
  return cat(ir::dtype_name(value.dtype), ir::readable(value.shape));
}

void require_tokens(const ir::Graph& graph) {
  if (graph.inputs.empty() || graph.outputs.empty())
    refuse_preset("it has no inputs or no outputs", {});
  const ir::Value& tokens = input(graph, 0);
  if (tokens.dtype != ir::DType::i64 || tokens.shape.size() != 2)
    refuse_preset(cat("its first input, ", quoted(tokens.name), ", is ", shown(tokens)),
                  "the client passes tokens as this input, i64[1,S]");
  const ir::Value& logits = output(graph, 0);
  if (!ir::is_float(logits.dtype) || logits.shape.empty())
    refuse_preset(cat("its first output, ", quoted(graph.output_names[0]), ", is ", shown(logits)),
                  "the client expects logits there, with the vocabulary along the last axis");
  if (graph.inputs.size() == 1)
    refuse_preset("it has no caches",
                  "the client passes each token once and does not keep the text");
  if (graph.outputs.size() != graph.inputs.size())
    refuse_preset(cat("it has ", graph.inputs.size() - 1, " caches and gives back ",
                      graph.outputs.size() - 1),
                  "after the logits the client takes one output for each cache, in their order");
}

/// The axis along which cache `i` grows by the number of tokens.
size_t growing_axis(const ir::Graph& graph, size_t i) {
  const ir::Value& before = input(graph, i);
  const ir::Value& after = output(graph, i);
  const ir::Dim tokens = input(graph, 0).shape[1];
  const std::string pair =
      cat("the input ", quoted(before.name), ", ", shown(before), ", and the output ",
          quoted(graph.output_names[i]), ", ", shown(after));
  if (!ir::is_float(before.dtype) || before.dtype != after.dtype ||
      before.shape.size() != after.shape.size())
    refuse_preset(cat(pair, ", are not one cache before and after the call"),
                  "each input after the tokens must be a cache of floats");
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < before.shape.size(); ++axis)
    if (before.shape[axis] != after.shape[axis]) axes.push_back(axis);
  if (axes.size() != 1 || after.shape[axes[0]] != before.shape[axes[0]] + tokens)
    refuse_preset(cat(pair, ", do not differ by the number of tokens along exactly one axis"),
                  "a cache must grow by one entry for each token");
  return axes[0];
}

std::vector<dynamic::AxisSpec> open_axes(const ir::Graph& graph) {
  const ir::Value& tokens = input(graph, 0);
  const bool is_batched = tokens.shape[0] != ir::Dim(1);
  std::vector<std::string> axes = {cat("input_0:1=", kTokens)};
  if (is_batched) axes.emplace_back("input_0:0=B");
  for (size_t i = 1; i < graph.inputs.size(); ++i) {
    const ir::Value& cache = input(graph, i);
    axes.push_back(cat("input_", i, ":", growing_axis(graph, i), "=", kPast));
    if (!is_batched) continue;
    if (cache.shape[0] != tokens.shape[0])
      refuse_preset(cat("the batch of the input ", quoted(cache.name), " is not its first axis"),
                    "the client gives one text at a time", "pass samples with a batch of 1");
    axes.push_back(cat("input_", i, ":0=B"));
  }
  std::vector<dynamic::AxisSpec> out;
  for (const std::string& axis : axes) out.push_back(dynamic::parse_axis(axis));
  return out;
}

/// "key", "value", or "" if the name of a cache shows neither.
std::string kind_of(const std::string& name) {
  constexpr std::array<const char*, 2> kKinds = {"key", "value"};
  for (const char* kind : kKinds) {
    const bool is_short =
        name[0] == kind[0] &&
        (name.size() == 1 || std::isalpha(static_cast<unsigned char>(name[1])) == 0);
    const std::string other = kind == kKinds[0] ? kKinds[1] : kKinds[0];
    if (is_short || (name.find(kind) != name.npos && name.find(other) == name.npos)) return kind;
  }
  return {};
}

/// "key_0", "value_0", "key_1"…: from the inputs' names if all of them show it, else alternating.
std::vector<std::string> cache_names(const ir::Graph& graph) {
  const size_t count = graph.inputs.size() - 1;
  std::vector<std::string> kinds;
  for (size_t i = 1; i <= count; ++i) kinds.push_back(kind_of(input(graph, i).name));
  const auto number = [&](const char* kind) {
    return std::count(kinds.begin(), kinds.end(), kind);
  };
  const bool is_named = number("") == 0 && number("key") == number("value");
  std::map<std::string, int> used;
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    std::string kind = "cache";
    if (is_named)
      kind = kinds[i];
    else if (count % 2 == 0)
      kind = i % 2 == 0 ? "key" : "value";
    const int index = used[kind]++;
    out.push_back(kind == "cache" ? cat("cache_", index) : cat("cache_", kind, "_", index));
  }
  return out;
}

PortNames client_names(const ir::Graph& graph, const PortNames& requested) {
  PortNames out{{"input_ids"}, {"outputs"}};
  for (const std::string& name : cache_names(graph)) {
    out.inputs.push_back("in_" + name);
    out.outputs.push_back("out_" + name);
  }
  if (!requested.inputs.empty()) out.inputs = requested.inputs;
  if (!requested.outputs.empty()) out.outputs = requested.outputs;
  return out;
}

/// The number of reads of `name` in the document.
int reads_of(const nnef::Document& document, const std::string& name) {
  int out = 0;
  for (const nnef::Assignment& statement : document.graph.body)
    nnef::walk(statement.right, [&](const nnef::Value& value) {
      if (value.kind == nnef::Kind::identifier && value.text == name) ++out;
    });
  return out;
}

/// `result = concat([cache, …], axis = …)`.
bool is_joined(const nnef::Document& document, const std::string& cache,
               const std::string& result) {
  const auto& body = document.graph.body;
  return std::any_of(body.begin(), body.end(), [&](const nnef::Assignment& statement) {
    const nnef::Value& right = statement.right;
    return statement.left.text == result && right.text == "concat" && !right.arguments.empty() &&
           right.arguments[0].value.items.size() == 2 &&
           right.arguments[0].value.items[0].text == cache;
  });
}

/// The axes with the bounds that a .pt2 file states for them. Errors: `usage` for an axis that it
/// does not declare; `preset-unmet` for bounds that exclude the client's lengths.
DynamicOptions within_bounds_of_file(const LoadedModel& model, DynamicOptions dynamic,
                                     const Report& report) {
  if (model.info.kind != trace::FileKind::exported) return dynamic;
  std::set<ir::Symbol> own;
  for (const dynamic::AxisSpec& axis : dynamic.axes)
    for (const ir::Symbol& symbol : axis.size.symbols()) own.insert(symbol);
  const auto is_own = [&](const ir::Dim& size) {
    const auto symbols = size.symbols();
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](const ir::Symbol& symbol) { return own.contains(symbol); });
  };
  const size_t users = dynamic.asserted.size();
  dynamic = with_declared_axes(model, std::move(dynamic), report);
  std::erase_if(dynamic.axes, [&](const auto& axis) { return !is_own(axis.size); });
  std::erase_if(dynamic.asserted, [&](const ir::Comparison& bound) {
    return !is_own(bound.left) || !is_own(bound.right);
  });
  for (size_t i = users; i < dynamic.asserted.size(); ++i)
    if (const ir::Comparison& bound = dynamic.asserted[i];
        !ir::all_hold({bound}, {{kTokens, 1}, {kPast, 0}}))
      refuse_preset(cat("it was exported for sizes with ", ir::readable(bound)),
                    "the client begins with empty caches, P = 0, and decodes one token after the "
                    "other, S = 1",
                    "declare the axes with torch.export.Dim: min=1 for tokens, min=0 for caches");
  // Without bounds of its own a cache may be empty.
  if (users == 0) dynamic.asserted.push_back({ir::Dim::symbol(kPast), ir::Relation::ge, 0});
  return dynamic;
}

}  // namespace

void require_preset(const ExportOptions& options) {
  if (options.target.engine != target::Engine::tract)
    throw Error("usage", "--preset causal-llm requires a tract target", {}, "add --target tract");
  if (!options.dynamic.axes.empty())
    throw Error("usage", "--preset causal-llm declares the axes itself: tokens S, caches P", {},
                "omit --dynamic; --assert can constrain S and P further");
}

CausalLm causal_lm(const LoadedModel& model, const ExportOptions& options) {
  const TracedModel traced = traced_or_refused(model, options, RefusedBy::translation,
                                               [&] { return trace_at_one_size(model, options); });
  const ir::Graph& graph = traced.traced.graph;
  require_tokens(graph);
  CausalLm out{{open_axes(graph), options.dynamic.asserted}, client_names(graph, options.names)};
  dynamic::require_declared(out.dynamic.asserted, out.dynamic.axes);
  out.dynamic = within_bounds_of_file(model, std::move(out.dynamic), options.report);
  return out;
}

std::vector<dynamic::Sizes> client_lengths(const dynamic::DynamicTrace& model,
                                           const std::vector<ir::Comparison>& asserted) {
  const auto at = [&](int64_t tokens, int64_t past) {
    dynamic::Sizes out = model.sample;
    for (auto& [symbol, size] : out) {
      if (symbol == kTokens) size = tokens;
      if (symbol == kPast) size = past;
    }
    return out;
  };
  for (const ir::Comparison& relation : model.relations) {
    if (std::find(asserted.begin(), asserted.end(), relation) != asserted.end()) continue;
    for (const auto& [tokens, past] : {std::pair(1, 0), {2, 0}, {1, 1}, {2, 1}})
      if (!ir::all_hold({relation}, at(tokens, past)))
        refuse_preset(
            cat("the exported model requires ", ir::readable(relation)),
            "the client begins with empty caches, P = 0, and decodes one token after the "
            "other, S = 1",
            "make forward independent of the number of tokens: use a mask instead of a branch on "
            "it or of is_causal=S > 1; see docs/language_models.md");
  }
  constexpr int64_t kSome = 9;
  std::vector<dynamic::Sizes> out;
  for (const int64_t past : {int64_t{0}, kSome})
    if (ir::all_hold(model.relations, at(1, past))) out.push_back(at(1, past));
  return out;
}

void require_caches(const nnef::Document& document) {
  const nnef::Graph& graph = document.graph;
  for (size_t i = 1; i < graph.parameters.size(); ++i) {
    const std::string& cache = graph.parameters[i];
    if (reads_of(document, cache) != 1 || !is_joined(document, cache, graph.results.at(i)))
      refuse_preset(cat("the cache ", quoted(cache), " is not read by exactly one concatenation"),
                    cat("the client finds a cache by torch.cat([", cache,
                        ", new], dim), which must be the output itself"));
  }
}

}  // namespace t2n
