// SPDX-License-Identifier: Apache-2.0
#include "src/report/annotations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/report/command_report.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;

/// One annotation: a diagnostic, or one of the things it is about.
struct Annotation {
  std::string text;
  Json where;  ///< a list of locations
};

void add_reasons_to(const Json& owner, std::string& text) {
  for (const char* const key : {"why", "help"})
    if (const std::string line = owner.value(key, ""); !line.empty())
      text += cat("\n", key, ": ", line);
}

std::vector<Annotation> annotations_of(const Json& diagnostic) {
  const std::string message = diagnostic.at("message");
  std::vector<Annotation> out;
  for (const Json& use : diagnostic.value("uses", Json::array())) {
    std::string text = cat(use.at("what").get<std::string>(), ": ", message);
    add_reasons_to(use, text);
    out.push_back({std::move(text), use.at("where")});
  }
  if (!out.empty()) return out;
  std::string text = message;
  for (const Json& line : diagnostic.at("details")) text += "\n" + line.get<std::string>();
  add_reasons_to(diagnostic, text);
  return {{std::move(text), diagnostic.at("where")}};
}

/// As in a path of a URI.
std::string uri_of(const std::string& path) {
  std::string out;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos;
    std::array<char, 4> text;
    std::snprintf(text.data(), text.size(), "%%%02X", byte);
    out += is_plain ? std::string(1, letter) : std::string(text.data());
  }
  return out;
}

Json physical_location(const SourceLine& source) {
  Json out = {{"artifactLocation", {{"uri", uri_of(source.file)}}}};
  if (source.line > 0) out["region"] = {{"startLine", source.line}};
  if (source.line > 0 && source.column > 0) out["region"]["startColumn"] = source.column;
  return out;
}

/// One location of SARIF: the line, the module, or both; null if neither is known.
Json sarif_location(const Json& where, const SourceFiles& files) {
  Json out;
  for (const SourceLine& source : files.lines_of(Json::array({where})))
    out["physicalLocation"] = physical_location(source);
  const std::string module = where.value("module", "");
  if (!module.empty())
    out["logicalLocations"] = {{{"fullyQualifiedName", module}, {"kind", "module"}}};
  return out;
}

const char* sarif_level(const Json& diagnostic) {
  const std::string severity = diagnostic.at("severity");
  return severity == "error" ? "error" : severity == "warning" ? "warning" : "note";
}

/// A result for each location, or one without any.
void add_sarif_results(const Json& diagnostic, const SourceFiles& files, Json& results) {
  for (const Annotation& annotation : annotations_of(diagnostic)) {
    Json result = {{"ruleId", diagnostic.at("id")},
                   {"level", sarif_level(diagnostic)},
                   {"message", {{"text", annotation.text}}}};
    bool has_location = false;
    for (const Json& where : annotation.where) {
      const Json location = sarif_location(where, files);
      if (location.is_null()) continue;
      result["locations"] = Json::array({location});
      results.push_back(result);
      has_location = true;
    }
    if (!has_location) results.push_back(std::move(result));
  }
}

Json rules_of(const Json& diagnostics) {
  Json out = Json::array();
  std::vector<std::string> ids;
  for (const Json& diagnostic : diagnostics) {
    const std::string id = diagnostic.at("id");
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    ids.push_back(id);
    out.push_back({{"id", id}, {"name", id}});
  }
  return out;
}

/// In a value of a property, ',' and ':' have a meaning, too.
std::string github_escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char letter : text) {
    if (letter == '%')
      out += "%25";
    else if (letter == '\r')
      out += "%0D";
    else if (letter == '\n')
      out += "%0A";
    else if (is_property && letter == ':')
      out += "%3A";
    else if (is_property && letter == ',')
      out += "%2C";
    else
      out += letter;
  }
  return out;
}

std::string github_command(const Json& diagnostic, const std::string& text,
                           const SourceLine& source) {
  const std::string severity = diagnostic.at("severity");
  std::string properties;
  if (!source.file.empty()) properties += cat("file=", github_escaped(source.file, true), ",");
  if (source.line > 0) properties += cat("line=", source.line, ",");
  if (source.line > 0 && source.column > 0) properties += cat("col=", source.column, ",");
  const std::string title = cat(severity, "[", diagnostic.at("id").get<std::string>(), "]");
  return cat("::", severity == "note" ? "notice" : severity, " ", properties,
             "title=", github_escaped(title, true), "::", github_escaped(printable(text), false),
             "\n");
}

}  // namespace

std::string sarif(const Json& data, const SourceFiles& files) {
  Json results = Json::array();
  for (const Json& diagnostic : data.at("diagnostics"))
    add_sarif_results(diagnostic, files, results);
  const Json driver = {{"name", "t2nnef"},
                       {"version", data.at("tool").at("version")},
                       {"rules", rules_of(data.at("diagnostics"))}};
  const Json invocation = {{"executionSuccessful", data.at("status") == "ok"},
                           {"exitCode", data.at("exit_code")}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"invocations", Json::array({invocation})},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", results}};
  return json_text({{"$schema",
                     "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                     "sarif-schema-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}});
}

std::string github_commands(const Json& data, const SourceFiles& files) {
  std::string out;
  for (const Json& diagnostic : data.at("diagnostics"))
    for (const Annotation& annotation : annotations_of(diagnostic)) {
      std::vector<SourceLine> sources = files.lines_of(annotation.where);
      if (sources.empty()) sources.emplace_back();
      for (const SourceLine& source : sources)
        out += github_command(diagnostic, annotation.text, source);
    }
  return out;
}

}  // namespace t2n::report
