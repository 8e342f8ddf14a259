// SPDX-License-Identifier: Apache-2.0
// Settings by scope: which holds for which operation, and what is refused.
#include <doctest/doctest.h>

#include "src/compress/settings/scope_glob.h"
#include "src/compress/settings/settings.h"
#include "src/config/compression_settings.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    const Diagnostic& of = error.diagnostic();
    return cat(of.message, " | ", of.why, " | ", of.help);
  }
  return "";
}

std::vector<SettingsEntry> read(const std::string& text) {
  return config::read_compression_settings(text, "s.json");
}

std::string refusal(const std::string& text) {
  return message_of([&] { Settings{read(text)}; });
}

/// A model of three linear layers: enc.0, enc.1 and head.
ir::Graph three_layers() {
  ir::Graph graph;
  const ir::ScopeId root = ir::add_scope(graph, -1, "Net", "");
  const ir::ScopeId enc = ir::add_scope(graph, root, "Sequential", "enc");
  for (const ir::ScopeId scope :
       {ir::add_scope(graph, enc, "Linear", "0"), ir::add_scope(graph, enc, "Linear", "1"),
        ir::add_scope(graph, root, "Linear", "head")}) {
    ir::Node node;
    node.op = ir::op_id("aten::linear");
    node.scope = scope;
    graph.nodes.push_back(node);
  }
  return graph;
}

std::vector<int> bits_of(const std::vector<SettingsEntry>& entries) {
  const ir::Graph graph = three_layers();
  const Settings settings(entries);
  std::vector<int> out;
  for (const ir::Node& node : graph.nodes) {
    const NodeSettings of = settings.of(graph, node);
    out.push_back(of.weights ? of.weights->scheme.bits : 0);
  }
  return out;
}

std::vector<int> bits_of(const std::string& text) { return bits_of(read(text)); }

TEST_CASE("globs") {
  CHECK(glob_matches("", ""));
  CHECK(glob_matches("*", "a.b"));
  CHECK(glob_matches("a*c", "abbc"));
  CHECK(glob_matches("a*b*c", "aXbYbc"));
  CHECK(glob_matches("a?c", "abc"));
  CHECK_FALSE(glob_matches("a?c", "ac"));
  CHECK_FALSE(glob_matches("a*c", "abcd"));
  CHECK_FALSE(glob_matches("", "a"));
}

TEST_CASE("inner keys override outer ones, key by key") {
  CHECK(bits_of(R"({"": {"weights": {"bits": 8}}})") == std::vector{8, 8, 8});
  CHECK(bits_of(R"({"enc.1": {"weights": {"bits": 4}}, "": {"weights": {"bits": 8}}})") ==
        std::vector{8, 4, 8});
  CHECK(bits_of(R"({"": {"weights": {"bits": 8}}, "enc": {"weights": null}})") ==
        std::vector{0, 0, 8});
  CHECK(bits_of(R"({"enc": {"weights": {"bits": 4}}, "enc.0": {"weights": {"signed": false}}})") ==
        std::vector{4, 4, 0});
  CHECK(bits_of(R"({"enc.*": {"weights": {"bits": 3}}})") == std::vector{3, 3, 0});
}

TEST_CASE("addresses name modules and operations as well") {
  CHECK(bits_of(R"({"Net/Sequential[[]enc]*": {"weights": {"bits": 3}}})") == std::vector{0, 0, 0});
  CHECK(bits_of(R"({"Net/Linear[head]": {"weights": {"bits": 3}}})") == std::vector{0, 0, 3});
  CHECK(bits_of(R"({"*/linear_0": {"weights": {"bits": 3}}})") == std::vector{3, 3, 3});
}

TEST_CASE("exact names override globs that name as much, in either order") {
  for (const char* any : {"*", "????", "h*", "*ead"}) {
    const std::string glob = cat(R"(")", any, R"(": {"weights": {"bits": 4}})");
    const std::string exact = R"("head": {"weights": {"bits": 8}})";
    CHECK(bits_of(cat("{", glob, ", ", exact, "}")).at(2) == 8);
    CHECK(bits_of(cat("{", exact, ", ", glob, "}")).at(2) == 8);
  }
  const std::string enc = R"("enc": {"weights": {"bits": 8}})";
  CHECK(bits_of(cat(R"({"*": {"weights": {"bits": 4}}, )", enc, "}")) == std::vector{8, 8, 4});
  CHECK(bits_of(cat("{", enc, R"(, "*": {"weights": {"bits": 4}}})")) == std::vector{8, 8, 4});
  CHECK(bits_of(cat("{", enc, R"(, "*.1": {"weights": {"bits": 4}}})")) == std::vector{8, 4, 0});
  CHECK(bits_of(R"({"*": {"weights": {"bits": 4}}, "": {"weights": {"bits": 8}}})") ==
        std::vector{4, 4, 4});
  CHECK(bits_of(R"({"*": {"weights": {"bits": 4}}, "e*": {"weights": {"bits": 3}}})") ==
        std::vector{3, 3, 4});
}

TEST_CASE("the command overrides what the model says of the same module") {
  const auto bits = [](const std::string& own, const std::vector<SettingsEntry>& given) {
    std::vector<SettingsEntry> entries =
        config::read_module_settings(own, "'quant_params' of the model");
    for (SettingsEntry& entry : entries) entry.is_from_model = true;
    entries.insert(entries.end(), given.begin(), given.end());
    return bits_of(entries);
  };
  const std::string two = R"({"weights": {"bits": 2, "symmetric": false}})";
  CHECK(bits(two, {}) == std::vector{2, 2, 2});
  CHECK(bits(two, preset("int8-weights")) == std::vector{8, 8, 8});
  CHECK(bits(two, preset("q4_0")) == std::vector{8, 8, 8});  // no refusal: blocks have 4 bits
  CHECK(bits(two, preset("f16")) == std::vector{8, 8, 8});
  const std::string head = R"({"head": {"weights": {"bits": 2}}})";
  CHECK(bits(head, preset("int8-weights")) == std::vector{8, 8, 2});
  CHECK(bits(head, read(R"({"*": {"weights": {"bits": 4}}})")) == std::vector{4, 4, 4});
  const ir::Graph graph = three_layers();
  std::vector<SettingsEntry> entries =
      config::read_module_settings(head, "'quant_params' of the model");
  entries[0].is_from_model = true;
  entries.push_back(preset("q4_0")[0]);
  CHECK(Settings(entries).of(graph, graph.nodes[2]).weights->format == Format::q4_0);
  CHECK(message_of([] { config::read_module_settings("int8", "'quant_params' of 'a'"); })
            .starts_with("cannot read the compression settings of 'quant_params' of 'a' | invalid "
                         "JSON at byte 1"));
}

TEST_CASE("editors' schema is no module") {
  CHECK(read(R"({"$schema": "https://t2nnef/compression.schema.json"})").empty());
  CHECK(refusal(R"({"$schema": 3})").find("are not a table") != std::string::npos);
}

TEST_CASE("biases are corrected for what something does to weights") {
  const ir::Graph graph = three_layers();
  CHECK(message_of([&] {
          Settings(read(R"({"": {"bias_correction": true}})")).require_matches(graph);
        }).find("no weights are changed") != std::string::npos);
  Settings(read(R"({"": {"bias_correction": true}, "enc": {"prune": {"sparsity": 0.5}}})"))
      .require_matches(graph);
  Settings(read(R"({"": {"bias_correction": false}})")).require_matches(graph);
}

TEST_CASE("--ignore and --only") {
  const ir::Graph graph = three_layers();
  std::vector<SettingsEntry> entries = preset("int8");
  for (SettingsEntry& entry : ignoring({"head"})) entries.push_back(entry);
  const Settings ignored(entries);
  CHECK(ignored.of(graph, graph.nodes[0]).weights);
  CHECK_FALSE(ignored.of(graph, graph.nodes[2]).weights);
  CHECK_FALSE(ignored.of(graph, graph.nodes[2]).activations);
  entries = preset("int8");
  for (SettingsEntry& entry : limited_to({"enc.0"})) entries.push_back(entry);
  const Settings only(entries);
  CHECK(only.of(graph, graph.nodes[0]).activations);
  CHECK_FALSE(only.of(graph, graph.nodes[1]).weights);
}

TEST_CASE("no settings override --ignore and --only, however deep their keys") {
  const auto bits = [](const std::vector<SettingsEntry>& more) {
    std::vector<SettingsEntry> entries =
        read(R"({"": {"weights": {"bits": 8}, "bias_correction": true},
                 "enc.0": {"weights": {"bits": 2}}})");
    entries.insert(entries.begin(), more.begin(), more.end());  // in whatever order
    return bits_of(entries);
  };
  CHECK(bits({}) == std::vector{2, 8, 8});
  CHECK(bits(ignoring({"enc"})) == std::vector{0, 0, 8});
  CHECK(bits(ignoring({"enc.0", "head"})) == std::vector{0, 8, 0});
  CHECK(bits(limited_to({"head"})) == std::vector{0, 0, 8});
  CHECK(bits(limited_to({"enc"})) == std::vector{2, 8, 0});
  CHECK(bits(limited_to({"enc.0", "head"})) == std::vector{2, 0, 8});
  std::vector<SettingsEntry> both = limited_to({"enc"});
  for (SettingsEntry& entry : ignoring({"enc.1"})) both.push_back(entry);
  CHECK(bits(both) == std::vector{2, 0, 0});
}

TEST_CASE("an unmatched glob is refused with the nearest names") {
  const ir::Graph graph = three_layers();
  const Settings settings(read(R"({"enc.7": {"weights": {"bits": 4}}})"));
  CHECK(message_of([&] { settings.require_matches(graph); }) ==
        "'enc.7', of s.json, names no module of the model |  | did you mean 'enc.0'?");
}

TEST_CASE("unknown settings are refused") {
  CHECK(refusal(R"({"": {"weights": {"bit": 8}}})") ==
        "the compression settings of s.json: there is no setting 'weights.bit' |  | did you mean "
        "'weights.bits'?");
  CHECK(refusal(R"({"a": {"weights": {"bits": 1}}})") ==
        "the compression settings of s.json for 'a': 'weights.bits' is 1, which is not a whole "
        "number from 2 to 16 |  | see docs/compression.md for the settings");
  CHECK(refusal(R"({"": {"weights": {"rounding": "up"}}})") ==
        "the compression settings of s.json: 'weights.rounding' is 'up', which is not one of "
        "nearest, least-squares, gptq |  | see docs/compression.md for the settings");
  CHECK(refusal(R"({"": {"weights": true}})").find("'weights' is true, which is not a table") !=
        std::string::npos);
  CHECK(refusal(R"({"": {"prune": {"pattern": "4:2"}}})").find("'prune.pattern' is '4:2'") !=
        std::string::npos);
}

TEST_CASE("contradictory settings are refused, also inherited ones") {
  CHECK(refusal(R"({"": {"weights": {"format": "q4_0", "bits": 3}}})") ==
        "the compression settings of s.json: Q4_0 holds 4 bits, not 3 |  | leave weights.bits out");
  CHECK(refusal(R"({"": {"prune": {"global": true}}})") ==
        "the compression settings of s.json: pruning needs a sparsity or a pattern |  | add "
        "\"sparsity\": 0.5 or \"pattern\": \"2:4\"");
  const ir::Graph graph = three_layers();
  const Settings settings(
      read(R"({"": {"weights": {"bits": 3}}, "head": {"weights": {"format": "q4_0"}}})"));
  CHECK(settings.of(graph, graph.nodes[0]).weights);
  CHECK(message_of([&] { settings.of(graph, graph.nodes[2]); }) ==
        "the compression settings of s.json for 'head': Q4_0 holds 4 bits, not 3 |  | leave "
        "weights.bits out");
}

TEST_CASE(
    "settings that would say nothing are refused, and those that inner ones override are not") {
  const auto is_refused = [](const std::string& weights, const std::string& text) {
    const std::string said = refusal(cat(R"({"": {"weights": {)", weights, "}}}"));
    CAPTURE(said);
    CHECK(said.find(text) != std::string::npos);
  };
  is_refused(R"("format": "q4_0", "bits": 8)", "'weights.bits' is 8, but Q4_0 holds 4 bits");
  is_refused(R"("format": "q4_0", "granularity": "tensor")", "'weights.granularity' is 'tensor'");
  is_refused(R"("format": "q4_0", "symmetric": false)", "'weights.symmetric' is false");
  is_refused(R"("format": "q4_0", "observer": "percentile")", "'weights.observer' is");
  is_refused(R"("format": "f16", "bits": 4)",
             "'weights.bits' is 4, but 16-bit floats have 16 bits");
  is_refused(R"("rounding": "least-squares", "observer": "entropy")", "finds the range itself");
  is_refused(R"("rounding": "least-squares", "observer": "percentile")", "finds the range itself");
  CHECK(refusal(R"({"": {"weights": {"rounding": "least-squares", "observer": "histogram"}}})")
            .empty());
  is_refused(R"("quantile": 0.5)", "'weights.quantile' is 0.5, but the observer is not");
  CHECK(refusal(R"({"": {"weights": {"format": "q4_0", "bits": 4}}})").empty());
  CHECK(refusal(R"({"": {"weights": {"observer": "percentile", "quantile": 0.5}}})").empty());
  CHECK(refusal(R"({"": {"weights": {}}})").empty());
  CHECK(refusal(R"({"": {"prune": {"pattern": "2:4x"}}})").find("'prune.pattern' is '2:4x'") !=
        std::string::npos);
  CHECK(refusal(R"({"": {"bias": {"granularity": "channel"}}})").find("bias.granularity") !=
        std::string::npos);
  CHECK(bits_of(R"({"": {"weights": {"bits": 8, "symmetric": false}},
                    "head": {"weights": {"format": "q4_0"}}})") == std::vector{8, 8, 8});
  CHECK(message_of([] {
          bits_of(R"({"": {"weights": {"format": "q4_0"}}, "head": {"weights": {"bits": 8}}})");
        }).find("for 'head': 'weights.bits' is 8") != std::string::npos);
}

TEST_CASE("files that do not contain settings are refused") {
  CHECK(refusal("[1]").find("it is not an object") != std::string::npos);
  CHECK(refusal("{").find("invalid JSON at byte") != std::string::npos);
  CHECK(refusal(R"({"": 3})").find("the settings of '' are not a table") != std::string::npos);
  CHECK(refusal(R"({"": {"weights": {"bits": [8]}}})").find("is a list") != std::string::npos);
  CHECK(refusal(R"({"": {"weights": {"bits": {"a": 1}}}})").find("is a table") !=
        std::string::npos);
  CHECK(refusal(R"({"": {}, "": {}})").find("is given twice") != std::string::npos);
}

}  // namespace
}  // namespace t2n::compress
