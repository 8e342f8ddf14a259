// SPDX-License-Identifier: Apache-2.0
#include "src/export/tensors.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "ir/cast.h"
#include "nnef_writer/archive.h"
#include "nnef_writer/npz.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/export/stages.h"
#include "src/nnef/names.h"
#include "src/pt2/stored.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;
using model_file::SavedTensor;

std::vector<WrittenTensor> selected(std::vector<SavedTensor> tensors,
                                    const std::vector<std::string>& globs) {
  const auto names = [&] {
    std::vector<std::string> out;
    for (const SavedTensor& tensor : tensors) out.push_back(tensor.name);
    return out;
  };
  for (const std::string& glob : globs)
    if (std::none_of(tensors.begin(), tensors.end(),
                     [&](const auto& tensor) { return glob_matches(glob, tensor.name); })) {
      const std::string near = nearest(glob, names());
      throw Error("usage", cat("no tensor is called ", quoted(glob)),
                  cat("the file has ", tensors.size(), " tensors"),
                  near.empty() ? "`t2nnef tensors FILE` lists them"
                               : cat("did you mean ", quoted(near), "?"));
    }
  std::vector<WrittenTensor> out;
  for (SavedTensor& tensor : tensors)
    if (globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
          return glob_matches(glob, tensor.name);
        }))
      out.push_back({.tensor = std::move(tensor), .written_as = {}});
  return out;
}

/// A shared tensor whose first name is not selected becomes the first one.
void link_selected(std::vector<WrittenTensor>& tensors) {
  std::unordered_map<std::string, std::string> first;
  for (WrittenTensor& each : tensors) {
    SavedTensor& tensor = each.tensor;
    if (tensor.same_as.empty()) {
      first[tensor.name] = tensor.name;
      continue;
    }
    const auto [found, is_new] = first.emplace(tensor.same_as, tensor.name);
    tensor.same_as = is_new ? "" : found->second;
  }
}

void require_values(const std::vector<WrittenTensor>& tensors) {
  std::vector<std::string> found;
  for (const WrittenTensor& each : tensors)
    if (!each.tensor.value)
      found.push_back(cat(quoted(each.tensor.name), " is ", each.tensor.kind));
  if (found.empty()) return;
  Diagnostic out{.id = "unsupported-dtype",
                 .message = cat("the tensor ", found[0], "; nothing was written"),
                 .why = "NNEF and .npz files hold plain numbers",
                 .help = "convert it in Python, or select other tensors with --select"};
  out.details.assign(found.begin() + 1, found.end());
  throw Error(std::move(out));
}

ir::Tensor widened(const ir::Tensor& tensor) {
  const ir::Tensor rows = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(ir::DType::f32, rows.shape);
  T2N_ASSERT(!ir::cast_elements(rows.dtype, rows.bytes, ir::DType::f32, out.data),
             "a bf16 is no f32");
  return std::move(out.tensor);
}

/// The tensors to write. Neither format has bf16; f32 holds the same values.
std::vector<nnef::NamedTensor> arrays_of(std::vector<WrittenTensor>& tensors, bool all_names) {
  std::vector<nnef::NamedTensor> out;
  std::unordered_set<std::string> names;
  for (WrittenTensor& each : tensors) {
    if (!each.tensor.same_as.empty() && !all_names) continue;
    if (!names.insert(each.tensor.name).second)
      throw Error("unsupported-output",
                  cat("two tensors of the file are called ", quoted(each.tensor.name)), {},
                  "select others with --select");
    each.written_as = each.tensor.name;
    each.is_widened = each.tensor.value->dtype == ir::DType::bf16;
    out.push_back(
        {each.tensor.name, each.is_widened ? widened(*each.tensor.value) : *each.tensor.value});
  }
  return out;
}

/// Labels are names of files, which differ in more than case.
std::vector<nnef::Blob> blobs_of(std::vector<nnef::NamedTensor> arrays,
                                 std::vector<WrittenTensor>& tensors) {
  nnef::UniqueNames labels(nnef::UniqueNames::Case::ignored);
  std::vector<nnef::Blob> out;
  auto array = arrays.begin();
  for (WrittenTensor& each : tensors) {
    if (each.written_as.empty()) continue;
    each.written_as = labels.claim(nnef::label_for(each.written_as));
    ir::Tensor& value = array++->value;
    nnef::Blob blob{.label = each.written_as, .dtype = value.dtype, .shape = value.shape};
    blob.parts.push_back(std::move(value));
    out.push_back(std::move(blob));
  }
  return out;
}

int64_t write_arrays(const std::vector<nnef::NamedTensor>& arrays, nnef::Destination destination) {
  nnef::write_npz(arrays, destination);
  return destination.form == nnef::Destination::Form::stream ? 0 : size_on_disk(destination.path);
}

}  // namespace

TensorsResult write_tensors(const TensorsOptions& options) {
  const bool is_npz = options.output.ends_with(".npz");
  nnef::Destination destination =
      is_npz ? nnef::file_destination(options.output) : nnef::parse_destination(options.output);
  destination.taken.push_back({"the model", options.model, /*is_model=*/true});
  if (!options.output.empty()) nnef::check_destination(destination);
  TensorsResult result;
  auto exported = pt2::read_stored_tensors(options.model);
  result.tensors =
      selected(exported ? *std::move(exported) : model_file::read_saved_tensors(options.model),
               options.select);
  link_selected(result.tensors);
  if (options.output.empty()) return result;
  if (result.tensors.empty())
    throw Error("usage", cat(quoted(options.model), " holds no tensors; nothing was written"));
  require_values(result.tensors);
  std::vector<nnef::NamedTensor> arrays = arrays_of(result.tensors, options.writes_all_names);
  if (is_npz) {
    for (const nnef::NamedTensor& each : arrays)
      if (each.name.find('\0') != std::string::npos)
        throw Error("unsupported-output",
                    cat("the name ", quoted(each.name), " has a zero byte, where numpy ends it"),
                    {}, "write a folder of .dat files, or select others with --select");
    result.bytes = write_arrays(arrays, destination);
    return result;
  }
  const std::vector<nnef::Blob> blobs = blobs_of(std::move(arrays), result.tensors);
  nnef::PendingArtefact pending = nnef::write_blobs(blobs, destination);
  result.bytes = size_on_disk(pending.path());
  pending.commit();
  return result;
}

}  // namespace t2n
