// SPDX-License-Identifier: Apache-2.0
#include "cli/options/method_options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "nnef_writer/destination.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "{method}";

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The text before the first colon, if there are more colons than the value itself has; else "".
std::string method_prefix(const std::string& value, size_t own_colons) {
  const std::string head = value.substr(0, value.find('='));
  if (static_cast<size_t>(std::count(head.begin(), head.end(), ':')) <= own_colons) return {};
  std::string prefix = head.substr(0, head.find(':'));
  return is_identifier(prefix) ? prefix : "";
}

}  // namespace

std::vector<std::string> methods_of(const InputOptions& options) {
  std::vector<std::string> out;
  for (const std::string& method : options.methods) {
    for (const std::string& other : out) {
      if (other == method) throw Error("usage", cat("--method ", method, " is given twice"));
      if (lower(other) == lower(method))
        throw Error("usage",
                    cat("the methods ", quoted(other), " and ", quoted(method),
                        " would write files with the same name"),
                    "where file names ignore case, one would replace the other",
                    "export them one after the other");
    }
    out.push_back(method);
  }
  return out.empty() ? std::vector<std::string>{"forward"} : out;
}

std::vector<std::string> MethodOptions::select(const std::string& method, const char* option,
                                               const std::vector<std::string>& values,
                                               size_t own_colons) const {
  std::vector<std::string> out;
  for (const std::string& value : values) {
    const std::string prefix = method_prefix(value, own_colons);
    // A file name may contain a colon.
    const bool may_be_file = value.find('=') == std::string::npos && !contains(methods_, prefix);
    if (prefix.empty() || (may_be_file && std::string_view(option) == "--input")) {
      out.push_back(value);
    } else if (prefix == method) {
      out.push_back(value.substr(prefix.size() + 1));
    } else if (!contains(methods_, prefix)) {
      const std::string suggestion = nearest(prefix, methods_);
      throw Error(
          "usage",
          cat(option, " ", quoted(value), " is for ", quoted(prefix), ", which is not in --method"),
          {},
          suggestion.empty() ? cat("the methods are: ", joined(methods_, ", "))
                             : cat("did you mean ", quoted(suggestion), "?"));
    }
  }
  return out;
}

std::vector<std::string> MethodOptions::values_for(const std::string& method, const char* option,
                                                   const std::vector<std::string>& values) const {
  return select(method, option, values, 0);
}

std::vector<std::string> MethodOptions::axes_for(const std::string& method,
                                                 const std::vector<std::string>& values) const {
  return select(method, "--dynamic", values, 1);
}

std::string MethodOptions::value_for(const std::string& method, const char* option,
                                     const std::string& value) const {
  const std::vector<std::string> out = values_for(method, option, {value});
  return out.empty() ? "" : out.front();
}

InputOptions MethodOptions::inputs_for(const std::string& method,
                                       const InputOptions& options) const {
  InputOptions out = options;
  out.methods = {method};
  out.specs = values_for(method, "--input", options.specs);
  out.dynamic = axes_for(method, options.dynamic);
  out.assertions = values_for(method, "--assert", options.assertions);
  out.closed = values_for(method, "--specialize", options.closed);
  return out;
}

MethodOutput output_of(const std::string& model, const std::string& output,
                       const std::vector<std::string>& methods, const std::string& method) {
  std::string path = output;
  for (size_t at = path.find(kPlaceholder); at != std::string::npos;
       at = path.find(kPlaceholder, at + method.size()))
    path.replace(at, kPlaceholder.size(), method);
  if (path != output || methods.size() == 1) return {path, ""};
  const std::string stem = fs::path(model).stem().string();
  if (output.empty()) return {cat(stem, ".", method, ".nnef.tgz"), ""};
  if (nnef::parse_destination(output).form == nnef::Destination::Form::folder)
    return {(fs::path(output) / method).string(), output};
  throw Error(
      "usage",
      cat("-o ", quoted(output), " is one archive, and ", methods.size(), " methods are exported"),
      "an artefact has one graph",
      cat("name a folder for all of them, -o ", quoted(stem), ", or one archive per method: -o ",
          quoted(stem + ".{method}.nnef.tgz")));
}

}  // namespace t2n::cli
