// SPDX-License-Identifier: Apache-2.0
// Joins the variables of the text with the artefact's files.
#include "src/nnef/artefact.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"
#include "src/nnef/lexer.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"

namespace t2n::nnef {
namespace {

constexpr std::string_view kGraph = "graph.nnef";
constexpr std::string_view kQuant = "graph.quant";
constexpr std::string_view kTensor = ".dat";

[[noreturn]] void refuse(std::string message, std::string why, std::string help = {}) {
  throw Error("nnef-invalid", std::move(message), std::move(why), std::move(help));
}

std::string_view text_of(const Content& content) {
  return {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()};
}

using OnInvocation = std::function<void(const Value&)>;

/// Calls `visit` for every invocation, inner ones first.
void for_each_invocation(const Value& value, const OnInvocation& visit) {
  for_each_part(value, [&](const Value& part) { for_each_invocation(part, visit); });
  if (value.kind == Kind::invocation) visit(value);
}

void for_each_invocation(const std::vector<Assignment>& body, const OnInvocation& visit) {
  for (const Assignment& assignment : body) for_each_invocation(assignment.right, visit);
}

/// The location of the `variable` statement for `label`; none if it is not found.
std::vector<Where> location_of(std::string_view text, const std::string& label) {
  const Lexer lexer(text, kGraph);
  bool in_variable = false;
  bool in_head = true;
  for (Token token = lexer.at(0); token.kind != TokenKind::end; token = lexer.at(token.end())) {
    in_head &= token.text != "fragment" && token.text != "graph";
    if (in_head && token.text == "extension")  // its text is not NNEF
      token = {token.kind, token.end(), lexer.until(';', token.end())};
    if (token.text == "variable" || token.text == ";") in_variable = token.text != ";";
    if (in_variable && token.kind == TokenKind::string && decoded(token) == label)
      return {lexer.where(token)};
  }
  return {};
}

/// Joins files with statements.
class Assembly {
 public:
  /// `depth`: the number of enclosing artefacts.
  Assembly(StoredFiles stored, std::string origin, int depth = 0)
      : stored_(std::move(stored)),
        used_(stored_.files.size()),
        origin_(std::move(origin)),
        depth_(depth) {}

  Artefact run() {
    Artefact out;
    graph_ = graph();
    out.text = graph_;
    out.document = parse_document(text_of(graph_), kGraph);
    if (const StoredFile* quant = use(kQuant))
      out.document.quant = parse_quant(text_of(content_of(*quant)), kQuant);
    if (const StoredFile* states = use(kStatesFile))
      out.document.states = read_npz(content_of(*states).bytes, kStatesFile);
    const OnInvocation visit = [&](const Value& invocation) {
      try {
        variable(invocation, out);
        submodel(invocation, out);
      } catch (const Error& error) {
        note(error);
      }
    };
    for_each_invocation(out.document.graph.body, visit);
    for (const Fragment& fragment : out.document.fragments)
      for_each_invocation(fragment.body, visit);
    if (!faults_.empty()) throw Error(faults_[0], {faults_.begin() + 1, faults_.end()});
    for (size_t i = 0; i < used_.size(); ++i)
      if (!used_[i]) out.unused.push_back(stored_.files[i].name);
    out.file_bytes = stored_.bytes;
    return out;
  }

 private:
  /// Other files may be faulty as well. Limits and the disk concern all of them.
  void note(const Error& error) {
    constexpr size_t kMost = 20;
    const bool is_of_file =
        error.diagnostic().id == "nnef-invalid" || error.diagnostic().id == "nnef-syntax";
    if (!is_of_file) throw Error(error);
    faults_.push_back(error.diagnostic());
    for (const Diagnostic& other : error.others()) faults_.push_back(other);
    if (faults_.size() >= kMost) throw Error(faults_[0], {faults_.begin() + 1, faults_.end()});
  }

  /// The file with this name, marked as used.
  const StoredFile* use(std::string_view name) {
    const auto& files = stored_.files;
    const auto found = std::lower_bound(
        files.begin(), files.end(), name,
        [](const StoredFile& file, std::string_view file_name) { return file.name < file_name; });
    if (found == files.end() || found->name != name) return nullptr;
    used_[found - files.begin()] = true;
    return &*found;
  }

  Content graph() {
    if (const StoredFile* file = use(kGraph)) return content_of(*file);
    const auto deeper =
        std::find_if(stored_.files.begin(), stored_.files.end(),
                     [](const StoredFile& file) { return file.name.ends_with("/graph.nnef"); });
    refuse(cat(quoted(origin_), " has no graph.nnef at its root"),
           deeper == stored_.files.end() ? cat("it holds ", stored_.files.size(), " other files")
                                         : cat("it holds ", quoted(deeper->name)),
           deeper == stored_.files.end() ? "" : "give the folder itself, or pack its content");
  }

  /// The file of a label. Drops a leading slash, which engines treat differently.
  const StoredFile& tensor_file(const std::string& label) {
    std::string_view name = label;
    while (name.starts_with('/') || name.starts_with("./"))
      name.remove_prefix(name.starts_with('/') ? 1 : 2);
    const std::string file_name = cat(name, kTensor);
    if (const StoredFile* file = use(file_name)) return *file;
    fail_missing(label, file_name);
  }

  [[noreturn]] void fail_missing(const std::string& label, const std::string& file_name) const {
    std::vector<std::string> names;
    std::string other;
    for (const StoredFile& file : stored_.files) {
      if (file.name.ends_with(kTensor)) names.push_back(file.name);
      if (file.name.ends_with(".safetensors")) other = file.name;
    }
    const std::string suggestion = nearest(file_name, names);
    std::string help = suggestion.empty() ? "" : cat("did you mean ", quoted(suggestion), "?");
    if (!other.empty()) help = cat("t2nnef reads .dat files only, not ", quoted(other));
    fail_at(label, cat("the variable ", quoted(label), " has no file ", quoted(file_name)),
            cat("it holds ", names.size(),
                names.size() == 1 ? " other .dat file" : " other .dat files"),
            std::move(help));
  }

  void variable(const Value& invocation, Artefact& out) {
    if (invocation.text != "variable") return;
    const Value* const label = find_argument(invocation, "label", 1);
    if (label == nullptr || label->kind != Kind::string)
      refuse("a variable in graph.nnef has no label",
             "its values are in the file that its label names", "write label = 'name'");
    if (!index_.contains(label->text)) {
      if (!read_.insert(label->text).second) return;  // its file is faulty
      const StoredFile& file = tensor_file(label->text);
      out.tensors.push_back(read_stored(content_of(file), file.name));
      out.tensors.back().label = label->text;
      index_.emplace(label->text, out.tensors.size() - 1);
    }
    check_shape(invocation, out.tensors[index_.at(label->text)]);
  }

  void submodel(const Value& invocation, Artefact& out) {
    if (invocation.text != "tract_core_submodel") return;
    const Value* const label = find_argument(invocation, "label", 1);
    if (label == nullptr || label->kind != Kind::string)
      refuse("a submodel in graph.nnef has no label", "the label names its files",
             "write label = 'name'");
    const std::string& name = label->text;
    if (out.submodels.contains(name)) return;
    constexpr int kDeepest = 4;
    if (depth_ == kDeepest)
      throw Error("nnef-limit", cat("submodels are nested more than ", kDeepest, " levels deep"));
    out.submodels[name] = std::make_shared<Artefact>(submodel_called(name));
  }

  Artefact submodel_called(const std::string& name) {
    for (const char* suffix : {".nnef.tgz", ".nnef.tar"})
      if (const StoredFile* file = use(name + suffix))
        return Assembly(list_files(content_of(*file), file->name), file->name, depth_ + 1).run();
    StoredFiles parts;
    const std::string folder = name + "/";
    for (size_t i = 0; i < stored_.files.size(); ++i) {
      StoredFile part = stored_.files[i];
      if (!part.name.starts_with(folder)) continue;
      used_[i] = true;
      // tract labels files in deeper folders without the folder names.
      part.name = part.name.substr(part.name.rfind('/') + 1);
      parts.files.push_back(std::move(part));
    }
    if (parts.files.empty())
      refuse(cat("the submodel ", quoted(name), " is missing"),
             cat("it is the folder ", quoted(folder), ", or ", quoted(name + ".nnef.tgz"), " or ",
                 quoted(name + ".nnef.tar")));
    const auto before = [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; };
    std::sort(parts.files.begin(), parts.files.end(), before);
    for (size_t i = 1; i < parts.files.size(); ++i)
      if (parts.files[i].name == parts.files[i - 1].name)
        refuse(cat("the submodel ", quoted(name), " has two files ", quoted(parts.files[i].name)),
               "tract distinguishes them by the last part of their names");
    return Assembly(std::move(parts), folder, depth_ + 1).run();
  }

  /// Skips shapes that are not written as integers; the interpreter evaluates them.
  void check_shape(const Value& invocation, const StoredTensor& tensor) const {
    const Value* const shape = find_argument(invocation, "shape", 0);
    if (shape == nullptr || shape->kind != Kind::array) return;
    ir::Ints sizes;
    for (const Value& item : shape->items) {
      if (item.kind != Kind::integer) return;
      sizes.push_back(item.integer);
    }
    if (sizes == tensor.values.shape) return;
    fail_at(tensor.label,
            cat("the variable ", quoted(tensor.label), " has the shape ",
                ir::shape_str(ir::to_shape(sizes))),
            cat("its file holds ", ir::shape_str(ir::to_shape(tensor.values.shape))));
  }

  [[noreturn]] void fail_at(const std::string& label, std::string message, std::string why,
                            std::string help = {}) const {
    throw Error(Diagnostic{.id = "nnef-invalid",
                           .message = std::move(message),
                           .where = location_of(text_of(graph_), label),
                           .details = {},
                           .why = std::move(why),
                           .help = std::move(help)});
  }

  StoredFiles stored_;
  Content graph_;
  std::vector<bool> used_;
  std::string origin_;
  int depth_ = 0;
  std::vector<Diagnostic> faults_;
  std::set<std::string> read_;                     ///< labels
  std::unordered_map<std::string, size_t> index_;  ///< of the tensor, by label
};

}  // namespace

Artefact read_artefact(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  const limits::Stage stage("reading the artefact",
                            limits::read_seconds(ignored ? 0 : static_cast<int64_t>(size)));
  return Assembly(list_files(path), path.string()).run();
}

Artefact read_artefact(const Content& archive, std::string_view origin) {
  return Assembly(list_files(archive, origin), std::string(origin)).run();
}

const StoredTensor* find_tensor(const Artefact& artefact, std::string_view label) {
  const auto found =
      std::find_if(artefact.tensors.begin(), artefact.tensors.end(),
                   [&](const StoredTensor& tensor) { return tensor.label == label; });
  return found == artefact.tensors.end() ? nullptr : &*found;
}

}  // namespace t2n::nnef
