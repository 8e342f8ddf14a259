// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/source_map.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <string_view>

#include "src/model_file/pickle_scan.h"

namespace t2n::trace {
namespace {

/// A limit for the size of one source file.
constexpr size_t kMaxSource = size_t{1} << 24;

std::string base_name(const std::string& path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// True for torch's own Python.
bool is_torch_file(const std::string& path) {
  constexpr std::array<std::string_view, 8> kFolders = {
      "torch/nn/", "torch/jit/",   "torch/_",    "torch/functional.py",
      "torch/ao/", "torch/utils/", "torch/fft/", "torch/quantization/"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view folder) {
    const size_t at = path.find(folder);
    return at == 0 || (at != std::string::npos && path[at - 1] == '/');
  });
}

/// One line of a traced file's call stack: `path(line): function`.
std::optional<std::pair<std::string, Frame>> parse_frame(const std::string& line) {
  const size_t colon = line.rfind("): ");
  const size_t open = colon == std::string::npos ? colon : line.rfind('(', colon);
  if (open == std::string::npos || open + 1 >= colon) return std::nullopt;
  const std::string digits = line.substr(open + 1, colon - open - 1);
  if (digits.size() > 8 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const std::string path = line.substr(0, open);
  return std::pair(path, Frame{base_name(path), std::stoi(digits), 0, line.substr(colon + 3)});
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// The location in a text from tracing, which must be a call stack, innermost frame first.
std::optional<ir::Source> traced_source(const std::string& text, bool torch_too) {
  ir::Source source;
  std::vector<Frame> all;
  for (const std::string& line : split_lines(text)) {
    const auto frame = parse_frame(line);
    if (!frame) return std::nullopt;
    if (frame->second.function == "<module>" && !source.frames.empty()) continue;
    if (torch_too || !is_torch_file(frame->first)) source.frames.push_back(frame->second);
  }
  constexpr size_t kMaxFrames = 3;
  if (source.frames.size() > kMaxFrames) source.frames.resize(kMaxFrames);
  return source;
}

/// `File "PATH", line N, in FUNCTION`: a line of a Python call stack.
std::optional<std::pair<std::string, Frame>> parse_python_frame(std::string_view line) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const size_t number = line.find(kLine);
  const size_t function = line.find(kIn, number == std::string_view::npos ? line.size() : number);
  if (!line.starts_with(kFile) || number == std::string_view::npos ||
      function == std::string_view::npos)
    return std::nullopt;
  const std::string path(line.substr(kFile.size(), number - kFile.size()));
  const std::string digits(line.substr(number + kLine.size(), function - number - kLine.size()));
  constexpr size_t kMaxDigits = 8;
  if (digits.empty() || digits.size() > kMaxDigits ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::pair(path, Frame{base_name(path), std::stoi(digits), 0,
                               std::string(line.substr(function + kIn.size()))});
}

/// True for code that torch generates while it exports.
bool is_generated(const std::string& path) { return path.starts_with("<eval_with_key>"); }

bool is_in_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Whether the text starts with `=`, `+=`, `//=` or `: Tensor =`.
bool is_assigned(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with(':'))
    rest.remove_prefix(std::min(rest.find_first_of("=\n"), rest.size()));
  else if (rest.starts_with("//") || rest.starts_with("**"))
    rest.remove_prefix(2);
  else if (!rest.empty() && std::string_view("-+*/|&@%").find(rest[0]) != std::string_view::npos)
    rest.remove_prefix(1);
  return rest.starts_with('=') && !rest.starts_with("==");
}

/// `self.h = …`, `self.n += …`: where the assignment begins and where the attribute's name ends.
std::optional<std::pair<size_t, size_t>> assignment_after(std::string_view text, size_t from,
                                                          const std::string& attribute) {
  constexpr size_t kLooksAt = 4096;  // bounds the work: the assignment is near
  const std::string_view rest = text.substr(std::min(from, text.size()), kLooksAt);
  const std::string name = "." + attribute;
  for (size_t dot = rest.find(name); dot != std::string_view::npos;
       dot = rest.find(name, dot + 1)) {
    if (!is_assigned(rest.substr(dot + name.size()))) continue;
    size_t begin = dot;
    while (begin > 0 && is_in_path(rest[begin - 1])) --begin;
    while (begin < dot &&
           (rest[begin] == '.' || std::isdigit(static_cast<unsigned char>(rest[begin])) != 0))
      ++begin;
    if (begin < dot) return std::pair(from + begin, from + dot + name.size());
  }
  return std::nullopt;
}

}  // namespace

ir::Source source_of_stack(const std::string& stack, bool torch_too) {
  ir::Source out;
  std::string* excerpt = nullptr;  // of the frame before
  std::vector<std::pair<Frame, std::string>> frames;
  for (const std::string& line : split_lines(stack)) {
    const auto frame = parse_python_frame(line);
    if (!frame && excerpt != nullptr) {
      if (excerpt->empty())
        *excerpt = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      continue;
    }
    excerpt = nullptr;
    if (!frame || is_generated(frame->first) || (!torch_too && is_torch_file(frame->first)))
      continue;
    frames.emplace_back(frame->second, "");
    excerpt = &frames.back().second;
  }
  constexpr size_t kMaxFrames = 3;
  for (size_t i = 0; i < std::min(frames.size(), kMaxFrames); ++i)
    out.frames.push_back(frames[frames.size() - 1 - i].first);
  if (!frames.empty()) out.excerpt = frames.back().second;
  return out;
}

const SourceMap::Entry* SourceMap::entry_of(const torch::jit::SourceRange& range) {
  if (!range.source() || !range.source()->filename()) return nullptr;
  return entry_at(*range.source()->filename(), range.start());
}

const SourceMap::Entry* SourceMap::entry_at(const std::string& record, size_t begin) {
  const Table& known = table(record);
  const auto offset = static_cast<int64_t>(begin);
  const auto entry = std::upper_bound(known.entries.begin(), known.entries.end(), offset,
                                      [](int64_t at, const Entry& e) { return at < e.offset; });
  return entry == known.entries.begin() ? nullptr : &*(entry - 1);
}

ir::Source SourceMap::find(const torch::jit::SourceRange& range, bool torch_too) {
  if (range.source() && !range.source()->filename()) {
    const auto [found, is_new] =
        stacks_.at(torch_too ? 1 : 0).try_emplace(range.source()->text_str().str());
    if (is_new) found->second = source_of_stack(found->first, torch_too);
    return found->second;
  }
  const Entry* entry = entry_of(range);
  if (entry == nullptr) return {};
  const Table& known = table(*range.source()->filename());
  return source_at(known.texts[entry->text], entry->begin, entry->end, torch_too);
}

ir::Source SourceMap::find(const std::string& record, size_t offset) {
  const Entry* entry = entry_at(record, offset);
  if (entry == nullptr) return {};
  const Text& text = table(record).texts[entry->text];
  ir::Source own = source_at(text, entry->begin, entry->end, false);
  return own.frames.empty() ? source_at(text, entry->begin, entry->end, true) : own;
}

ir::Source SourceMap::find_assignment(const torch::jit::SourceRange& near,
                                      const std::string& attribute) {
  const Entry* entry = entry_of(near);
  if (entry == nullptr) return {};
  const Text& text = table(*near.source()->filename()).texts[entry->text];
  const size_t line =
      text.text.rfind('\n', static_cast<size_t>(std::max<int64_t>(entry->begin, 0)));
  for (size_t from : {line == std::string::npos ? 0 : line, size_t{0}})
    if (const auto at = assignment_after(text.text, from, attribute))
      return source_at(text, static_cast<int64_t>(at->first), static_cast<int64_t>(at->second),
                       false);
  return {};
}

ir::Source SourceMap::source_at(const Text& text, int64_t begin, int64_t end, bool torch_too) {
  if (text.text.empty()) return {};
  auto& stack = text.stacks.at(torch_too ? 1 : 0);
  if (!stack) stack = traced_source(text.text, torch_too);
  if (*stack) return **stack;
  const size_t at = std::clamp<int64_t>(begin, 0, static_cast<int64_t>(text.text.size()));
  const size_t line_begin = at == 0 ? 0 : text.text.rfind('\n', at - 1) + 1;
  const size_t line_end = std::min(text.text.find('\n', at), text.text.size());
  const auto lines_before =
      std::count(text.text.begin(), text.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  if (text.file.empty() || (!torch_too && is_torch_file(text.file))) return {};
  ir::Source source;
  source.frames.push_back(Frame{base_name(text.file),
                                text.first_line + static_cast<int>(lines_before),
                                static_cast<int>(at - line_begin) + 1,
                                {}});
  const std::string line = text.text.substr(line_begin, line_end - line_begin);
  const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  source.excerpt = line.substr(indent);
  const size_t marked_end = std::min(static_cast<size_t>(std::max<int64_t>(end, begin)), line_end);
  if (at - line_begin >= indent && marked_end > at) {
    source.caret = static_cast<int>(at - line_begin - indent);
    source.caret_width = static_cast<int>(marked_end - at);
  }
  return source;
}

const SourceMap::Table& SourceMap::table(const std::string& file) {
  const auto known = tables_.find(file);
  if (known != tables_.end()) return known->second;
  Table table;
  // A damaged table must not fail the export; only the locations are lost.
  try {
    if (const auto bytes = read_(file + ".debug_pkl")) table = parse(*bytes);
  } catch (const std::exception&) {
    table = Table{};
  }
  return tables_.emplace(file, std::move(table)).first->second;
}

SourceMap::Table SourceMap::parse(const std::vector<char>& bytes) {
  model_file::check_pickle(bytes, "model-corrupt", "a table of source locations");
  const auto top = torch::jit::unpickle(bytes.data(), bytes.size()).toTuple();
  const auto& items = top->elements();
  // Before version 1.12, which introduced the string table, records contained the texts themselves:
  // such files have no locations.
  if (items.size() != 3 || !items[0].isString()) return {};
  const auto strings = items[1].toTuple();
  const auto text_at = [&](const c10::IValue& index) {
    return strings->elements().at(index.toInt()).toStringRef();
  };
  Table table;
  std::map<const void*, size_t> known;  // the pickle shares equal sources
  for (const c10::IValue& record : items[2].toTuple()->elements()) {
    const auto tagged = record.toTuple();
    const auto range = tagged->elements().at(1).toTuple();
    const auto source = range->elements().at(0).toTuple();
    const auto [found, is_new] = known.emplace(source.get(), table.texts.size());
    if (is_new) {
      Text text;
      for (const int64_t index : source->elements().at(0).toIntVector()) {
        text.text += strings->elements().at(index).toStringRef();
        if (text.text.size() > kMaxSource) return {};
      }
      const c10::IValue& file = source->elements().at(1);
      if (file.isInt()) text.file = text_at(file);
      text.first_line = static_cast<int>(source->elements().at(2).toInt());
      table.texts.push_back(std::move(text));
    }
    table.entries.push_back(Entry{tagged->elements().at(0).toInt(), found->second,
                                  range->elements().at(1).toInt(),
                                  range->elements().at(2).toInt()});
  }
  std::sort(table.entries.begin(), table.entries.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  return table;
}

}  // namespace t2n::trace
