// Says what a file is when it is not the TorchScript archive that was asked for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace t2n::model_file {

/// The subject of a refusal that does not know what the file is: it may be meant for others.
inline constexpr std::string_view kUnknownKind = "unknown kind of file";

/// Before opening: anything that is no zip archive is refused with `model-format`, each kind of
/// file in its own words and with the lines that produce a right one.
void sniff_bytes(std::span<const std::byte> bytes, const std::string& path);

/// After opening: a zip that is no TorchScript archive (state_dict, pickled module, .pt2).
/// `pickle_head` holds the first bytes of data.pkl, if there is one.
void sniff_records(const std::vector<std::string>& records, std::string_view pickle_head,
                   const std::string& path);

/// A zip that cannot be read: truncated, damaged, or of a newer format; `message` is LibTorch's.
[[noreturn]] void refuse_archive(const std::string& message, const std::string& path);

}  // namespace t2n::model_file
