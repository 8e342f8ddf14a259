// SPDX-License-Identifier: Apache-2.0
// Names and versions of targets: parsing, printing, and the look-up of features.
#include "src/target/target.h"

#include <algorithm>
#include <charconv>

#include "src/diag/error.h"

namespace t2n::target {
namespace {

/// Earlier ones sort wrongly, crash while sorting, or cannot read everything that is emitted.
constexpr Version kOldest{0, 21, 13};
constexpr Version kNewest{0, 23, 9};
constexpr Version kSpecification{1, 0, 5};
constexpr std::string_view kKnown = "known targets: tract[@0.21.13 .. 0.23.9], khronos[@1.0.5]";

/// The newest tested version of each series.
constexpr Version kSeries[] = {{0, 21, 19}, {0, 22, 4}, kNewest};

/// Reads and removes digits at the front of `text`; -1 if there are none.
int take_number(std::string_view& text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool ok = error == std::errc() && !text.empty() && text[0] != '-';
  if (!ok) return -1;
  text.remove_prefix(end - text.data());
  return value;
}

/// The version that "0.21" probably means, else the newest.
std::string example_for(std::string_view text) {
  for (const Version& version : kSeries)
    if (text == cat(version.major, ".", version.minor)) return version_str(version);
  return version_str(kNewest);
}

[[noreturn]] void unknown_target(std::string_view text, std::string_view engine) {
  const std::string near = nearest(engine, {"tract", "khronos"});
  throw Error(
      "usage", cat("unknown target ", quoted(text)), "",
      near.empty() ? std::string(kKnown) : cat(kKnown, "; did you mean ", quoted(near), "?"));
}

void check_tract(const Version& version) {
  if (version > kNewest)
    throw Error("usage",
                cat("tract ", version_str(version), " is newer than any version that t2nnef knows"),
                "", cat("the newest known version is ", version_str(kNewest)));
  if (version < kOldest)
    throw Error("usage", cat("tract ", version_str(version), " is older than t2nnef supports"), "",
                cat("the oldest supported version is ", version_str(kOldest)));
}

void check_khronos(const Version& version) {
  if (version == kSpecification) return;
  throw Error("usage", cat("NNEF ", version_str(version), " is not a supported target"), "",
              "t2nnef writes NNEF 1.0.5, which readers of 1.0 can read");
}

}  // namespace

bool is_supported(const Version& tract) { return tract >= kOldest && tract <= kNewest; }

const FeatureRow& feature_row(Feature feature) {
  const auto rows = feature_rows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const FeatureRow& r) { return r.feature == feature; });
  T2N_ASSERT(row != rows.end(), "feature ", static_cast<int>(feature), " has no row in tract.cpp");
  return *row;
}

bool has(const Target& target, Feature feature) {
  const FeatureRow& row = feature_row(feature);
  if (streams(target) && !row.in_pulses) return false;
  return target.engine == Engine::khronos ? row.is_standard : target.version >= row.since;
}

std::string_view lacks(const Target& target, Number number) {
  const bool is_tract = target.engine == Engine::tract;
  switch (number) {
    case Number::brain_float: return is_tract ? "tract has no bfloat16" : "";
    case Number::complex_number:
      return is_tract ? "tract's released libraries have no complex numbers"
                      : "NNEF has no complex numbers";
  }
  T2N_ASSERT(false, "no such number");
}

std::string target_name(const Target& target) {
  return cat(target.engine == Engine::khronos ? "khronos@" : "tract@", version_str(target.version));
}

std::string version_str(const Version& version) {
  return cat(version.major, ".", version.minor, ".", version.patch);
}

Version parse_version(std::string_view text) {
  std::string_view rest = text;
  Version version;
  version.major = take_number(rest);
  for (int* part : {&version.minor, &version.patch}) {
    *part = rest.starts_with('.') ? (rest.remove_prefix(1), take_number(rest)) : -1;
  }
  if (!rest.empty() || std::min({version.major, version.minor, version.patch}) < 0)
    throw Error("usage", cat("cannot read the version ", quoted(text)),
                "a version is three numbers", cat("write it as in ", quoted(example_for(text))));
  return version;
}

Target parse_target(std::string_view text) {
  const size_t at = text.find('@');
  const std::string_view engine = text.substr(0, at);
  if (engine != "tract" && engine != "khronos") unknown_target(text, engine);
  const bool is_khronos = engine == "khronos";
  if (at == std::string_view::npos)
    return is_khronos ? Target{Engine::khronos, kSpecification} : Target{Engine::tract, kNewest};
  const Version version = parse_version(text.substr(at + 1));
  if (is_khronos) {
    check_khronos(version);
    return {Engine::khronos, version};
  }
  check_tract(version);
  return {Engine::tract, version};
}

}  // namespace t2n::target
