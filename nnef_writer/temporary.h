// Files and folders under construction, removed by their owner or by a signal handler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace t2n::nnef {

/// Removes everything under construction. Safe in a signal handler, which must then end the
/// process.
void remove_temporaries() noexcept;

/// Error `cannot-write` for `path`, with the words of an errno as the reason.
[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error_number);

/// A new file or folder beside `final_path`, removed with all that is in it unless released. Its
/// name ends in the final one's, whose suffix tells readers what it is.   Errors: `cannot-write`.
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
  /// What is at path() is no longer ours.
  void release();

 private:
  struct Entry;
  friend void remove_temporaries() noexcept;
  static Entry* remember(const std::filesystem::path& path, Kind kind);

  std::filesystem::path final_path_;
  std::filesystem::path path_;
  std::vector<Entry*> entries_;
};

/// An open file; no stream, because a full disk must be told apart by its errno.
class FileWriter {
 public:
  /// Errors call the file `reported_as`.
  FileWriter(const std::filesystem::path& path, std::filesystem::path reported_as);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Reports what the system had put off.
  void close();

 private:
  std::filesystem::path reported_as_;
  int descriptor_;
};

/// Puts a file in place at once, replacing what was there, or nothing at all if `write` throws.
/// Errors: `cannot-write`.
void replace_file(const std::filesystem::path& path, const std::function<void(FileWriter&)>& write);

}  // namespace t2n::nnef
