// The registry of temporaries only grows: a signal may come while it changes.
#include "nnef_writer/temporary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {

namespace fs = std::filesystem;

struct Temporary::Entry {
  std::string path;
  Kind kind = Kind::file;
  Entry* next = nullptr;
  std::atomic<bool> alive = true;
};

namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void*>::is_always_lock_free);
std::atomic<void*> newest_entry = nullptr;  ///< a Temporary::Entry

/// Keeps the end of a long name, where the suffix is.
std::string temporary_name(const fs::path& final_path, int attempt) {
  constexpr size_t kKept = 200;
  const std::string name = final_path.filename().string();
  return cat("partial-", getpid(), "-", attempt, "-",
             name.substr(name.size() > kKept ? name.size() - kKept : 0));
}

bool create(const fs::path& path, Temporary::Kind kind) {
  if (kind == Temporary::Kind::folder) return mkdir(path.c_str(), 0777) == 0;
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return descriptor >= 0 && close(descriptor) == 0;
}

}  // namespace

void fail_to_write(const fs::path& path, int error_number) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  throw Error(
      "cannot-write", cat("cannot write ", quoted(path.string())),
      std::generic_category().message(error_number),
      full ? "free some space, or choose another place with -o" : "choose another place with -o");
}

void remove_temporaries() noexcept {
  // Newest first: files before the folder that they are in.
  auto* entry = static_cast<Temporary::Entry*>(newest_entry.load());
  for (; entry != nullptr; entry = entry->next) {
    if (!entry->alive.exchange(false)) continue;
    if (entry->kind == Temporary::Kind::folder)
      rmdir(entry->path.c_str());
    else
      unlink(entry->path.c_str());
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
    errno = 0;
  } while (!create(path_, kind) && errno == EEXIST);
  if (errno != 0) fail_to_write(final_path_, errno);
  entries_.push_back(remember(path_, kind));
}

Temporary::~Temporary() {
  if (entries_.empty()) return;
  std::error_code ignored;  // it may be gone already; there is nobody left to tell otherwise
  fs::remove_all(path_, ignored);
  release();
}

fs::path Temporary::add(const fs::path& name) {
  fs::path folder = path_;
  for (const fs::path& component : name.parent_path()) {
    folder /= component;
    if (create(folder, Kind::folder))
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
}

FileWriter::FileWriter(const fs::path& path, fs::path reported_as)
    : reported_as_(std::move(reported_as)),
      descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_to_write(reported_as_, errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(reported_as_, errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void FileWriter::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to_write(reported_as_, errno);
}

void replace_file(const fs::path& path, const std::function<void(FileWriter&)>& write) {
  Temporary temporary(path, Temporary::Kind::file);
  FileWriter file(temporary.path(), path);
  write(file);
  file.close();
  if (std::rename(temporary.path().c_str(), path.c_str()) != 0) fail_to_write(path, errno);
  temporary.release();
}

}  // namespace t2n::nnef
