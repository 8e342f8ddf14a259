// The dialect of a document, and its properties.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nnef/ast.h"
#include "src/spec/operations.h"

namespace t2n::spec {

/// tract's if the document names one of its extensions.
Dialect dialect_of(const nnef::Document& document);

/// What exporters and tract write into a document about itself: names with values in the document's
/// notation, strings without quotes.
std::vector<std::pair<std::string, std::string>> properties(const nnef::Document& document);

/// The value of one of them.
std::optional<std::string> property(const nnef::Document& document, std::string_view name);

/// Adds one, if the document has any: strict NNEF has none.
void add_property(nnef::Document& document, std::string_view name, std::string value);

/// The name of the fragment with the properties.
constexpr std::string_view kPropertiesFragment = "tract_core_properties";
// For streamed input: the symbol, the number that pulses are multiples of, and their minimum
// length.
constexpr std::string_view kStreamSymbol = "t2nnef_stream_symbol";
constexpr std::string_view kPulseMultiple = "t2nnef_pulse_multiple";
constexpr std::string_view kPulseLeast = "t2nnef_pulse_least";
/// What the file demands of sizes that follow from values: it fails elsewhere.
constexpr std::string_view kRuntimeAssertions = "t2nnef_demands";
/// "yes" where weights are others than the model's by intention.
constexpr std::string_view kCompressed = "t2nnef_compressed";
/// Options that change the statements of a file, where they were given: "roll-loops".
constexpr std::string_view kOptions = "t2nnef_options";

}  // namespace t2n::spec
