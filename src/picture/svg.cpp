// SPDX-License-Identifier: Apache-2.0
// Inner groups are laid out first: outer ones contain them as boxes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/picture/formats.h"
#include "src/picture/graphviz.h"
#include "src/picture/levels.h"

namespace t2n::picture {
namespace {

constexpr double kHead = 24;
constexpr double kMargin = 12;

constexpr const char* kStyle =
    "text{font:12px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#23262b}"
    ".h{font-weight:600}.s{font-size:10px;font-weight:400;fill:#73777f}.m{text-anchor:middle}"
    ".t{font-size:9.5px;fill:#73777f;text-anchor:middle}"
    ".b{fill:#fff;stroke:#d9d9d4}.g{fill:#6e7487;fill-opacity:.045;stroke:#cfd1d6}"
    ".input,.output{fill:#e2f1e6;stroke:#8cbf9a}.layer,.weight{fill:#e3ecfb;stroke:#8fb0e6}"
    ".moves{fill:#f0f0ee;stroke:#cbcbc6}.problem{stroke:#c62828;stroke-width:2}"
    ".e{fill:none;stroke:#a9adb5;stroke-width:1.2}";

/// For text and for attributes.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_inside_character(c); }));
}

std::string cut(std::string text, size_t most) {
  text = printable_line(text);
  if (characters(text) <= most) return text;
  while (characters(text) >= most) {
    while (is_inside_character(text.back())) text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

/// One decimal is enough, and the same everywhere.
std::string px(double value) {
  std::array<char, 64> text;
  const auto [end, error] =
      std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, 1);
  T2N_ASSERT(error == std::errc(), "a position is too large");
  return {text.begin(), end};
}

struct Texts {
  std::string title;
  std::string subtitle;
};

Texts texts_of(const Picture& picture, const Node& node) {
  if (node.kind == NodeKind::input || node.kind == NodeKind::output)
    return {cut(node.label, 30), node.results.empty() ? "" : cut(node.results[0].type, 40)};
  std::string details;
  if (!node.weights.empty())
    details = node.weights[0].type;
  else if (!node.arguments.empty())
    details = cat(node.arguments[0].first, " ", node.arguments[0].second);
  const std::string module = inner_module(picture, node);
  return {
      cut(node.label, 30),
      cut(module.empty() || details.empty() ? module + details : cat(module, " · ", details), 40)};
}

double width_of(const Texts& texts) {
  const double title = 7.6 * static_cast<double>(characters(texts.title));
  const double subtitle = 6.1 * static_cast<double>(characters(texts.subtitle));
  return std::max({title, subtitle, 30.0}) + 24;
}

class SvgWriter {
 public:
  explicit SvgWriter(const Picture& picture)
      : picture_(picture), levels_(levels_of(picture)), sheets_(levels_.size()) {
    for (const Node& node : picture.nodes)
      if (node.value) most_ = std::max(most_, *node.value);
  }

  std::string run() {
    for (size_t i = levels_.size(); i-- > 0;) sheets_[i] = laid_out(sheet_of(i));
    std::vector<Point> origins(levels_.size());
    std::string body;
    for (size_t i = 0; i < levels_.size(); ++i) body += group(i, origins);
    const std::string width = px(width_of_group(0));
    const std::string height = px(height_of_group(0));
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
               "\" viewBox=\"0 0 ", width, " ", height, "\">\n<title>", xml(picture_.title),
               "</title>\n<style>", kStyle,
               "</style>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7.2\" refY=\"4\" "
               "markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" markerHeight=\"8\" "
               "orient=\"auto\"><path d=\"M0 0.8L8 4L0 7.2z\" fill=\"#9aa0aa\"/></marker></defs>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#fbfbfa\"/>\n",
               body, "</svg>\n");
  }

 private:
  double width_of_group(size_t group) const {
    return std::max(sheets_[group].width, 8.0 * static_cast<double>(head(group).size())) +
           2 * kMargin;
  }
  double height_of_group(size_t group) const { return sheets_[group].height + kHead + 2 * kMargin; }

  std::string head(size_t group) const { return cut(picture_.groups[group].name, 40); }

  std::string label(const LevelLine& line) const {
    if (line.tensors > 1) return cat(line.tensors, " tensors");
    return cut(picture_.nodes[line.node].results.at(line.result).type, 34);
  }

  Sheet sheet_of(size_t group) const {
    Sheet out;
    const Level& level = levels_[group];
    for (const Member& member : level.members) {
      if (member.is_group) {
        out.boxes.push_back({width_of_group(member.index), height_of_group(member.index)});
        continue;
      }
      const Texts texts = texts_of(picture_, picture_.nodes[member.index]);
      out.boxes.push_back({width_of(texts), texts.subtitle.empty() ? 26.0 : 38.0});
    }
    for (const Port& port : level.ports)
      out.boxes.push_back({4, 1, port.is_input ? Side::top : Side::bottom});
    for (const LevelLine& line : level.lines) {
      const bool has_port = std::max(line.from, line.to) >= level.members.size();
      out.connections.push_back({line.from, line.to, has_port ? 0 : characters(label(line)) + 2});
    }
    return out;
  }

  /// Where a group's own sheet begins, within the group.
  Point inset(size_t group) const {
    return {(width_of_group(group) - sheets_[group].width) / 2, kHead + kMargin};
  }

  std::string group(size_t index, std::vector<Point>& origins) const {
    const Point origin = origins[index];
    const Point shift{origin.x + inset(index).x, origin.y + inset(index).y};
    const Level& level = levels_[index];
    std::string out;
    if (index > 0) out += frame(index, origin);
    for (size_t i = 0; i < level.lines.size(); ++i) out += line(index, i, origin, shift);
    for (size_t i = 0; i < level.members.size(); ++i) {
      const Box& box = sheets_[index].boxes[i];
      const Point corner{shift.x + box.center.x - box.width / 2,
                         shift.y + box.center.y - box.height / 2};
      if (level.members[i].is_group)
        origins[level.members[i].index] = corner;
      else
        out += node(picture_.nodes[level.members[i].index], box, corner);
    }
    return out;
  }

  std::string frame(size_t index, const Point& at) const {
    const Group& each = picture_.groups[index];
    const std::string type = each.type.empty() ? ""
                                               : cat("<tspan class=\"s\" dx=\"8\">",
                                                     xml(cut(each.type, 40)), "</tspan>");
    return cat("<rect class=\"g\" x=\"", px(at.x), "\" y=\"", px(at.y), "\" width=\"",
               px(width_of_group(index)), "\" height=\"", px(height_of_group(index)),
               "\" rx=\"10\"><title>", xml(each.path.empty() ? each.name : each.path),
               "</title></rect><text class=\"h\" x=\"", px(at.x + 12), "\" y=\"", px(at.y + 17),
               "\">", xml(head(index)), type, "</text>\n");
  }

  /// The port of a tensor on the border of a member that is a group.
  Point port_of(const Member& member, const LevelLine& line, bool is_input,
                const Point& corner) const {
    const Level& inner = levels_[member.index];
    const auto found =
        std::find(inner.ports.begin(), inner.ports.end(), Port{line.node, line.result, is_input});
    const size_t port = inner.members.size() + static_cast<size_t>(found - inner.ports.begin());
    const double x = corner.x + inset(member.index).x + sheets_[member.index].boxes[port].center.x;
    return {x, corner.y + (is_input ? 0 : height_of_group(member.index))};
  }

  /// A straight end from the border of the sheet, or to a port of an inner group.
  std::string line(size_t group, size_t i, const Point& origin, const Point& shift) const {
    const Level& level = levels_[group];
    const LevelLine& each = level.lines[i];
    const Connection& connection = sheets_[group].connections[i];
    if (connection.curve.size() < 4) return "";
    std::vector<Point> points = connection.curve;
    for (Point& point : points) point = {point.x + shift.x, point.y + shift.y};
    const auto corner = [&](size_t end) {
      const Box& box = sheets_[group].boxes[end];
      return Point{shift.x + box.center.x - box.width / 2, shift.y + box.center.y - box.height / 2};
    };
    std::string before = cat("M", px(points[0].x), " ", px(points[0].y));
    std::string after;
    bool has_arrow = true;
    if (each.from >= level.members.size())
      before =
          cat("M", px(points[0].x), " ", px(origin.y), "L", px(points[0].x), " ", px(points[0].y));
    else if (level.members[each.from].is_group)
      points[0] = port_of(level.members[each.from], each, false, corner(each.from)),
      before = cat("M", px(points[0].x), " ", px(points[0].y));
    if (each.to >= level.members.size()) {
      after = cat("L", px(points.back().x), " ", px(origin.y + height_of_group(group)));
      has_arrow = false;
    } else if (level.members[each.to].is_group) {
      points.back() = port_of(level.members[each.to], each, true, corner(each.to));
      has_arrow = false;
    }
    std::string path = before;
    for (size_t at = 1; at + 2 < points.size(); at += 3)
      path += cat("C", px(points[at].x), " ", px(points[at].y), " ", px(points[at + 1].x), " ",
                  px(points[at + 1].y), " ", px(points[at + 2].x), " ", px(points[at + 2].y));
    std::string out = cat("<path class=\"e\" d=\"", path, after, "\"",
                          has_arrow ? " marker-end=\"url(#a)\"" : "", "/>\n");
    if (const auto& center = connection.label_center)
      out += cat("<text class=\"t\" x=\"", px(center->x + shift.x), "\" y=\"",
                 px(center->y + shift.y + 3), "\">", xml(label(each)), "</text>\n");
    return out;
  }

  std::string node(const Node& each, const Box& box, const Point& at) const {
    const Texts texts = texts_of(picture_, each);
    const bool is_end = each.kind == NodeKind::input || each.kind == NodeKind::output;
    const std::string middle = px(at.x + box.width / 2);
    std::string out =
        cat("<g><title>", xml(each.name), "</title><rect class=\"b ", kind_name(each.kind),
            each.problem.empty() ? "" : " problem", "\" x=\"", px(at.x), "\" y=\"", px(at.y),
            "\" width=\"", px(box.width), "\" height=\"", px(box.height), "\" rx=\"",
            px(is_end ? box.height / 2 : 8), "\"", fill(each), "/><text class=\"h m\" x=\"", middle,
            "\" y=\"", px(at.y + 17), "\">", xml(texts.title), "</text>");
    if (!texts.subtitle.empty())
      out += cat("<text class=\"s m\" x=\"", middle, "\" y=\"", px(at.y + 30), "\">",
                 xml(texts.subtitle), "</text>");
    return out + "</g>\n";
  }

  /// From yellow to orange, in proportion to the largest value.
  std::string fill(const Node& node) const {
    if (!node.value || most_ <= 0) return "";
    const double share = std::clamp(*node.value / most_, 0.0, 1.0);
    const auto mixed = [&](double from, double to) {
      return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return cat(" style=\"fill:rgb(", mixed(255, 240), ",", mixed(246, 110), ",", mixed(219, 60),
               ")\"");
  }

  const Picture& picture_;
  std::vector<Level> levels_;
  std::vector<Sheet> sheets_;
  double most_ = 0;
};

}  // namespace

std::string svg(const Picture& picture) { return SvgWriter(picture).run(); }

}  // namespace t2n::picture
