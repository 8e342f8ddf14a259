// SPDX-License-Identifier: Apache-2.0
#include "ir/spilled.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace t2n::ir {
namespace {

constexpr size_t kLeastBytes = size_t{1} << 20;

/// A file without a name.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// The start of new space, or -1. Space is allocated now, as a full disk would end the process
  /// when pages are written.
  off_t extend(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto page = static_cast<off_t>(sysconf(_SC_PAGESIZE));
    const off_t rounded = (static_cast<off_t>(size) + page - 1) / page * page;
    if (posix_fallocate(descriptor_, size_, rounded) != 0) return -1;
    return std::exchange(size_, size_ + rounded);
  }

  bool write(std::span<const std::byte> bytes, off_t offset) const {
    while (!bytes.empty()) {
      const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), offset);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<size_t>(written));
      offset += written;
    }
    return true;
  }

  void* map(size_t size, off_t offset) const {
    return mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor_, offset);
  }

  /// Gives space back, where the file system can.
  void free(size_t size, off_t offset) const {
    (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                    static_cast<off_t>(size));
  }

 private:
  int descriptor_;
  off_t size_ = 0;
  std::mutex mutex_;
};

std::shared_ptr<File>& current_file() {
  static std::shared_ptr<File> file;
  return file;
}

/// Unmaps a part of the file when it dies, and frees its space.
struct Mapping {
  std::shared_ptr<File> file;
  void* start;
  size_t size;
  off_t offset;

  ~Mapping() {
    munmap(start, size);
    file->free(size, offset);
  }
};

}  // namespace

void spill_into(const std::filesystem::path& folder) {
  std::string path = (folder / "t2nnef-partial-XXXXXX").string();
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return;
  unlink(path.c_str());
  current_file() = std::make_shared<File>(descriptor);
}

Tensor spilled(Tensor tensor) {
  const std::shared_ptr<File> file = current_file();
  const size_t size = static_cast<size_t>(tensor.elements()) * dtype_size(tensor.dtype);
  if (!file || size < kLeastBytes || !tensor.is_loaded()) return tensor;
  const off_t offset = file->extend(size);
  if (offset < 0) return tensor;
  off_t end = offset;
  bool is_written = true;
  for_each_chunk(tensor, kLeastBytes, [&](std::span<const std::byte> bytes) {
    is_written = is_written && file->write(bytes, end);
    end += static_cast<off_t>(bytes.size());
  });
  void* const start = is_written ? file->map(size, offset) : MAP_FAILED;
  if (start == MAP_FAILED) {
    file->free(size, offset);
    return tensor;
  }
  Tensor out = {tensor.dtype, tensor.shape, contiguous_strides(tensor.shape), {}, {}};
  out.bytes = {static_cast<const std::byte*>(start), size};
  out.owner = std::make_shared<Mapping>(file, start, size, offset);
  return out;
}

}  // namespace t2n::ir
