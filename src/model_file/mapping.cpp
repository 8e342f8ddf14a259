// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/diag/error.h"

namespace t2n::model_file {

std::shared_ptr<const Mapping> Mapping::open(const std::string& path) {
  const std::shared_ptr<Mapping> mapping(new Mapping());
  // Opening a FIFO without a writer must not block; it is refused below.
  mapping->file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  if (mapping->file_ < 0 || ::fstat(mapping->file_, &info) != 0)
    throw Error("model-not-found", cat("cannot open the model ", quoted(path)),
                std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    throw Error("model-format", cat(quoted(path), " is not a file"), {},
                "give the .pt file that torch.jit.save wrote");
  if (info.st_size == 0)
    throw Error("model-format", cat(quoted(path), " is empty"), "it has 0 bytes",
                "was it saved or downloaded completely?");
  mapping->size_ = static_cast<size_t>(info.st_size);
  mapping->path_ = path;
  mapping->opened_ = info;
  void* working =
      ::mmap(nullptr, mapping->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, mapping->file_, 0);
  void* original = ::mmap(nullptr, mapping->size_, PROT_READ, MAP_PRIVATE, mapping->file_, 0);
  if (working != MAP_FAILED) mapping->working_ = static_cast<std::byte*>(working);
  if (original != MAP_FAILED) mapping->original_ = static_cast<const std::byte*>(original);
  if (working == MAP_FAILED || original == MAP_FAILED)
    throw Error("model-not-found", cat("cannot map the model ", quoted(path), " into memory"),
                std::strerror(errno));
  return mapping;
}

Mapping::~Mapping() {
  if (working_ != nullptr) ::munmap(working_, size_);
  if (original_ != nullptr) ::munmap(const_cast<std::byte*>(original_), size_);
  if (file_ >= 0) ::close(file_);
}

const std::byte* Mapping::original_of(const void* pointer) const {
  const auto* byte = static_cast<const std::byte*>(pointer);
  if (byte < working_ || byte >= working_ + size_) return nullptr;
  return original_ + (byte - working_);
}

void Mapping::require_unchanged() const {
  const auto is_same = [&](const struct stat& now) {
    return now.st_dev == opened_.st_dev && now.st_ino == opened_.st_ino &&
           now.st_size == opened_.st_size && now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec;
  };
  struct stat file = {};
  struct stat path = {};
  if (::fstat(file_, &file) == 0 && is_same(file) && ::stat(path_.c_str(), &path) == 0 &&
      is_same(path))
    return;
  throw Error("model-corrupt", "the model file changed while it was read", {},
              "try again when no other program writes to it");
}

void Mapping::restore() const { ::madvise(working_, size_, MADV_DONTNEED); }

}  // namespace t2n::model_file
