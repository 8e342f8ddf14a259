// SPDX-License-Identifier: Apache-2.0
// The records of a TorchScript or .pt2 file. Each is checked before it is read.
#pragma once

#include <c10/core/Storage.h>
#include <caffe2/serialize/inline_container.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/model_file/mapping.h"
#include "src/model_file/zip_directory.h"

namespace t2n::trace {

class Archive {
 public:
  /// Errors: `model-…`.
  static std::shared_ptr<const Archive> open(const std::string& path);

  /// LibTorch's own; not of a .pt2 file of PyTorch 2.7 or older, which it cannot read.
  caffe2::serialize::PyTorchStreamReader& reader() const { return *reader_; }
  int64_t format_version() const;
  const std::shared_ptr<const model_file::Mapping>& mapping() const { return mapping_; }
  const model_file::ZipDirectory& records() const { return records_; }
  const std::string& path() const { return path_; }

  /// Reads code, pickles or tables and compares their CRC. nullopt if the record does not exist.
  std::optional<std::vector<char>> read(const std::string& name) const;
  /// The memory of a tensor: a part of the working pages, or a copy if the record is deflated or
  /// not aligned for tensors. Its size is the record's, whatever size a pickle states.
  c10::Storage storage(const std::string& name, const model_file::ZipRecord& record) const;

  /// Errors if the file has changed since it was opened: `model-corrupt`. `checks_bytes`: also
  /// compares the bytes that were mapped and never copied with their CRCs.
  void verify(bool checks_bytes) const;

 private:
  Archive() = default;
  void require_reader(const std::string& record) const;
  std::vector<char> bytes(const std::string& name, const model_file::ZipRecord& record) const;

  std::string path_;
  std::shared_ptr<const model_file::Mapping> mapping_;
  model_file::ZipDirectory records_;
  std::shared_ptr<caffe2::serialize::PyTorchStreamReader> reader_;
};

}  // namespace t2n::trace
