// SPDX-License-Identifier: Apache-2.0
// Every entry of the zip file must be an array with a unique name.
#include "src/nnef/npz.h"

#include <unordered_set>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/npy.h"
#include "src/nnef/unpack.h"

namespace t2n::nnef {

std::vector<NamedTensor> read_npz(std::span<const std::byte> bytes, std::string_view origin) {
  constexpr std::string_view kSuffix = ".npy";
  const Refuse refuse = [&](std::string why, std::string help) {
    if (help.empty()) help = "is it a complete .npz file, as numpy.savez writes it?";
    refuse_input(origin, std::move(why), std::move(help));
  };
  std::vector<NamedTensor> out;
  std::unordered_set<std::string> names;
  for (ArchiveMember& member : unpack({bytes, nullptr}, ArchiveFormat::zip, refuse)) {
    std::string& name = member.name;
    if (!name.ends_with(kSuffix))
      refuse_input(origin, cat("its entry ", quoted(name), " is not an array"));
    const std::string member_origin = cat(origin, ":", name);
    name.resize(name.size() - kSuffix.size());
    if (!names.insert(name).second)
      refuse_input(origin, cat("it holds two arrays called ", quoted(name)));
    out.push_back({std::move(name), read_npy(member.content.bytes, member_origin)});
  }
  return out;
}

std::vector<NamedTensor> read_npz(const std::filesystem::path& path) {
  return read_npz(read_input_file(path), path.string());
}

}  // namespace t2n::nnef
