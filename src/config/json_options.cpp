#include "src/config/json_options.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "src/diag/error.h"

namespace t2n::config {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error("usage", cat("cannot read the options in ", quoted(file)), what,
              "see `t2nnef export --help` for the names of options");
}

std::string scalar_text(const Json& value, const std::string& key, const std::string& file) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return value.dump();
  refuse(file, cat(quoted(key), " is neither text, number, truth value nor a list of them"));
}

void read(const Json& object, const std::string& prefix, const std::string& file, Settings& out) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : cat(prefix, ".", name);
    if (value.is_object()) {
      read(value, key, file, out);
      continue;
    }
    std::vector<std::string> values;
    if (value.is_array())
      for (const Json& element : value) values.push_back(scalar_text(element, key, file));
    else
      values.push_back(scalar_text(value, key, file));
    out.emplace_back(key, std::move(values));
  }
}

/// A key that an object has twice: the parser would keep the last alone.
class TwiceFinder {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event == Json::parse_event_t::key && !seen_.back().insert(parsed.get<std::string>()).second)
      found = parsed.get<std::string>();
    return true;
  }
  std::string found;

 private:
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

Settings read_json_settings(const std::string& text, const std::string& file) {
  Settings out;
  try {
    TwiceFinder twice;
    const Json json = Json::parse(text, std::ref(twice));
    if (!twice.found.empty()) refuse(file, cat(quoted(twice.found), " is given twice"));
    if (!json.is_object()) refuse(file, "the file holds no object: { \"option\": value }");
    read(json, "", file, out);
  } catch (const Json::parse_error& error) {
    refuse(file, cat("it is no JSON at byte ", error.byte));
  }
  return out;
}

}  // namespace t2n::config
