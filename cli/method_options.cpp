#include "cli/method_options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "nnef_writer/destination.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "{method}";

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The word in front of the first of more colons than the value has of itself, or "".
std::string method_word(const std::string& value, size_t own_colons) {
  const std::string head = value.substr(0, value.find('='));
  if (static_cast<size_t>(std::count(head.begin(), head.end(), ':')) <= own_colons) return {};
  std::string word = head.substr(0, head.find(':'));
  return is_word(word) ? word : "";
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
                        " would have files of one name"),
                    "where names are not told apart by case, one would replace the other",
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
    const std::string word = method_word(value, own_colons);
    // A file's name may hold a colon.
    const bool may_be_file = value.find('=') == std::string::npos && !contains(methods_, word);
    if (word.empty() || (may_be_file && std::string_view(option) == "--input")) {
      out.push_back(value);
    } else if (word == method) {
      out.push_back(value.substr(word.size() + 1));
    } else if (!contains(methods_, word)) {
      const std::string near = nearest(word, methods_);
      throw Error("usage",
                  cat(option, " ", quoted(value), " speaks to ", quoted(word),
                      ", which --method does not name"),
                  {},
                  near.empty() ? cat("the methods are: ", joined(methods_, ", "))
                               : cat("did you mean ", quoted(near), "?"));
    }
  }
  return out;
}

std::vector<std::string> MethodOptions::of(const std::string& method, const char* option,
                                           const std::vector<std::string>& values) const {
  return select(method, option, values, 0);
}

std::vector<std::string> MethodOptions::axes_of(const std::string& method,
                                                const std::vector<std::string>& values) const {
  return select(method, "--dynamic", values, 1);
}

std::string MethodOptions::one_of(const std::string& method, const char* option,
                                  const std::string& value) const {
  const std::vector<std::string> out = of(method, option, {value});
  return out.empty() ? "" : out.front();
}

InputOptions MethodOptions::inputs_of(const std::string& method,
                                      const InputOptions& options) const {
  InputOptions out = options;
  out.methods = {method};
  out.specs = of(method, "--input", options.specs);
  out.dynamic = axes_of(method, options.dynamic);
  out.assertions = of(method, "--assert", options.assertions);
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
      cat("name a folder for all of them, -o ", quoted(stem), ", or archives by method: -o ",
          quoted(stem + ".{method}.nnef.tgz")));
}

}  // namespace t2n::cli
