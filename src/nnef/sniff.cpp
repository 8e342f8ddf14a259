// SPDX-License-Identifier: Apache-2.0
// TorchScript files are zip archives, so that no file matches both.
#include "src/nnef/sniff.h"

#include <array>
#include <fstream>
#include <string_view>

namespace t2n::nnef {

bool looks_like_artefact(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  constexpr size_t kMagicOfTar = 257;  // in every tar since 1988
  constexpr std::string_view kTar = "ustar";
  std::array<char, kMagicOfTar + kTar.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const std::string_view bytes(start.data(), start.size());
  return bytes.starts_with("\x1f\x8b") || bytes.substr(kMagicOfTar) == kTar;
}

}  // namespace t2n::nnef
