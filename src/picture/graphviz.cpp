// SPDX-License-Identifier: Apache-2.0
// Graphviz reads its own language and writes its format `plain`: no structs are shared with it, so
// that any version fits.
#include "src/picture/graphviz.h"

#include <dlfcn.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "src/diag/error.h"

namespace t2n::picture {
namespace {

constexpr double kInch = 72;  // pixels
constexpr double kLabel = 9.5;

[[noreturn]] void refuse_svg(std::string why) {
  throw Error("cannot-write", "Graphviz's library libgvc, which .svg needs, does not work here",
              std::move(why),
              "install it (Debian: apt-get install graphviz), or write .html, .dot or .json");
}

/// Of Graphviz's ABI: the symbols of plug-ins that are part of the program.
struct Symbol {
  const char* name;
  void* address;
};

/// Its functions, with opaque pointers.
struct Graphviz {
  void* context = nullptr;
  void* (*read)(const char* text) = nullptr;
  int (*close)(void* graph) = nullptr;
  int (*layout)(void* context, void* graph, const char* engine) = nullptr;
  int (*render)(void* context, void* graph, const char* format, char** out,
                unsigned int* length) = nullptr;
  void (*free_data)(char* data) = nullptr;
  int (*free_layout)(void* context, void* graph) = nullptr;
};

void* opened(const std::string& name) {
  for (const char* version : {".so.6", ".so.7"})
    for (const char* folder :
         {"", "/usr/lib/x86_64-linux-gnu/graphviz/", "/usr/lib/aarch64-linux-gnu/graphviz/",
          "/usr/lib/graphviz/", "/usr/lib64/graphviz/", "/usr/local/lib/graphviz/"})
      if (void* library = dlopen(cat(folder, name, version).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  const char* const why = dlerror();
  refuse_svg(why == nullptr ? "" : why);
}

template <typename Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  if (out == nullptr) refuse_svg(cat("it has no function ", quoted(name)));
}

/// Without plug-ins for fonts: the layout depends on nothing but the version.
Graphviz load_graphviz() {
  Graphviz out;
  void* const gvc = opened("libgvc");
  void* const cgraph = opened("libcgraph");
  static std::array<Symbol, 3> plugins{};
  const std::array<const char*, 2> names = {"dot_layout", "core"};
  for (size_t i = 0; i < names.size(); ++i) {
    static std::array<std::string, 2> symbols;
    symbols[i] = cat("gvplugin_", names[i], "_LTX_library");
    plugins[i].name = symbols[i].c_str();
    find(opened(cat("libgvplugin_", names[i])), plugins[i].name, plugins[i].address);
  }
  void* (*context)(const Symbol* plugins, int loads_others) = nullptr;
  int (*set_level)(int) = nullptr;
  find(gvc, "gvContextPlugins", context);
  find(cgraph, "agseterr", set_level);
  find(cgraph, "agmemread", out.read);
  find(cgraph, "agclose", out.close);
  find(gvc, "gvLayout", out.layout);
  find(gvc, "gvRenderData", out.render);
  find(gvc, "gvFreeRenderData", out.free_data);
  find(gvc, "gvFreeLayout", out.free_layout);
  constexpr int kMostSevere = 3;  // AGMAX: prints nothing
  set_level(kMostSevere);
  out.context = context(plugins.data(), 0);
  if (out.context == nullptr) refuse_svg("it cannot be started");
  return out;
}

std::string description(const Sheet& sheet) {
  std::string out =
      cat("digraph { graph [nodesep=0.3, ranksep=0.33]; node [shape=box, fixedsize=true, "
          "label=\"\"]; edge [dir=none, fontsize=",
          kLabel, "];\n");
  std::map<Side, std::string> sides;
  for (size_t i = 0; i < sheet.boxes.size(); ++i) {
    const Box& box = sheet.boxes[i];
    out += cat("n", i, " [width=", box.width / kInch, ", height=", box.height / kInch, "];\n");
    if (box.side != Side::none) sides[box.side] += cat(" n", i, ";");
  }
  for (const auto& [side, names] : sides)
    out += cat("{ rank=", side == Side::top ? "source" : "sink", ";", names, " }\n");
  for (const Connection& each : sheet.connections)
    out +=
        cat("n", each.from, " -> n", each.to, " [label=\"", std::string(each.label, 'x'), "\"];\n");
  return out + "}\n";
}

size_t number_of(const std::string& name) { return std::stoul(name.substr(1)); }

/// Reads the format `plain`, whose unit is an inch, and whose y axis points up.
Sheet with_positions(Sheet sheet, std::string_view plain) {
  std::map<std::pair<size_t, size_t>, size_t> connections;
  for (size_t i = 0; i < sheet.connections.size(); ++i)
    connections[{sheet.connections[i].from, sheet.connections[i].to}] = i;
  std::istringstream lines{std::string(plain)};
  lines.imbue(std::locale::classic());
  const auto read_point = [&](std::istream& in) {
    Point out;
    in >> out.x >> out.y;
    return Point{out.x * kInch, sheet.height - out.y * kInch};
  };
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    in.imbue(std::locale::classic());
    std::string word;
    in >> word;
    if (word == "graph") {
      double scale = 0;
      in >> scale >> sheet.width >> sheet.height;
      sheet.width *= kInch;
      sheet.height *= kInch;
    } else if (word == "node") {
      in >> word;
      sheet.boxes.at(number_of(word)).center = read_point(in);
    } else if (word == "edge") {
      std::string tail;
      std::string head;
      size_t count = 0;
      in >> tail >> head >> count;
      Connection& out = sheet.connections.at(connections.at({number_of(tail), number_of(head)}));
      for (size_t i = 0; i < count; ++i) out.curve.push_back(read_point(in));
      if (out.label > 0 && in >> word) out.label_center = read_point(in);
    }
  }
  return sheet;
}

}  // namespace

Sheet laid_out(Sheet sheet) {
  if (sheet.boxes.empty()) return sheet;
  static const Graphviz graphviz = load_graphviz();
  void* const graph = graphviz.read(description(sheet).c_str());
  if (graph == nullptr) refuse_svg("it does not read its own language");
  char* data = nullptr;
  unsigned int length = 0;
  const bool works = graphviz.layout(graphviz.context, graph, "dot") == 0 &&
                     graphviz.render(graphviz.context, graph, "plain", &data, &length) == 0;
  const std::string plain = works ? std::string(data, length) : "";
  if (data != nullptr) graphviz.free_data(data);
  graphviz.free_layout(graphviz.context, graph);
  graphviz.close(graph);
  if (!works) refuse_svg("it finds no layout");
  return with_positions(std::move(sheet), plain);
}

}  // namespace t2n::picture
