// SPDX-License-Identifier: Apache-2.0
// Identifiers, labels and unique names.
#include <doctest/doctest.h>

#include "src/nnef/names.h"

namespace t2n::nnef {
namespace {

TEST_CASE("natural names become identifiers") {
  CHECK(identifier_for("layer1.0.conv1") == "layer1_0_conv1");
  CHECK(identifier_for("encoder/x[0]") == "encoder_x_0");
  CHECK(identifier_for("x_") == "x_");
  CHECK(identifier_for("0.weight") == "_0_weight");
  CHECK(identifier_for("") == "_");
  CHECK(identifier_for("...") == "_");
  CHECK(identifier_for("größe") == "gr____e");
}

TEST_CASE("reserved words and prefixes that tract reads as literals get an underscore") {
  for (const char* word :
       {"version", "in", "string", "graph", "length_of", "true", "false", "yield"})
    CHECK(identifier_for(word) == std::string("_") + word);
  CHECK(identifier_for("info") == "_info");
  CHECK(identifier_for("true_div") == "_true_div");
  CHECK(identifier_for("falsey") == "_falsey");
  CHECK(identifier_for("Info") == "Info");
  CHECK(identifier_for("input") == "input");
  CHECK(identifier_for("graphs") == "graphs");
}

TEST_CASE("plain identifiers") {
  CHECK(is_plain_identifier("_a1"));
  CHECK_FALSE(is_plain_identifier(""));
  CHECK_FALSE(is_plain_identifier("1a"));
  CHECK_FALSE(is_plain_identifier("a.b"));
  CHECK_FALSE(is_plain_identifier("\xc3\xa4"));
}

TEST_CASE("labels become safe paths") {
  CHECK(label_for("layer1.0.conv1.weight") == "layer1.0.conv1.weight");
  CHECK(label_for("a b:c") == "a_b_c");
  CHECK(label_for(".hidden") == "hidden");
  CHECK(label_for("a..b") == "a.b");
  CHECK(label_for("../../etc/passwd") == "etc/passwd");
  CHECK(label_for("a/.b/c") == "a/b/c");
  CHECK(label_for("/a//b/") == "a/b");
  CHECK(label_for("a./b") == "a/b");
  CHECK(label_for("") == "_");
  CHECK(label_for("./.") == "_");
}

TEST_CASE("every label made is a label") {
  for (const char* name :
       {"", ".", "..", "a/../b", "a.", "x/./y", "-", "a/", "\xff\n", "...a...b..."}) {
    CAPTURE(name);
    CHECK(is_label(label_for(name)));
  }
  for (const char* bad :
       {"", ".a", "a/.b", "a..b", "/a", "a/", "a//b", "a b", "..", "a\\b", "a."}) {
    CAPTURE(bad);
    CHECK_FALSE(is_label(bad));
  }
}

TEST_CASE("long labels lose their middle and leave room for a suffix") {
  const std::string label = label_for(std::string(300, 'a') + ".weight");
  CHECK(label.size() == 168);
  CHECK(label.starts_with("aaa"));
  CHECK(label.ends_with(".weight"));
  CHECK(label_for(std::string(168, 'b')) == std::string(168, 'b'));
  CHECK_FALSE(is_label(std::string(181, 'a')));
}

TEST_CASE("names are handed out once") {
  UniqueNames names;
  CHECK(names.claim("x") == "x");
  CHECK(names.claim("x") == "x_1");
  CHECK(names.reserve("x_2"));
  CHECK_FALSE(names.reserve("x_1"));
  CHECK(names.claim("x") == "x_3");
  CHECK(names.claim("x_1") == "x_1_1");
  CHECK(names.claim("X") == "X");
}

TEST_CASE("labels may ignore the case of letters") {
  UniqueNames names(UniqueNames::Case::ignored);
  CHECK(names.claim("Conv.weight") == "Conv.weight");
  CHECK(names.claim("conv.Weight") == "conv.Weight_1");
  CHECK_FALSE(names.reserve("CONV.WEIGHT_1"));
}

}  // namespace
}  // namespace t2n::nnef
