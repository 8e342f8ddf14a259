// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/code.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/load/source_map.h"

namespace t2n::trace {
namespace {

/// "__torch__.torch.nn" of "code/__torch__/torch/nn.py"; "" for records that are not code.
std::string module_of(const std::string& record) {
  if (!record.starts_with("code/") || !record.ends_with(".py")) return {};
  std::string out = record.substr(5, record.size() - 8);
  std::replace(out.begin(), out.end(), '/', '.');
  return out;
}

std::vector<CodeOperator> located(const Archive& archive, const model_file::CodeScan& code) {
  SourceMap sources([&](const std::string& name) { return archive.read(name); });
  std::vector<CodeOperator> out;
  for (const auto& [name, calls] : code.operators()) {
    CodeOperator& row = out.emplace_back(CodeOperator{name, calls.count, {}, torch_knows(name)});
    for (const model_file::CodeScan::Call& call : calls.first) {
      ir::Source source = sources.find(call.record, call.offset);
      if (source.frames.empty()) continue;
      row.first.push_back({.module = {},
                           .module_class = {},
                           .frames = std::move(source.frames),
                           .excerpt = std::move(source.excerpt),
                           .caret = source.caret,
                           .caret_width = source.caret_width});
    }
  }
  return out;
}

}  // namespace

model_file::CodeScan scan_code(const Archive& archive) {
  model_file::CodeScan scan;
  for (const auto& [name, record] : archive.records())
    if (const std::string module = module_of(name); !module.empty()) {
      const auto text = archive.read(name);
      scan.add({text->data(), text->size()}, module, name);
    }
  scan.finish();
  return scan;
}

std::set<std::string> operators_in(const model_file::CodeScan& code) {
  std::set<std::string> out;
  for (const auto& [name, calls] : code.operators()) out.insert(name);
  return out;
}

void refuse_uncompiled(const Archive& archive, const model_file::CodeScan& code,
                       const std::string& message) {
  std::vector<Use> uses;
  for (CodeOperator& each : located(archive, code))
    if (!each.is_known) uses.push_back({each.name, each.count, std::move(each.first), {}, {}});
  if (uses.empty()) return;
  std::string why = first_line(message);
  while (why.ends_with(':') || why.ends_with(' ')) why.pop_back();
  Diagnostic out{
      .id = "unsupported-op",
      .message = uses.size() == 1
                     ? cat("the operator ", quoted(uses[0].what), " is not known to this LibTorch")
                     : cat(uses.size(), " operators are not known to this LibTorch"),
      .where = {},
      .details = {},
      .why = cat("without their signatures the code cannot be compiled: ", why),
      .help = "define them with --fragment FILE.nnef, or export the part of the model before them"};
  set_uses(out, std::move(uses));
  throw Error(std::move(out));
}

ModelCode read_code(const Archive& archive) {
  return {archive.format_version(), located(archive, scan_code(archive))};
}

}  // namespace t2n::trace
