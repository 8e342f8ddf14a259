// SPDX-License-Identifier: Apache-2.0
// Files and folders under construction, removed by their owner or by a signal handler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nnef_writer/checksums.h"

namespace t2n::nnef {

/// Removes everything under construction. Safe in a signal handler, which must then end the
/// process.
void remove_temporaries() noexcept;

/// Throws Error `cannot-write` for `path`, with the text of an errno as the reason.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error_number);

/// Removes leftovers of killed runs from `folder`: files and folders with our temporary names, of
/// the same user, that no process has locked.
void remove_leftovers(const std::filesystem::path& folder);

/// The first entry below `folder`, relative to it, that does not belong to an NNEF model, or "".
std::string foreign_entry(const std::filesystem::path& folder, std::error_code& error);

/// A new file or folder next to `final_path`, removed with its content unless released. Its name
/// ends with the final name, whose suffix determines its format.   Errors: `cannot-write`.
class Temporary {
 public:
  enum class Kind { file, folder };
  Temporary(std::filesystem::path final_path, Kind kind);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Creates the folders that a file of this name needs, and returns its path.
  std::filesystem::path add(const std::filesystem::path& name);
  /// path() no longer belongs to this object.
  void release();

 private:
  struct Entry;
  friend void remove_temporaries() noexcept;
  static Entry* remember(const std::filesystem::path& path, Kind kind);

  std::filesystem::path final_path_;
  std::filesystem::path path_;
  std::vector<Entry*> entries_;
  int lock_ = -1;  ///< a descriptor that locks path()
};

/// An open file. Not a stream, because errno must report a full disk.
class FileWriter {
 public:
  /// Errors name the file `reported_as`.
  FileWriter(const std::filesystem::path& path, std::filesystem::path reported_as);
  static FileWriter standard_output();
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Reports errors that the system had deferred.
  void close();

 private:
  FileWriter(int descriptor, std::filesystem::path reported_as)
      : reported_as_(std::move(reported_as)), descriptor_(descriptor) {}

  std::filesystem::path path_ = {};
  std::filesystem::path reported_as_;
  int descriptor_;
  std::unique_ptr<RunningChecksum> checksum_ = {};
};

}  // namespace t2n::nnef
