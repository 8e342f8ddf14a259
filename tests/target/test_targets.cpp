// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "src/diag/error.h"
#include "src/target/target.h"

namespace t2n::target {
namespace {

std::string usage_error(std::string_view text) {
  try {
    parse_target(text);
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().id, "usage");
    return error.what();
  }
  return "no error";
}

TEST_CASE("a target is an engine and, if not the newest, its version") {
  CHECK_EQ(target_name(parse_target("tract")), "tract@0.23.9");
  CHECK_EQ(target_name(parse_target("khronos")), "khronos@1.0.5");
  for (const char* name : {"tract@0.21.13", "tract@0.21.19", "tract@0.23.9"})
    CHECK_EQ(target_name(parse_target(name)), name);
}

TEST_CASE("an unknown target is a usage error that names the known ones") {
  CHECK_EQ(
      usage_error("trakt"),
      "error[usage]: unknown target 'trakt'\n"
      "  help: known targets: tract[@0.21.13 .. 0.23.9], khronos[@1.0.5]; did you mean 'tract'?\n");
  CHECK_EQ(usage_error("onnx"),
           "error[usage]: unknown target 'onnx'\n"
           "  help: known targets: tract[@0.21.13 .. 0.23.9], khronos[@1.0.5]\n");
  CHECK_EQ(usage_error("khronos@1.0.3"),
           "error[usage]: NNEF 1.0.3 is not a supported target\n"
           "  help: t2nnef writes NNEF 1.0.5, which readers of 1.0 can read\n");
}

TEST_CASE("versions are three numbers within what was measured") {
  for (const char* text :
       {"", "0.23", "0.23.", "0.23.9.1", "0.23.x", "0.-1.2", "v0.23.9", "+1.2.3"}) {
    CAPTURE(text);
    CHECK_EQ(usage_error(cat("tract@", text)),
             cat("error[usage]: cannot read the version '", text,
                 "'\n  why:  a version is three numbers\n  help: write it as in '0.23.9'\n"));
  }
  CHECK(usage_error("tract@0.21").ends_with("write it as in '0.21.19'\n"));
  CHECK(usage_error("TRACT").ends_with("; did you mean 'tract'?\n"));
  CHECK_EQ(usage_error("tract@0.24.0"),
           "error[usage]: tract 0.24.0 is newer than any version that t2nnef knows\n"
           "  help: the newest known version is 0.23.9\n");
  CHECK_EQ(usage_error("tract@0.21.12"),
           "error[usage]: tract 0.21.12 is older than t2nnef supports\n"
           "  help: the oldest supported version is 0.21.13\n");
}

TEST_CASE("every feature has one row") {
  std::set<Feature> seen;
  for (const FeatureRow& row : feature_rows()) {
    CHECK(seen.insert(row.feature).second);
    CHECK_FALSE(row.name.empty());
    CHECK_FALSE(row.note.empty());
    CHECK(has(parse_target("tract"), row.feature));
    const bool since_ever = has(parse_target("tract@0.21.13"), row.feature);
    CHECK_FALSE((since_ever && row.is_standard));  // else all targets have it
  }
  CHECK_EQ(seen.size(), static_cast<size_t>(Feature::transformers_silu) + 1);
}

TEST_CASE("a feature is there from its version on") {
  CHECK(has(parse_target("tract@0.21.17"), Feature::log_softmax));
  CHECK_FALSE(has(parse_target("tract@0.21.16"), Feature::log_softmax));
  CHECK(has(parse_target("tract@0.22.4"), Feature::log_softmax));
}

}  // namespace
}  // namespace t2n::target
