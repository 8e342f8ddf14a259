// SPDX-License-Identifier: Apache-2.0
// A report as sections of text and tables, which each format for people writes in its own way.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace t2n::report {

enum class Tone { plain, good, warning, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

using Row = std::vector<Cell>;

/// A message: a headline with lines below it.
struct Note {
  Tone tone = Tone::plain;
  std::string headline;
  std::vector<std::string> lines;
};

struct Section {
  std::string title;
  std::vector<Note> notes = {};
  std::vector<std::string> columns = {};  ///< of the table; empty for a table without a heading
  std::vector<Row> rows = {};
};

struct Page {
  std::string title;  ///< "t2nnef export: model.pt"
  Cell status;        ///< "failed, exit code 5"
  std::vector<Section> sections;
};

/// The page of report_data(). Empty sections are left out.
Page page_of(const nlohmann::ordered_json& data);

/// GitHub's Markdown, as in a job summary. Everything from the model is escaped.
std::string markdown(const Page& page);

/// One file that needs no other; `picture`, a whole HTML page, is in a frame of it unless "".
std::string html(const Page& page, const std::string& picture);

}  // namespace t2n::report
