// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/saved_value.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <span>

#include "src/diag/error.h"
#include "src/model_file/pickle_scan.h"
#include "src/model_file/zip_directory.h"

namespace t2n::trace {
namespace {

/// Called before LibTorch builds what the pickle contains.
void check_saved(const std::vector<char>& bytes, const std::string& path) {
  const auto all = std::as_bytes(std::span(bytes));
  const model_file::ZipDirectory records = model_file::read_zip_directory(all, path);
  const auto pickle = records.find("data.pkl");
  if (pickle == records.end()) return;  // LibTorch reports it
  if (!pickle->second.is_stored)
    throw Error("input-unreadable", cat("cannot read the inputs ", quoted(path)),
                "its pickle is compressed", "save them with torch.save");
  model_file::check_pickle(std::span(bytes).subspan(pickle->second.begin, pickle->second.size),
                           "input-unreadable", cat("the file of inputs ", quoted(path)));
}

}  // namespace

c10::IValue read_saved_value(const std::vector<char>& bytes, const std::string& name) {
  check_saved(bytes, name);
  return torch::jit::pickle_load(bytes);
}

}  // namespace t2n::trace
