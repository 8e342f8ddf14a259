// libarchive unpacks; every entry must be an array, with a name of its own.
#include "src/nnef_reader/npz.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>

#include "src/diag/error.h"
#include "src/nnef_reader/npy.h"

namespace t2n::nnef {
namespace {

struct Free {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Free>;

[[noreturn]] void fail(const Reader& reader, std::string_view origin) {
  const char* const reason = archive_error_string(reader.get());
  refuse_input(origin, reason == nullptr ? "it is no zip archive" : reason,
               "is it a complete .npz file, as numpy.savez writes it?");
}

Reader open(std::span<const std::byte> bytes, std::string_view origin) {
  Reader reader(archive_read_new());
  T2N_ASSERT(reader, "libarchive is out of memory");
  archive_read_support_format_zip(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
    fail(reader, origin);
  return reader;
}

std::string entry_name(archive_entry* entry, std::string_view origin) {
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  if (name == nullptr) refuse_input(origin, "it holds an entry without a name");
  return name;
}

std::vector<std::byte> entry_bytes(const Reader& reader, std::string_view origin) {
  std::vector<std::byte> out;
  std::array<std::byte, size_t{1} << 16> block;
  while (true) {
    const la_ssize_t count = archive_read_data(reader.get(), block.data(), block.size());
    if (count < 0) fail(reader, origin);
    if (count == 0) return out;
    out.insert(out.end(), block.begin(), block.begin() + count);
  }
}

}  // namespace

std::vector<NamedTensor> read_npz(std::span<const std::byte> bytes, std::string_view origin) {
  constexpr std::string_view kSuffix = ".npy";
  const Reader reader = open(bytes, origin);
  std::vector<NamedTensor> out;
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK) fail(reader, origin);
    std::string name = entry_name(entry, origin);
    if (!name.ends_with(kSuffix))
      refuse_input(origin, cat("its entry ", quoted(name), " is no array"));
    const std::string place = cat(origin, ":", name);
    name.resize(name.size() - kSuffix.size());
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const NamedTensor& other) { return other.name == name; });
    if (known) refuse_input(origin, cat("it holds two arrays called ", quoted(name)));
    out.push_back({std::move(name), read_npy(entry_bytes(reader, origin), place)});
  }
  return out;
}

std::vector<NamedTensor> read_npz(const std::filesystem::path& path) {
  return read_npz(read_input_file(path), path.string());
}

}  // namespace t2n::nnef
