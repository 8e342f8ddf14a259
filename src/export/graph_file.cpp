// SPDX-License-Identifier: Apache-2.0
// The archive uses the graph's names of constants, prefixed in nested graphs by the first result of
// their node. Reading and writing visit constants in the same order.
#include "src/export/graph_file.h"

#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "ir/print.h"
#include "nnef_writer/npz.h"
#include "nnef_writer/output.h"
#include "src/diag/error.h"
#include "src/extend/own_fragments.h"
#include "src/model_file/allowed.h"
#include "src/nnef/files.h"
#include "src/nnef/names.h"
#include "src/nnef/npz.h"
#include "src/passes/known.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;
using ir::DType;

/// Bytes; the text form contains constants up to this size.
constexpr int64_t kMostInText = 64;

int64_t byte_count(const ir::Tensor& tensor) {
  return tensor.elements() * ir::dtype_size(tensor.dtype);
}

const ir::Value& value_of(const ir::Graph& graph, ir::ValueId id) { return graph.values[id]; }

using Visit = std::function<void(ir::Graph& graph, ir::Constant&, const std::string& name)>;

/// Bodies are copied before they are changed: other graphs may share them.
void visit_constants(ir::Graph& graph, const std::string& prefix, nnef::UniqueNames& names,
                     const Visit& visit) {
  for (ir::Constant& constant : graph.constants)
    visit(graph, constant, names.claim(cat(prefix, value_of(graph, constant.value).name)));
  for (ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    node.body = std::make_shared<ir::Graph>(*node.body);
    const std::string& result =
        node.outputs.empty() ? "body" : value_of(graph, node.outputs[0]).name;
    visit_constants(*node.body, cat(prefix, result, "/"), names, visit);
  }
}

void visit_constants(ir::Graph& graph, const Visit& visit) {
  nnef::UniqueNames names;
  visit_constants(graph, "", names, visit);
}

/// NumPy lacks bf16: its bits are stored as integers.
DType stored_dtype(DType dtype) { return dtype == DType::bf16 ? DType::u16 : dtype; }

std::string text_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error("model-not-found", cat("cannot open the graph ", quoted(path.string())),
                error ? error.message() : "No such file or directory");
  nnef::require_file(path, "model-format");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) throw Error("model-not-found", cat("cannot read ", quoted(path.string())));
  return text.str();
}

void refuse_denied(const ir::Graph& graph) {
  for (const ir::Node& node : graph.nodes) {
    const std::string_view name = ir::op_name(node.op);
    const std::string_view plain = name.substr(0, name.find('.', name.find("::")));
    if (!name.starts_with("t2n::") && !model_file::is_allowed(plain) &&
        extend::extensions().find(name) == nullptr)
      throw Error("denied-operator", cat("the graph calls ", quoted(plain)),
                  std::string(model_file::denial_reason(plain)), "remove the operation");
    if (node.body) refuse_denied(*node.body);
  }
}

ir::Graph parsed(const fs::path& path) {
  const std::string text = text_of(path);
  try {
    ir::Graph graph = ir::parse(text);
    ir::verify(graph, "parsing");
    return graph;
  } catch (const Error& error) {
    const Diagnostic& found = error.diagnostic();
    if (found.id != "ir-invalid" && found.id != "ir-syntax") throw;
    Diagnostic out = found;
    out.id = "ir-syntax";
    out.message = cat("in ", quoted(path.string()), ": ", found.message);
    out.help =
        "ir/print.cpp contains the grammar of graphs; `t2nnef opt MODEL.pt` prints an example";
    throw Error(out);
  }
}

[[noreturn]] void refuse_other(const fs::path& path, const std::string& name) {
  throw Error("weights-missing",
              cat(quoted(weights_path(path).string()), " contains other values of ", quoted(name),
                  " than ", quoted(path.string()), " was written with"),
              "the text contains a hash of each constant in the weights file",
              "write both files again, or remove the weights file");
}

void load(const fs::path& path, ir::Graph& graph) {
  std::map<std::string, ir::Tensor> arrays;
  for (nnef::NamedTensor& array : nnef::read_npz(weights_path(path)))
    arrays.emplace(std::move(array.name), std::move(array.value));
  visit_constants(graph, [&](ir::Graph& owner, ir::Constant& constant, const std::string& name) {
    const auto found = arrays.find(name);
    if (constant.data.is_loaded() || found == arrays.end()) return;
    ir::Tensor data = found->second;
    if (data.dtype != stored_dtype(constant.data.dtype) || data.shape != constant.data.shape)
      refuse_other(path, name);
    data.dtype = constant.data.dtype;
    const auto hashes = owner.attributes.find(ir::kContentHashes);
    if (hashes != owner.attributes.end()) {
      auto& known = std::any_cast<std::map<std::string, uint64_t>&>(hashes->second);
      const auto hash = known.find(value_of(owner, constant.value).name);
      if (hash != known.end() && hash->second != ir::content_hash(data)) refuse_other(path, name);
      if (hash != known.end()) known.erase(hash);
      if (known.empty()) owner.attributes.erase(hashes);
    }
    constant.data = std::move(data);
  });
}

nnef::Destination weights_destination(const nnef::Destination& destination) {
  nnef::Destination out = destination;
  out.path = weights_path(destination.path);
  return out;
}

}  // namespace

bool is_graph_file(const fs::path& path) { return path.extension() == ".ir"; }

fs::path weights_path(const fs::path& path) { return path.string() + ".npz"; }

ir::Graph read_graph_file(const fs::path& path) {
  ir::Graph graph = parsed(path);
  refuse_denied(graph);
  std::error_code ignored;
  if (!unloaded_constants(graph).empty() && fs::exists(weights_path(path), ignored))
    load(path, graph);
  return graph;
}

WrittenGraph write_graph_file(const ir::Graph& graph, const nnef::Destination& destination) {
  WrittenGraph out;
  ir::Graph copy = graph;
  std::vector<nnef::NamedTensor> arrays;
  visit_constants(copy, [&](ir::Graph&, ir::Constant& constant, const std::string& name) {
    if (byte_count(constant.data) <= kMostInText) return;
    ir::Tensor data = constant.data;
    data.dtype = stored_dtype(data.dtype);
    arrays.push_back({name, std::move(data)});
  });
  if (!arrays.empty()) {
    require_loaded(graph, "the graph cannot be written");
    const nnef::Destination weights = weights_destination(destination);
    nnef::write_npz(arrays, weights);
    out.weights = static_cast<int64_t>(fs::file_size(weights.path));
  }
  const std::string text = ir::print(graph);
  nnef::write_file(destination,
                   [&](nnef::FileWriter& file) { file.write(std::as_bytes(std::span(text))); });
  out.bytes = static_cast<int64_t>(text.size());
  return out;
}

void check_graph_destination(const nnef::Destination& destination) {
  nnef::check_destination(destination);
  nnef::check_destination(weights_destination(destination));
}

std::vector<std::string> unloaded_constants(const ir::Graph& graph) {
  std::vector<std::string> out;
  for (const ir::Constant& constant : graph.constants)
    if (!constant.data.is_loaded()) out.push_back(value_of(graph, constant.value).name);
  for (const ir::Node& node : graph.nodes)
    if (node.body)
      for (std::string& name : unloaded_constants(*node.body)) out.push_back(std::move(name));
  return out;
}

void require_loaded(const ir::Graph& graph, const std::string& purpose) {
  const std::vector<std::string> names = unloaded_constants(graph);
  if (names.empty()) return;
  throw Error("weights-missing",
              cat("the values of ", quoted(names[0]),
                  names.size() == 1 ? "" : cat(" and ", names.size() - 1, " more"),
                  " are not known: ", purpose),
              "the text of a graph contains constants of up to 64 bytes, and only a hash of others",
              "`t2nnef opt MODEL.pt -o GRAPH.ir` writes them to GRAPH.ir.npz");
}

}  // namespace t2n
