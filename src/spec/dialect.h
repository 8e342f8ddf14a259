// SPDX-License-Identifier: Apache-2.0
// The dialect of a document, and its properties.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/nnef/ast.h"
#include "src/spec/operations.h"
#include "src/target/target.h"

namespace t2n::spec {

/// Dialect::tract if the document names one of tract's extensions.
Dialect dialect_of(const nnef::Document& document);

/// Metadata that exporters and tract write into a document: names with values in the document's
/// notation, strings without quotes.
std::vector<std::pair<std::string, std::string>> properties(const nnef::Document& document);

/// The value of one property.
std::optional<std::string> property(const nnef::Document& document, std::string_view name);

/// The version of tract that the document was written for; none if it says none that can be read.
std::optional<target::Target> stated_target(const nnef::Document& document);

/// Adds a property if the document has any: strict NNEF has none.
void add_property(nnef::Document& document, std::string_view name, nnef::Value value);
void add_property(nnef::Document& document, std::string_view name, std::string value);

/// The name of the fragment with the properties.
constexpr std::string_view kPropertiesFragment = "tract_core_properties";
// For streamed input: the symbol, the number that pulses are multiples of, and their minimum
// length.
constexpr std::string_view kStreamSymbol = "t2nnef_stream_symbol";
constexpr std::string_view kPulseMultiple = "t2nnef_pulse_multiple";
constexpr std::string_view kPulseLeast = "t2nnef_pulse_least";
/// The runtime assertions about data-dependent sizes.
constexpr std::string_view kRuntimeAssertions = "t2nnef_demands";
/// "yes" if weights were compressed and differ from the model's.
constexpr std::string_view kCompressed = "t2nnef_compressed";
/// If the file computes in 16 bits, although its model does not: "f16", and the globs of modules
/// that do not.
constexpr std::string_view kFloat = "t2nnef_float";
/// The given options that change the statements of a file: "roll-loops".
constexpr std::string_view kOptions = "t2nnef_options";

}  // namespace t2n::spec
