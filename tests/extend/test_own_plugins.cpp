// SPDX-License-Identifier: Apache-2.0
// What a plugin reads and states, and how its mistakes are refused.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/extend/own_plugins.h"

namespace t2n::extend {
namespace {

constexpr const char* kPluginText =
    "fragment inner(x: tensor<scalar>) -> (y: tensor<scalar>) { y = neg(x); }\n"
    "fragment outer(x: tensor<scalar>) -> (y: tensor<scalar>) { y = inner(x); }\n";

std::string returned;  // by the functions below

const char* fragment(const t2nnef_host* host, t2nnef_call* call) {
  int64_t lag = 0;
  double half = 0;
  int flag = 0;
  returned = cat("rank ", host->rank(call, "x"), " ", host->dtype(call, "x"), " [",
                 host->size(call, "x", 0), ",", host->size(call, "x", 1), "] lag ",
                 host->integer(call, "lag", &lag), "=", lag, " half ",
                 host->number(call, "half", &half), "=", half, " flag ",
                 host->boolean(call, "flag", &flag), "=", flag, " text ", host->text(call, "mode"),
                 " none ", host->rank(call, "lag"), host->integer(call, "half", &lag),
                 host->integer(call, "absent", &lag), host->boolean(call, "lag", &flag),
                 host->size(call, "x", 2) == nullptr, host->text(call, "lag") == nullptr);
  host->set(call, "begin", "[0, 2]");
  return "outer";
}

const char* shape(const t2nnef_host* /*host*/, t2nnef_call* /*call*/, size_t result) {
  return result == 0 ? "[B,S-2]" : result == 1 ? "[max(S,2)]" : result == 2 ? "[]" : "S";
}

t2nnef_call call_of_example() {
  return {.tensor = [](std::string_view name) -> std::optional<t2nnef_call::Tensor> {
            if (name != "x") return std::nullopt;
            return t2nnef_call::Tensor{ir::DType::f32, {ir::Dim(2), ir::parse_dim("S")}};
          },
          .number = [](std::string_view name) -> std::optional<double> {
            if (name == "mode") throw Error("internal", "no number");
            return name == "lag"    ? std::optional<double>(3)
                   : name == "half" ? std::optional<double>(0.5)
                   : name == "flag" ? std::optional<double>(1)
                                    : std::nullopt;
          },
          .text = [](std::string_view name) -> std::optional<std::string> {
            if (name == "mode") return "valid";
            throw Error("internal", "no text");
          }};
}

/// The reason for which a plugin is refused, or "".
std::string plugin_refusal(const t2nnef_plugin* plugin) {
  use({});
  try {
    add_plugin(plugin, "test.so");
    return "";
  } catch (const Error& error) {
    return cat(error.diagnostic().id, ": ", error.diagnostic().why);
  }
}

constexpr t2nnef_operator kOperators[] = {{"mine::op", fragment, shape}};
constexpr t2nnef_plugin kPlugin = {T2NNEF_PLUGIN_VERSION, kPluginText, 1, kOperators};

TEST_CASE("a plugin reads arguments by name and type, and names a fragment") {
  Extensions own;
  own.plugins = {"test.so"};
  use(std::move(own));
  add_plugin(&kPlugin, "test.so");
  const OwnOperator* const found = extensions().find("mine::op");
  REQUIRE(found != nullptr);
  t2nnef_call call = call_of_example();
  CHECK(fragment_of(*found, call).name == "outer");
  CHECK(returned == "rank 2 f32 [2,S] lag 1=3 half 1=0.5 flag 1=1 text valid none -100011");
  REQUIRE(call.literals.size() == 1);
  CHECK(call.literals[0].name == "begin");
  CHECK(ir::shape_str(shape_of(*found, call, 0)) == "[B,S - 2]");
  CHECK(ir::shape_str(shape_of(*found, call, 1)) == "[max(S, 2)]");
  CHECK(shape_of(*found, call, 2).empty());
  CHECK_THROWS_AS(shape_of(*found, call, 3), Error);
  use({});
}

TEST_CASE("a plugin reads lists of numbers and of tensors") {
  t2nnef_call call = call_of_example();
  call.tensors = [](std::string_view name) -> std::optional<std::vector<t2nnef_call::Tensor>> {
    if (name != "xs") throw Error("internal", "no list");
    return {{{ir::DType::f32, {ir::Dim(2)}}, {ir::DType::i64, {ir::parse_dim("S"), ir::Dim(3)}}}};
  };
  call.numbers = [](std::string_view name) -> std::optional<std::vector<double>> {
    if (name == "pads") return {{3, -4}};
    if (name == "gains") return {{0.5, 2}};
    return name == "none" ? std::optional<std::vector<double>>(std::in_place) : std::nullopt;
  };
  const auto translate = [](const t2nnef_host* host, t2nnef_call* of) -> const char* {
    CHECK(host->version == T2NNEF_HOST_VERSION);
    CHECK(host->tensors(of, "xs") == 2);
    CHECK(host->tensors(of, "x") == -1);
    CHECK(std::string(host->dtype(of, "xs[1]")) == "i64");
    CHECK(host->rank(of, "xs[0]") == 1);
    CHECK(std::string(host->size(of, "xs[1]", 0)) == "S");
    for (const char* const wrong :
         {"xs[2]", "xs[-1]", "xs[]", "xs[0", "xs[0]]", "x[0]", "[0]", "]"})
      CHECK(host->rank(of, wrong) == -1);
    size_t count = 9;
    const int64_t* const pads = host->integers(of, "pads", &count);
    REQUIRE(count == 2);
    const double* const gains = host->numbers(of, "gains", &count);
    CHECK((pads[0] == 3 && pads[1] == -4 && gains[0] == 0.5 && gains[1] == 2));
    CHECK(host->integers(of, "gains", &count) == nullptr);
    CHECK(host->numbers(of, "lag", &count) == nullptr);
    CHECK(host->numbers(of, "none", &count) != nullptr);
    CHECK(count == 0);
    return "outer";
  };
  Extensions own;
  own.plugins = {"test.so"};
  use(std::move(own));
  add_plugin(&kPlugin, "test.so");
  const t2nnef_operator functions = {"mine::op", translate, nullptr};
  CHECK(fragment_of({"mine::op", {}, &functions}, call).name == "outer");
  use({});
}

TEST_CASE("plugins of another version, without names or translations are refused") {
  CHECK(plugin_refusal(nullptr) == "plugin-failed: t2nnef_plugin_v1() returns NULL");
  const t2nnef_plugin newer = {T2NNEF_PLUGIN_VERSION + 1, kPluginText, 1, kOperators};
  CHECK(plugin_refusal(&newer).starts_with("plugin-failed: it is for version 2"));
  const t2nnef_operator nameless[] = {{"op", fragment, nullptr}};
  const t2nnef_plugin without_name = {T2NNEF_PLUGIN_VERSION, kPluginText, 1, nameless};
  CHECK(plugin_refusal(&without_name).starts_with("plugin-failed: its operator 0 has no name"));
  const t2nnef_operator untranslated[] = {{"mine::op", nullptr, shape}};
  const t2nnef_plugin without_function = {T2NNEF_PLUGIN_VERSION, kPluginText, 1, untranslated};
  CHECK(plugin_refusal(&without_function) == "plugin-failed: mine::op has no translation");
  const t2nnef_operator twice[] = {{"mine::op", fragment, shape}, {"mine::op", fragment, shape}};
  const t2nnef_plugin doubled = {T2NNEF_PLUGIN_VERSION, kPluginText, 2, twice};
  CHECK(plugin_refusal(&doubled) == "plugin-failed: mine::op has a translation already");
}

TEST_CASE("what a plugin refuses is the reason; a fragment that nothing defines is its mistake") {
  const auto refused = [](const t2nnef_host* host, t2nnef_call* call) -> const char* {
    host->refuse(call, "lag is negative");
    return "outer";
  };
  const auto unknown = [](const t2nnef_host*, t2nnef_call*) -> const char* { return "nowhere"; };
  const auto garbled = [](const t2nnef_host* host, t2nnef_call* call) -> const char* {
    host->set(call, "begin", "[0,");
    return "outer";
  };
  const auto why = [](const char* (*translate)(const t2nnef_host*, t2nnef_call*)) -> std::string {
    const t2nnef_operator functions = {"mine::op", translate, nullptr};
    t2nnef_call call = call_of_example();
    try {
      fragment_of({"mine::op", {}, &functions}, call);
      return "";
    } catch (const Error& error) {
      return cat(error.diagnostic().id, ": ", error.diagnostic().why);
    }
  };
  CHECK(why(refused) == "unsupported-op: lag is negative");
  CHECK(why(unknown) == "plugin-failed: it names the fragment 'nowhere', which nothing defines");
  CHECK(why(garbled).starts_with("unsupported-op: '[0,' for 'begin' is no literal of NNEF"));
}

}  // namespace
}  // namespace t2n::extend
