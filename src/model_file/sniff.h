// SPDX-License-Identifier: Apache-2.0
// Recognises files that are not TorchScript archives.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::model_file {

/// The subject of a refusal of an unknown kind of file, which another reader may accept.
inline constexpr std::string_view kUnknownKind = "unknown kind of file";

/// Records that tell a .pt2 file: of PyTorch 2.8 and later, and the program of an older one.
inline constexpr const char* kExportedFormat = "archive_format";
inline constexpr const char* kOldExportedProgram = "serialized_exported_program.json";

/// Called before opening. Refuses everything but zip archives with `model-format`; each kind of
/// file has its own message, with the code that saves a correct file.
void sniff_bytes(std::span<const std::byte> bytes, const std::string& path);

/// Called after opening. Refuses a zip that is neither a TorchScript archive nor a .pt2 file
/// (state_dict, pickled module). `pickle_head`: the first bytes of data.pkl, if it exists.
void sniff_records(const std::vector<std::string>& records, std::string_view pickle_head,
                   const std::string& path);

/// Refuses an unreadable zip: truncated, damaged, or of a newer format; `message` is LibTorch's.
[[noreturn]] void refuse_archive(const std::string& message, const std::string& path);

}  // namespace t2n::model_file
