// SPDX-License-Identifier: Apache-2.0
// Lists files before it opens any: a folder may contain more than the graph needs.
#include "src/nnef/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/unpack.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;

// A limit for folders that are given by mistake, such as a home folder.
constexpr size_t kMaxFiles = 200'000;
constexpr int kMaxDepth = 32;

[[noreturn]] void fail(std::string_view origin, std::string why, std::string help = {}) {
  throw Error("nnef-syntax", cat(quoted(origin), " cannot be read as an NNEF model"),
              std::move(why), std::move(help));
}

[[noreturn]] void fail_file(const fs::path& path, int error) {
  throw Error("nnef-syntax", cat("cannot read ", quoted(path.string())),
              std::system_category().message(error));
}

/// A descriptor that is closed by its destructor.
struct Descriptor {
  explicit Descriptor(const fs::path& path)
      : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

StoredFiles list_folder(const fs::path& folder) {
  StoredFiles out;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    if (entries.depth() > kMaxDepth)
      fail(folder.string(), cat("its folders are nested more than ", kMaxDepth, " levels deep"));
    std::error_code ignored;  // a dangling link is not a file
    if (!entries->is_regular_file(ignored)) continue;
    if (out.files.size() == kMaxFiles)
      fail(folder.string(), cat("it holds more than ", kMaxFiles, " files"));
    out.files.push_back(
        {entries->path().lexically_relative(folder).generic_string(), entries->path(), {}});
    out.bytes += static_cast<int64_t>(entries->file_size(ignored));
  }
  if (error) fail(folder.string(), error.message());
  return out;
}

/// The name without `./`; refuses names that would leave the folder when unpacked.
std::string member_name(std::string_view name, std::string_view origin) {
  while (name.starts_with("./")) name.remove_prefix(2);
  std::string_view rest = name;
  bool is_inside = !name.empty() && !name.starts_with('/');
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    is_inside &= rest.substr(0, end) != "..";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (is_inside) return std::string(name);
  throw Error("nnef-invalid", cat(quoted(origin), " holds a file called ", quoted(name)),
              "names in an archive must be relative paths inside it",
              "pack it again from inside its folder: tar -czf MODEL.nnef.tgz *");
}

bool is_archive(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("\x1f\x8b") || (text.size() > 512 && text.substr(257, 5) == "ustar");
}

}  // namespace

void require_file(const fs::path& path, std::string_view id) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  const std::string_view kind = type == fs::file_type::fifo        ? "a pipe"
                                : type == fs::file_type::socket    ? "a socket"
                                : type == fs::file_type::character ? "a device"
                                : type == fs::file_type::block     ? "a device"
                                                                   : "";
  if (kind.empty()) return;  // a missing path is reported when it is opened
  throw Error(id, cat(quoted(path.string()), " is ", kind, ", not a file"),
              "the input needs a size and must be readable twice",
              "write it to a file first, and give the file");
}

Content map_file(const fs::path& path) {
  const Descriptor file(path);
  struct stat info = {};
  if (file.number < 0 || ::fstat(file.number, &info) != 0) fail_file(path, errno);
  if (!S_ISREG(info.st_mode)) fail_file(path, EINVAL);
  const size_t size = info.st_size;
  if (size == 0) return {};
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (data == MAP_FAILED) fail_file(path, errno);
  return {{static_cast<const std::byte*>(data), size},
          {data, [size](void* mapped) { ::munmap(mapped, size); }}};
}

Content content_of(const StoredFile& file) {
  return file.path.empty() ? file.content : map_file(file.path);
}

StoredFiles list_files(const Content& archive, std::string_view origin) {
  if (!is_archive(archive.bytes))
    fail(origin, "it is neither a folder nor a tar nor a gzipped tar",
         "give the folder that contains graph.nnef, or a .nnef.tgz or .nnef.tar of it");
  StoredFiles out;
  const Refuse refuse = [&](std::string why, std::string help) {
    fail(origin, std::move(why), help.empty() ? "is the file complete?" : std::move(help));
  };
  for (ArchiveMember& member : unpack(archive, ArchiveFormat::tar, refuse))
    out.files.push_back({member_name(member.name, origin), {}, std::move(member.content)});
  out.bytes = static_cast<int64_t>(archive.bytes.size());
  const auto by_name = [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; };
  std::sort(out.files.begin(), out.files.end(), by_name);
  const auto twice =
      std::adjacent_find(out.files.begin(), out.files.end(),
                         [](const StoredFile& a, const StoredFile& b) { return a.name == b.name; });
  if (twice != out.files.end())
    throw Error("nnef-invalid", cat(quoted(origin), " holds ", quoted(twice->name), " twice"),
                "it is ambiguous which one to use", "pack it again with one of them");
  return out;
}

StoredFiles list_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return list_files(map_file(path), path.string());
  StoredFiles out = list_folder(path);
  std::sort(out.files.begin(), out.files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; });
  return out;
}

}  // namespace t2n::nnef
