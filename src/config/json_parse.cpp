// SPDX-License-Identifier: Apache-2.0
#include "src/config/json_parse.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "src/diag/error.h"

namespace t2n::config {
namespace {

/// Finds duplicate keys of an object: the parser would keep only the last one.
class DuplicateKeyFinder {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) seen_.emplace_back();
    if (event == Json::parse_event_t::object_end) seen_.pop_back();
    if (event == Json::parse_event_t::key && !seen_.back().insert(parsed.get<std::string>()).second)
      found = parsed.get<std::string>();
    return true;
  }
  std::optional<std::string> found;

 private:
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

void refuse(const JsonSource& source, const std::string& why) {
  throw Error("usage", cat("cannot read ", source.what), why, source.help);
}

Json parse_object(const std::string& text, const JsonSource& source) {
  try {
    DuplicateKeyFinder duplicates;
    Json json = Json::parse(text, std::ref(duplicates));
    if (duplicates.found) refuse(source, cat(quoted(*duplicates.found), " is given twice"));
    if (!json.is_object())
      refuse(source, cat("it is not an object; write, for example, ", source.example));
    return json;
  } catch (const Json::parse_error& error) {
    refuse(source, cat("invalid JSON at byte ", error.byte));
  }
}

}  // namespace t2n::config
