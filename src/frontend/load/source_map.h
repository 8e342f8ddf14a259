// SPDX-License-Identifier: Apache-2.0
// Finds the location of a node in the user's own Python source.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// The name of the model itself as the scope of a node of an exported program; a module's is its
/// path.
inline constexpr const char* kModelScope = "(model)";

/// The location that a Python call stack shows, as a .pt2 file stores it: innermost frame last.
/// Frames in torch's own files are omitted unless `torch_too`.
ir::Source source_of_stack(const std::string& stack, bool torch_too);

/// Reads the `.debug_pkl` tables of an archive, each on first use. A file without them has no
/// locations.
class SourceMap {
 public:
  /// Returns the bytes of a record, or nullopt if the archive lacks it.
  using ReadRecord = std::function<std::optional<std::vector<char>>(const std::string& name)>;
  explicit SourceMap(ReadRecord read) : read_(std::move(read)) {}

  /// The frames, and the source line with its caret. Frames in torch's own files are omitted unless
  /// `torch_too`; the result may then be empty.
  ir::Source find(const torch::jit::SourceRange& range, bool torch_too);
  /// The same for an offset in a record: the user's own frames if there are any, else torch's.
  ir::Source find(const std::string& record, size_t offset);
  /// The next assignment to an attribute after a nearby location: torch does not store its own.
  ir::Source find_assignment(const torch::jit::SourceRange& near, const std::string& attribute);

 private:
  struct Text {
    std::string text;
    std::string file;
    int first_line = 0;
    /// The location if the text is a call stack, without and with torch's own files: many
    /// operations share a text.
    mutable std::array<std::optional<std::optional<ir::Source>>, 2> stacks = {};
  };
  struct Entry {
    int64_t offset = 0;  ///< in the serialized source
    size_t text = 0;
    int64_t begin = 0;
    int64_t end = 0;
  };
  struct Table {
    std::vector<Entry> entries;
    std::vector<Text> texts;
  };
  const Entry* entry_of(const torch::jit::SourceRange& range);
  const Entry* entry_at(const std::string& record, size_t offset);
  const Table& table(const std::string& file);
  static Table parse(const std::vector<char>& bytes);
  static ir::Source source_at(const Text& text, int64_t begin, int64_t end, bool torch_too);

  ReadRecord read_;
  std::map<std::string, Table> tables_;
  std::array<std::map<std::string, ir::Source>, 2> stacks_;  ///< of a .pt2 file: see Text::stacks
};

}  // namespace t2n::trace
