// SPDX-License-Identifier: Apache-2.0
// Formats numbers, tables and shell arguments for display.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/model.h"

namespace t2n::cli {

/// "1 operator", "3 operators"
std::string counted(size_t count, std::string_view noun);
/// "950", "14.7 k", "11.7 M"
std::string short_count(int64_t count);
/// "950 bytes", "41.6 MB"
std::string short_bytes(int64_t bytes);
/// "x f32[1,3]"
std::string typed(std::string_view name, ir::DType dtype, const ir::Shape& shape);
/// "model.pt: traced, format 6"
std::string model_text(const std::string& path, const trace::ModelInfo& model);

/// Rows with the same number of cells, as lines indented by two, with columns aligned to the left.
/// The last column is wrapped if the width of the screen is known.
std::string table(std::vector<std::vector<std::string>> rows);

/// Errors: `usage` for a number out of range.
void require_range(std::string_view option, int64_t value, int64_t least, int64_t most);
/// Lines of at most `width` characters, broken at spaces; line breaks are kept.
std::vector<std::string> wrapped(const std::string& text, size_t width);

/// A shell argument, quoted only if necessary.
std::string shell_quoted(const std::string& text);

}  // namespace t2n::cli
