// SPDX-License-Identifier: Apache-2.0
// The registry of temporaries only grows, since a signal may arrive while it changes.
#include "nnef_writer/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/ast.h"

namespace t2n::nnef {

namespace fs = std::filesystem;

struct Temporary::Entry {
  std::string path;
  Kind kind = Kind::file;
  Entry* next = nullptr;
  std::atomic<bool> alive = true;

  /// Does not try to unlink a folder first: a confined process would get a permission error.
  void remove() const {
    if (kind == Kind::folder)
      rmdir(path.c_str());
    else
      unlink(path.c_str());
  }
};

namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void*>::is_always_lock_free);
std::atomic<void*> newest_entry = nullptr;  ///< a Temporary::Entry

/// Closed by its destructor.
struct Descriptor {
  explicit Descriptor(int descriptor) : number(descriptor) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

constexpr std::string_view kPrefix = "t2nnef-partial-";

/// Keeps the end of a long name, because it contains the suffix.
std::string temporary_name(const fs::path& final_path, int attempt) {
  constexpr size_t kKept = 200;
  const std::string name = final_path.filename().string();
  return cat(kPrefix, getpid(), "-", attempt, "-",
             name.substr(name.size() > kKept ? name.size() - kKept : 0));
}

bool create_folder(const fs::path& path) { return mkdir(path.c_str(), 0777) == 0; }

/// A new file or folder, with a lock that ends with the process, or -1. The lock tells later runs,
/// in any container or on any host, that the file is in use.
int create_locked(const fs::path& path, Temporary::Kind kind) {
  const bool is_folder = kind == Temporary::Kind::folder;
  if (is_folder && !create_folder(path)) return -1;
  const int flags = is_folder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL;
  const int file = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) {
    const int failure = errno;
    if (is_folder) rmdir(path.c_str());
    errno = failure;
    return -1;
  }
  // On file systems without locks, leftovers cannot be recognised.
  const bool is_held_by_other = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat info {};
  if (!is_held_by_other && fstat(file, &info) == 0 && info.st_nlink > 0) return file;
  // Another run removed it as a leftover between the two steps: use another name.
  close(file);
  errno = EEXIST;
  return -1;
}

/// "t2nnef-partial-PID-N-NAME"
bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  for (int part = 0; part < 2; ++part) {
    const size_t digits = name.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || name[digits] != '-') return false;
    name.remove_prefix(digits + 1);
  }
  return true;
}

/// Whether the path is a leftover: ours, and locked by no process.
bool is_leftover(const fs::path& path, const struct stat& info) {
  const int flags = S_ISDIR(info.st_mode) ? O_DIRECTORY : O_NONBLOCK;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags));
  struct stat opened {};
  return file.number >= 0 && fstat(file.number, &opened) == 0 && opened.st_ino == info.st_ino &&
         flock(file.number, LOCK_EX | LOCK_NB) == 0;
}

/// A folder under construction contains files of a model, and folders of them.
bool holds_nnef_only(const fs::path& folder) {
  std::error_code error;
  return foreign_entry(folder, error).empty() && !error;
}

}  // namespace

std::string foreign_entry(const fs::path& folder, std::error_code& error) {
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_type type = entry->symlink_status(error).type();
    const std::string name = entry->path().filename().string();
    const bool is_nnef = name == "graph.nnef" || name == "graph.quant" || name == kStatesFile ||
                         name.ends_with(".dat");
    if (type != fs::file_type::directory && !(type == fs::file_type::regular && is_nnef))
      return entry->path().lexically_relative(folder).string();
  }
  return {};
}

void fail_to_write(const fs::path& path, int error_number) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  throw Error("cannot-write", cat("cannot write ", quoted(path.string())),
              std::generic_category().message(error_number),
              full ? "free some space, or choose another path" : "choose another path");
}

void remove_temporaries() noexcept {
  // Newest first: files before their folders.
  auto* entry = static_cast<Temporary::Entry*>(newest_entry.load());
  for (; entry != nullptr; entry = entry->next) {
    if (!entry->alive.exchange(false)) continue;
    entry->remove();
  }
}

Temporary::Entry* Temporary::remember(const fs::path& path, Kind kind) {
  auto entry = std::make_unique<Entry>();
  entry->path = path.string();
  entry->kind = kind;
  void* expected = newest_entry.load();
  do {
    entry->next = static_cast<Entry*>(expected);
  } while (!newest_entry.compare_exchange_weak(expected, entry.get()));
  return entry.release();
}

Temporary::Temporary(fs::path final_path, Kind kind) : final_path_(std::move(final_path)) {
  static std::atomic<int> attempt = 0;
  do {
    path_ = final_path_.parent_path() / temporary_name(final_path_, attempt++);
    lock_ = create_locked(path_, kind);
  } while (lock_ < 0 && errno == EEXIST);
  if (lock_ < 0) fail_to_write(final_path_, errno);
  entries_.push_back(remember(path_, kind));
}

Temporary::~Temporary() {
  if (!entries_.empty()) {
    // Our own files are removed without a descriptor, as there may be none free; remove_all()
    // removes the content of a replaced folder.
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) (*entry)->remove();
    std::error_code ignored;  // it may be gone already, and errors cannot be reported here
    fs::remove_all(path_, ignored);
  }
  release();
}

fs::path Temporary::add(const fs::path& name) {
  fs::path folder = path_;
  for (const fs::path& component : name.parent_path()) {
    folder /= component;
    if (create_folder(folder))
      entries_.push_back(remember(folder, Kind::folder));
    else if (errno != EEXIST)
      fail_to_write(final_path_, errno);
  }
  entries_.push_back(remember(path_ / name, Kind::file));
  return path_ / name;
}

void Temporary::release() {
  for (Entry* entry : entries_) entry->alive = false;
  entries_.clear();
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    struct stat info {};
    if (!is_temporary_name(path.filename().string()) || lstat(path.c_str(), &info) != 0 ||
        info.st_uid != geteuid())
      continue;
    std::error_code ignored;  // what cannot be removed stays
    if (S_ISREG(info.st_mode) && is_leftover(path, info))
      fs::remove(path, ignored);
    else if (S_ISDIR(info.st_mode) && is_leftover(path, info) && holds_nnef_only(path))
      fs::remove_all(path, ignored);
  }
}

FileWriter::FileWriter(const fs::path& path, fs::path reported_as)
    : path_(path),
      reported_as_(std::move(reported_as)),
      descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      checksum_(RunningChecksum::begin()) {
  if (descriptor_ < 0) fail_to_write(reported_as_, errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (checksum_) checksum_->add(bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(reported_as_, errno);
    bytes = bytes.subspan(written);
  }
}

void FileWriter::close() {
  if (checksum_) checksum_->end(path_, descriptor_);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to_write(reported_as_, errno);
}

FileWriter FileWriter::standard_output() {
  std::fflush(stdout);
  const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) fail_to_write("standard output", errno);
  return {copy, "standard output"};
}

}  // namespace t2n::nnef
