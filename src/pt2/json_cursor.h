// SPDX-License-Identifier: Apache-2.0
// The JSON tables of a .pt2 file, with checked access. Private to src/pt2.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace t2n::pt2 {

using Json = nlohmann::ordered_json;

struct JsonTable {
  std::string record;  ///< of the archive: "models/model.json"
  Json root;
};

/// Errors: `model-corrupt` for text that is no JSON, or nests too deep.
JsonTable parse_table(std::string_view text, std::string record);

/// A value in a table, which must outlive it. Every access refuses a value of another kind, with
/// the path to it: `model-corrupt`.
class Cursor {
 public:
  explicit Cursor(const JsonTable& table) : Cursor(table, table.root) {}

  Cursor operator[](std::string_view key) const;               ///< a field of an object
  std::optional<Cursor> find(std::string_view key) const;      ///< nullopt: none, or null
  std::vector<Cursor> elements() const;                        ///< of an array
  std::vector<std::pair<std::string, Cursor>> fields() const;  ///< of an object
  /// The only field of an object that is not null: a union.
  std::pair<std::string, Cursor> alternative() const;

  bool flag() const;
  int64_t integer() const;
  double number() const;  ///< also "Infinity", "-Infinity" and "NaN"
  const std::string& text() const;

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  Cursor(const JsonTable& table, const Json& at) : table_(&table), at_(&at) {}

  const JsonTable* table_;
  const Json* at_;
};

}  // namespace t2n::pt2
