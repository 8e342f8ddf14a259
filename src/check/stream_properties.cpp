// SPDX-License-Identifier: Apache-2.0
#include "src/check/stream_properties.h"

#include <charconv>
#include <set>

#include "src/diag/error.h"
#include "src/spec/dialect.h"

namespace t2n {
namespace {

/// A numeric property; `least` if the document has none. Errors: `nnef-invalid`.
int64_t number_property(const nnef::Document& document, std::string_view name, int64_t least) {
  const auto text = spec::property(document, name);
  if (!text) return least;
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
  if (error != std::errc() || end != text->data() + text->size() || out < least)
    throw Error("nnef-invalid", cat("the property ", quoted(name), " is ", quoted(*text),
                                    ", not a number from ", least, " on"));
  return out;
}

}  // namespace

void require_stream(const target::Target& target, const std::vector<dynamic::AxisSpec>& axes) {
  if (!target::streams(target)) return;
  const std::string& symbol = target.stream.symbol;
  if (target.engine != target::Engine::tract || !target::has(target, target::Feature::pulses))
    throw Error("usage", cat("--stream is not available for ", target::target_name(target)),
                cat("pulses are supported since tract ",
                    target::version_str(target::feature_row(target::Feature::pulses).since)),
                "add --target tract");
  const ir::Symbol length(symbol);
  bool is_declared = false;
  std::set<std::string> inputs;
  for (const dynamic::AxisSpec& axis : axes) {
    if (!axis.size.mentions(length)) continue;
    is_declared = true;
    if (!inputs.insert(axis.input).second)
      throw Error("usage",
                  cat("--stream ", symbol, ": ", quoted(axis.input), " has two axes of this size"),
                  "an input streams along one axis", "declare one of them only");
    const ir::Dim none = axis.size.substitute(ir::Sizes{{length, 0}});
    if (!none.is_constant() || none.value() != 0)
      throw Error("usage",
                  cat("--stream ", symbol, ": ", quoted(axis.text), " is not a multiple of it"),
                  "all pulses have the same size", cat("declare it as 2*", symbol, " or the like"));
  }
  if (!is_declared)
    throw Error("usage", cat("--stream ", symbol, ": no axis has this name"),
                "a model streams along a dynamic axis", cat("declare it: --dynamic x:1=", symbol));
}

StreamProperties stream_properties(const nnef::Document& document) {
  return {.symbol = spec::property(document, spec::kStreamSymbol).value_or(""),
          .multiple = number_property(document, spec::kPulseMultiple, 1),
          .least = number_property(document, spec::kPulseLeast, 0)};
}

}  // namespace t2n
