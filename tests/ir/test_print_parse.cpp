// SPDX-License-Identifier: Apache-2.0
// The text form: what it looks like, that it loses nothing, and what its errors say.
#include <doctest/doctest.h>

#include <limits>

#include "ir/print.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

constexpr std::string_view kResNet =
    R"ir(graph ResNet(%x: f32[1,3,S,S]) -> (%layer1.0.conv1.conv2d as "output_0") {
  attribute sample_sizes: sizes = S=224
  const %layer1.0.conv1.weight: f32[64,3,3,3] = bytes=6912 hash=0123456789abcdef
  const %scale: f32[2] = {0.5, -1.0}

@ResNet/Sequential[layer1]/BasicBlock[0]:
  %layer1.0.mul: f32[1,3,S,S] = aten::mul.Scalar(self=%x, other=2.0) as mul_0 in f32

@ResNet/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]:
  %layer1.0.conv1.conv2d: f32[1,64,S,S] = aten::conv2d(input=%layer1.0.mul, weight=%layer1.0.conv1.weight, bias=none, stride=[1, 1], padding="same", dilation=[1, 1], groups=1) as conv2d_0 !0  # model.py:88

  source !0 = model.py:88:16 in forward < train.py:12 | "return self.conv1(\"x\")" ^7+6
}
)ir";

TEST_CASE("an example of the text form") { check_round_trip(kResNet); }

TEST_CASE("every kind of argument survives") {
  check_round_trip(R"ir(graph model(%a: f32[], %b: i64[2]) -> (%c as "output_0") {
  %c: f32[], %d: i64[2] = test::op(none=none, ref=%a, refs=[%a, none, %b], no_refs=tensors[], int=-3, dim=S, expr=((S + 1) // (2)) + min(S, 4), low=-9223372036854775808, float=1.0, big=1e+300, infinite=-inf, nan=nan, yes=true, complex=complex(0.5, -1.0), text="a \"b\"\n\x01 # ü", dtype=bf16, ints=[1, S], no_ints=[], floats=[0.1, nan], no_floats=floats[], bools=[true, false], no_bools=bools[], strings=["a,", ")"], no_strings=strings[]) as op_0
}
)ir");
}

TEST_CASE("a symbol named like a keyword stays a symbol") {
  check_round_trip(R"(graph model(%x: f32[f32]) -> (%x as "output_0") {
  %y: f32[1] = test::op(a=(f32), b=f32, c=(-inf), d=[(none), 1], e=infinity) as op_0
}
)");
}

TEST_CASE("names with odd characters are quoted") {
  check_round_trip(R"(graph "my model"(%"x:0": f32[1]) -> (%"a b" as "out \"1\"") {

@"my.Model[T]"["a/b"]/Linear[fc]:
  %"a b": f32[1] = aten::relu("my arg"=%"x:0") as relu_0 !0  # my file.py:1

  source !0 = "my file.py":1 in "<lambda>"
}
)");
}

TEST_CASE("an unnamed root has no heading until it comes back") {
  check_round_trip(R"(graph model(%x: f32[1]) -> (%c as "output_0") {
  %a: f32[1] = aten::relu(self=%x) as relu_0

@""/ReLU[act]:
  %b: f32[1] = aten::relu(self=%a) as relu_0

@"":
  %c: f32[1] = aten::relu(self=%b) as relu_7
}
)");
}

TEST_CASE("quantisation and nested graphs survive") {
  check_round_trip(
      R"(graph model(%x: u8[4,2] quant(scales=[0.1, 0.2], zero_points=[3, 4], axis=1, bits=8, signed=false, narrow_range=true), %h: f32[2]) -> (%y as "output_0", %y as "again") {
  %all: f32[2,4], %y: f32[2] = t2n::scan(length=4, scanned=[%x], scanned_axes=[0], scanned_reversed=[true], initial=[%h], captured=tensors[], stacked_axes=[1], stacked_reversed=[false]) as scan_0 !0 body graph step(%t: i64[], %x: u8[2], %h: f32[2]) -> (%y as "y", %y as "h") {
    const %one: f32[] = {1.0}

  @Cell:
    %y: f32[2] = aten::add.Tensor(self=%x, other=%one, alpha=1) as add_0 in f32 !0  # cell.py:3

    source !0 = cell.py:3
  }

  source !0 = -
}
)");
}

TEST_CASE("constants print exactly, whatever their dtype") {
  check_round_trip(R"(graph model() -> () {
  const %a: bool[3] = {true, false, 0x02}
  const %b: i8[2] = {-128, 127}
  const %c: u64[1] = {18446744073709551615}
  const %d: i64[1] = {-9223372036854775808}
  const %e: f16[3] = {0.099975586, 65504.0, -0.0}
  const %f: bf16[2] = {3.140625, inf}
  const %g: f32[5] = {0.1, 1e-45, nan, 0xffc00001, -inf}
  const %h: f64[1] = {0.30000000000000004}
  const %i: c64[1] = {complex(1.5, -0.0)}
  const %j: f32[0,3] = {}
  const %k: f32[] = {7.0}
  const %l: f32[17] = bytes=68
}
)");
}

TEST_CASE("large constants print a hash of their values and come back unloaded") {
  std::vector<float> values(17);
  values[16] = 1.0F;
  Graph graph;
  add_constant(graph, "w", tensor_of(DType::f32, {17}, values));
  const std::string text = print(graph);
  CHECK(text.find("const %w: f32[17] = bytes=68 hash=") != std::string::npos);
  const Graph again = parse(text);
  CHECK(again.constants[0].data.bytes.empty());
  CHECK(print(again) == text);

  graph.constants[0].data = tensor_of(DType::f32, {17}, std::vector<float>(17));
  CHECK(print(graph) != text);
}

TEST_CASE("a hash does not depend on strides, but on every sign") {
  const Tensor rows = tensor_of(DType::f32, {2, 2}, std::vector<float>{1, 2, 3, 4});
  Tensor columns = tensor_of(DType::f32, {2, 2}, std::vector<float>{1, 3, 2, 4});
  CHECK(content_hash(rows) != content_hash(columns));
  columns.strides = {1, 2};
  CHECK(content_hash(rows) == content_hash(columns));
  const Tensor negated = tensor_of(DType::f32, {2, 2}, std::vector<float>{1, -2, 3, -4});
  CHECK(content_hash(rows) != content_hash(negated));
}

TEST_CASE("strided constants print in row-major order") {
  Tensor data = tensor_of(DType::i32, {2, 2}, std::vector<int32_t>{1, 3, 2, 4});
  data.strides = {1, 2};
  Graph graph;
  add_constant(graph, "w", data);
  CHECK(print(graph).find("{1, 2, 3, 4}") != std::string::npos);
}

TEST_CASE("attributes print if their type has a printer") {
  struct Note {
    std::string text;
  };
  Graph graph;
  graph.attributes["note"] = Note{"hello # there"};
  CHECK(print(graph).find("note") == std::string::npos);
  register_attribute_printer(
      typeid(Note),
      {"note", [](const std::any& value) { return std::any_cast<const Note&>(value).text; },
       [](std::string_view text) { return std::any(Note{std::string(text)}); }});
  const std::string text = print(graph);
  CHECK(text.find("  attribute note: note = hello # there\n") != std::string::npos);
  CHECK(print(parse(text)) == text);
}

TEST_CASE("call numbers that the text omits are counted") {
  const Graph graph = parse(R"(graph model(%x: f32[1]) -> (%c as "y") {
    %a: f32[1] = aten::relu(self=%x)
    %b: f32[1] = aten::relu_(self=%a)
    %c: f32[1] = aten::add.Tensor(self=%a, other=%b, alpha=1)  # not counted with relu
  })");
  CHECK(graph.nodes[0].call == 0);
  CHECK(graph.nodes[1].call == 1);
  CHECK(graph.nodes[2].call == 0);
}

TEST_CASE("names with other characters are quoted") {
  for (const std::string name : {"two words", "a-b", "\"", "x=1", "\xC3\xBC"}) {
    CAPTURE(name);
    Graph graph = parse("graph model(%x: f32[1]) -> (%x as \"y\") {\n}\n");
    graph.values[0].name = name;
    const std::string text = print(graph);
    CHECK_EQ(parse(text).values[0].name, name);
    CHECK_EQ(print(parse(text)), text);
  }
}

TEST_CASE("both parts of a complex number are numbers") {
  for (const char* number : {"complex(x, 1.0)", "complex(1.0, x)", "complex(1.0)"})
    CHECK_NE(syntax_error(cat("graph model() -> () {\n  const %a: c64[1] = {", number, "}\n}\n"))
                 .find("error[ir-syntax]"),
             std::string::npos);
}

TEST_CASE("syntax errors show the place") {
  CHECK(syntax_error("graph model(%x: f32[1]) -> (%y as \"y\") {\n"
                     "  %y: f32[1] = aten::relu(self=%z)\n}\n") ==
        "error[ir-syntax]: line 2, column 32: the value '%z' is not defined\n"
        "  --> text:2:32\n"
        "   |  %y: f32[1] = aten::relu(self=%z)\n"
        "   |                               ^\n");
  CHECK(syntax_error("graph model() -> () {\n  const %a: f31[2] = {1.0}\n}\n") ==
        "error[ir-syntax]: line 2, column 13: 'f31' is not a dtype\n"
        "  --> text:2:13\n"
        "   |  const %a: f31[2] = {1.0}\n"
        "   |            ^^^\n");
}

TEST_CASE("every mistake has a message of its own") {
  const auto body = [](const std::string& line) {
    return syntax_headline("graph m(%x: f32[1]) -> () {\n" + line + "\n}\n");
  };
  CHECK(syntax_headline("") == "line 1, column 1: expected 'graph'");
  CHECK(syntax_headline("graph m() -> () {} x") ==
        "line 1, column 20: expected the end of the text");
  CHECK(syntax_headline("graph m() -> (%y as \"y\") {}") ==
        "line 1, column 15: the value '%y' is not defined");
  CHECK(body("const %x: f32[] = {1.0}") == "line 2, column 8: the value '%x' is defined twice");
  CHECK(body("const %c: f32[2] = {1.0}") == "line 2, column 24: 1 values for 2 elements");
  CHECK(body("const %c: i8[1] = {300}") == "line 2, column 20: '300' is not a valid i8");
  CHECK(body("const %c: f32[S] = {}") ==
        "line 2, column 18: the sizes of a constant must be integers");
  CHECK(body("const %c: f32[9999999999,9999999999] = bytes=0").find("too large") !=
        std::string::npos);
  CHECK(body("const %c: f32[0,9999999999,9999999999] = {}").find("too large") != std::string::npos);
  CHECK(body("const %c: f32[2] = bytes=9") == "line 2, column 26: this constant has 8 bytes");
  CHECK(body("%y: f32[1] = aten::relu(self=[1, true])") ==
        "line 2, column 38: the items of a list must have the same type");
  CHECK(body("%y: f32[1] = aten::relu(self=%x) as tanh_0") ==
        "line 2, column 37: expected 'relu_'");
  CHECK(body("%y: f32[1] = aten::relu(self=%x) !2") ==
        "line 2, column 35: source !2 is not defined");
  CHECK(body("%y: f32[1] = aten::relu(self=\"a)") == "line 2, column 30: the string does not end");
  CHECK(body("%y: f32[1] = aten::relu(self=$)") ==
        "line 2, column 30: cannot read the size expression '$'");
  CHECK(body("attribute a: b = c") == "line 2, column 14: unknown attribute kind 'b'");
  CHECK(body("attribute s: sizes = S").find("expected sizes such as 'S=7, T=3', not 'S'") !=
        std::string::npos);
  CHECK(body("what") ==
        "line 2, column 1: expected an operation, '@', 'const', 'attribute', 'source' or '}'");
  CHECK(body("%y: f32[1] = test::op(a=" + std::string(5000, '(') + ")").find("too deeply") !=
        std::string::npos);
  CHECK(body("@A:\n@B:") == "line 3, column 1: the scopes above have the root 'A'");
}

TEST_CASE("text that ends anywhere is an error, never a crash") {
  for (size_t length = 0; length + 2 < kResNet.size(); ++length)
    CHECK_THROWS_AS(parse(kResNet.substr(0, length)), Error);
}

TEST_CASE("50,000 operations print and parse") {
  const Graph graph = relu_chain(50'000);
  const std::string text = print(graph);
  const Graph again = parse(text);
  CHECK(again.nodes.size() == 50'000);
  CHECK(print(again) == text);
}

}  // namespace
}  // namespace t2n::ir
