// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/pt2/load_exported.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/diag/error.h"
#include "src/frontend/load/operator_scan.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/pt2/graph_writer.h"
#include "src/frontend/pt2/module_tree.h"
#include "src/frontend/pt2/program_builder.h"
#include "src/frontend/pt2/records.h"
#include "src/frontend/pt2/sample_values.h"
#include "src/frontend/pt2/stored_tensors.h"
#include "src/model_file/sniff.h"
#include "src/pt2/read_program.h"
#include "src/pt2/sizes.h"

namespace t2n::trace {
namespace {

/// The names of the programs. Errors: `model-format` if there are none.
std::vector<std::string> programs_of(const Archive& archive) {
  std::vector<std::string> names = program_names(archive);
  if (names.empty())
    throw Error("model-format", "the .pt2 file holds no program",
                "it has no record models/NAME.json: AOTInductor packages hold compiled code",
                "save the program with torch.export.save");
  return names;
}

/// The program that a method names; "forward" is the only one. Errors: `model-format`.
std::string chosen_program(const std::vector<std::string>& names, const std::string& method) {
  if (std::find(names.begin(), names.end(), method) != names.end()) return method;
  const bool is_default = method == "forward";
  if (is_default && names.size() == 1) return names[0];
  const std::string near = is_default ? "" : nearest(method, names);
  throw Error(
      "model-format",
      is_default ? cat("the .pt2 file holds ", names.size(), " programs")
                 : cat("the .pt2 file has no program ", quoted(method)),
      cat(names.size() == 1 ? "its only program is " : "its programs are: ", joined(names, ", ")),
      near.empty() ? cat("choose one, for example: --method ", names[0])
                   : cat("did you mean --method ", near, "?"),
      method);
}

bool is_state(const pt2::InputSpec& input) {
  return input.kind == pt2::InputKind::parameter || input.kind == pt2::InputKind::buffer ||
         input.kind == pt2::InputKind::tensor_constant || input.kind == pt2::InputKind::object;
}

/// The axes of the user's tensors whose sizes are symbols, and the bounds of these.
void declare_axes(const pt2::Program& program, Loaded& out) {
  const std::vector<std::string> names = argument_names(program);
  auto next = names.begin();
  std::vector<std::string> sizes;
  std::map<std::pair<std::string, size_t>, std::string> by_axis;
  for (const pt2::InputSpec& input : program.inputs) {
    const auto* value = input.argument.get<pt2::ValueName>();
    if (input.kind != pt2::InputKind::user || value == nullptr) continue;
    const std::string& name = *next++;
    const auto meta = program.graph.tensors.find(value->name);
    if (meta == program.graph.tensors.end()) continue;
    for (size_t axis = 0; axis < meta->second.sizes.size(); ++axis) {
      const pt2::Size& size = meta->second.sizes[axis];
      if (const auto* number = std::get_if<int64_t>(&size)) {
        by_axis[{name, axis}] = std::to_string(*number);
        continue;
      }
      sizes.push_back(pt2::size_text(std::get<std::string>(size)));
      by_axis[{name, axis}] = sizes.back();
      out.dynamic_axes.push_back({name, static_cast<int64_t>(axis), sizes.back()});
    }
  }
  out.assertions = pt2::assertions_on(sizes, program);
  for (const std::string& guard : program.guards)
    out.guards.push_back(pt2::guard_text(guard, [&](const std::string& name, size_t axis) {
                           const auto found = by_axis.find({name, axis});
                           return found == by_axis.end() ? std::string() : found->second;
                         }).value_or(guard));
}

Loaded build(const std::shared_ptr<const Archive>& archive,
             const std::shared_ptr<const pt2::Program>& program, const std::string& name) {
  StoredTensors tensors(archive, name);
  ModuleTree tree;
  tree.add_modules(program->graph);
  std::set<std::string> wrappers;
  for (const pt2::InputSpec& input : program->inputs) {
    if (!is_state(input)) continue;
    if (tensors.is_wrapper(input.address)) {
      wrappers.insert(input.address);
      for (const auto& [part, tensor] : tensors.wrapped(input.address))
        tree.add_tensor(cat(input.address, ".", part), tensor, false);
    } else {
      tree.add_tensor(input.address, tensors.get(input.address),
                      input.kind == pt2::InputKind::parameter);
    }
  }
  Loaded out;
  out.mapping = archive->mapping();
  out.archive = archive;
  out.sources = std::make_shared<SourceMap>([](const std::string&) { return std::nullopt; });
  out.module = tree.build(std::make_shared<torch::jit::CompilationUnit>());
  add_forward(out.module, *program, wrappers);
  OperatorScan().require(*out.module._ivalue()->compilation_unit(), out.sources.get());
  out.is_exported = true;
  out.format_version = archive->format_version();
  out.again = [archive, program, name]() -> std::optional<Loaded> {
    archive->mapping()->restore();
    return build(archive, program, name);
  };
  return out;
}

/// Errors: those of read_program.
std::shared_ptr<const pt2::Program> read(const Archive& archive, const std::string& name) {
  const std::string record = program_record(archive, name);
  const auto text = archive.read(record);
  return std::make_shared<const pt2::Program>(
      pt2::read_program({text->data(), text->size()}, record));
}

void add_operators(const pt2::Graph& graph, std::map<std::string, CodeOperator>& out) {
  constexpr size_t kLocations = 3;
  for (const pt2::Node& node : graph.nodes) {
    for (const pt2::NamedArgument& input : node.inputs)
      if (const auto* subgraph = input.argument.get<pt2::Argument::Subgraph>())
        add_operators(**subgraph, out);
    const std::string name = operator_name(node.target);
    if (name.empty() || is_statement(name)) continue;
    CodeOperator& row =
        out.try_emplace(name, CodeOperator{name, 0, {}, can_write(name)}).first->second;
    ++row.count;
    if (row.first.size() < kLocations) row.first.push_back(location_of(node));
  }
}

}  // namespace

bool is_exported(const Archive& archive) {
  return archive.records().contains(model_file::kExportedFormat) || has_old_layout(archive);
}

ModelCode code_of_exported(const Archive& archive) {
  std::map<std::string, CodeOperator> operators;
  for (const std::string& name : programs_of(archive))
    add_operators(read(archive, name)->graph, operators);
  ModelCode out;
  out.format_version = archive.format_version();
  for (auto& [name, row] : operators) out.operators.push_back(std::move(row));
  return out;
}

Loaded load_exported(const std::shared_ptr<const Archive>& archive, const std::string& method) try {
  const std::vector<std::string> programs = programs_of(*archive);
  const std::string name = chosen_program(programs, method);
  const auto program = read(*archive, name);
  Loaded out = build(archive, program, name);
  declare_axes(*program, out);
  out.programs = programs;
  out.samples = sample_values(*archive, *program, samples_record(*archive, name));
  return out;
} catch (const std::exception&) {
  model_file::refuse_archive(current_torch_message(), archive->path());
}

}  // namespace t2n::trace
