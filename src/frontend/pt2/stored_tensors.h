// SPDX-License-Identifier: Apache-2.0
// The tensors that a .pt2 file stores: parameters, buffers and constants.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "src/frontend/load/archive.h"
#include "src/model_file/saved_tensors.h"
#include "src/pt2/read_program.h"

namespace t2n::trace {

/// Errors: `unsupported-dtype` for a code that this LibTorch does not have.
at::ScalarType torch_dtype(pt2::DTypeCode dtype);

/// Tensors over the mapped file. Those with the same elements are the same tensor.
class StoredTensors {
 public:
  /// `program`: the name of the table in `models/`. Errors: `model-corrupt`.
  StoredTensors(std::shared_ptr<const Archive> archive, const std::string& program);

  /// By address: "blocks.0.fc.weight". Errors: `model-corrupt` if there is none, or it exceeds its
  /// record; `model-format` for an object that only Python can read.
  at::Tensor get(const std::string& address);
  /// Whether it is a subclass of Tensor that wraps others, as torchao makes.
  bool is_wrapper(const std::string& address) const;
  /// The tensors that it wraps, by name: "qdata", "scale". Errors: `model-…`.
  std::vector<std::pair<std::string, at::Tensor>> wrapped(const std::string& address);

 private:
  void read_old(const std::string& record);
  std::vector<model_file::SavedTensor> saved_in(const std::string& record,
                                                const std::string& address) const;
  using Key = std::tuple<std::string, int64_t, std::vector<int64_t>, std::vector<int64_t>, int64_t>;
  at::Tensor read(const std::string& address, const std::string& record,
                  const pt2::TensorMeta& meta);
  c10::Storage storage(const std::string& record);
  at::Tensor view(const ir::Tensor& stored) const;

  std::shared_ptr<const Archive> archive_;
  std::map<std::string, std::pair<std::string, pt2::Payload>> payloads_;  ///< folder, entry
  std::map<std::string, at::Tensor> old_;          ///< of the old layout, by address
  std::map<std::string, std::string> no_tensors_;  ///< of the old layout: what they are instead
  std::map<std::string, c10::Storage> storages_;
  std::map<Key, at::Tensor> tensors_;
};

}  // namespace t2n::trace
