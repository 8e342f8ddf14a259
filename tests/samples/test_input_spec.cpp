// SPDX-License-Identifier: Apache-2.0
// Every form of `--input`, and what is said about those that are none.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "src/diag/error.h"
#include "src/samples/input_spec.h"

namespace t2n {
namespace {

using Path = std::vector<std::string>;

/// One spec that gives one sample.
Sample parse(const std::string& spec) {
  const std::vector<Sample> samples = parse_inputs({spec});
  REQUIRE_EQ(samples.size(), 1);
  return samples[0];
}

const ir::Tensor& tensor(const Sample& sample) { return std::get<ir::Tensor>(sample.input.value); }

template <typename T>
T leaf(const std::string& spec) {
  return std::get<T>(parse(spec).input.value);
}

/// "x f32[1,3]"
std::string described(const std::string& spec) {
  const Sample sample = parse(spec);
  const ir::Tensor& value = tensor(sample);
  CHECK(value.bytes.empty());
  CHECK_EQ(value.strides, ir::contiguous_strides(value.shape));
  return cat(trace::flat_name(sample.input.path), " ", ir::dtype_name(value.dtype),
             ir::shape_str(ir::to_shape(value.shape)));
}

std::string error_of(const std::vector<std::string>& specs) {
  try {
    parse_inputs(specs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Why and help of an error about one spec.
std::string refusal(const std::string& spec) {
  const std::string text = error_of({spec});
  const std::string headline = cat("error[usage]: cannot read the input ", quoted(spec), "\n");
  CHECK_EQ(text.substr(0, headline.size()), headline);
  return text.substr(std::min(headline.size(), text.size()));
}

std::string fixture(const std::string& name) {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  return cat(source, "/fixtures/", name);
}

/// An .npy file of two f32 values, removed with its owner.
class SmallArray {
 public:
  SmallArray()
      : path_(cat(std::filesystem::temp_directory_path().string(), "/t2n-", getpid(), ".npy")) {
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
    const float values[] = {1, 2};
    file.write(reinterpret_cast<const char*>(values), sizeof values);
  }
  ~SmallArray() { std::filesystem::remove(path_); }
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("shapes and dtypes") {
  CHECK_EQ(described("x=1,3,224,224,f32"), "x f32[1,3,224,224]");
  CHECK_EQ(described("x=1,3"), "x f32[1,3]");
  CHECK_EQ(described("x=7"), "x f32[7]");
  CHECK_EQ(described("x=0,4,i8"), "x i8[0,4]");
  CHECK_EQ(described("x=f32"), "x f32[]");
  CHECK_EQ(described("x=[],f32"), "x f32[]");
  CHECK_EQ(described("x=[]"), "x f32[]");
  CHECK_EQ(described("x=[2,3],bool"), "x bool[2,3]");
  CHECK_EQ(described("x=[2,3,bool]"), "x bool[2,3]");
}

TEST_CASE("ranges of integers are inclusive as written and half open as kept") {
  CHECK(parse("ids=1,8,i64:0..999").range == trace::IntegerRange{0, 1000});
  CHECK(parse("ids=8,i32:-5..5").range == trace::IntegerRange{-5, 6});
  CHECK(parse("ids=8,u8:0..255").range == trace::IntegerRange{0, 256});
  CHECK(parse("ids=8,i16:-32768..32767").range == trace::IntegerRange{-32768, 32768});
  CHECK(parse("ids=i64:7..7").range == trace::IntegerRange{7, 8});
  CHECK_FALSE(parse("ids=8,i64").range.has_value());
}

TEST_CASE("nested places") {
  CHECK_EQ(parse("d.key=1").input.path, Path{"d", "key"});
  CHECK_EQ(parse("pair.0=1").input.path, Path{"pair", "0"});
  CHECK_EQ(parse("pair[0]=1").input.path, Path{"pair", "0"});
  CHECK_EQ(parse("a[1].b[2]=1").input.path, Path{"a", "1", "b", "2"});
  CHECK_EQ(parse("pair_0=1").input.path, Path{"pair_0"});
  for (const std::string name : {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[0", "a[0]b", "[0]"}) {
    CAPTURE(name);
    CHECK(refusal(name + "=1")
              .starts_with(cat("  why:  '", name, "' is not a valid name of an input\n")));
  }
}

TEST_CASE("arguments that are not tensors") {
  CHECK_EQ(leaf<int64_t>("n=int:3"), 3);
  CHECK_EQ(leaf<int64_t>("n=int:-3"), -3);
  CHECK_EQ(leaf<double>("f=float:0.5"), 0.5);
  CHECK_EQ(leaf<double>("f=float:1e-3"), 1e-3);
  CHECK_EQ(leaf<bool>("b=bool:true"), true);
  CHECK_EQ(leaf<bool>("b=bool:false"), false);
  CHECK_EQ(leaf<std::string>("s=str:a=b:c"), "a=b:c");
  CHECK_EQ(leaf<std::string>("s=str:"), "");
  CHECK(std::holds_alternative<ir::None>(parse("n=none").input.value));
  CHECK(refusal("n=int:3.5").starts_with("  why:  '3.5' is not an integer\n"));
  CHECK(refusal("n=float:x").starts_with("  why:  'x' is not a number\n"));
  CHECK(refusal("n=bool:1").starts_with("  why:  '1' is neither true nor false\n"));
}

TEST_CASE("refusals") {
  const std::string examples =
      "  help: write x=1,3,224,224,f32 or ids=1,8,i64:0..999 for a shape, x=@x.npy or @all.npz for "
      "values, n=int:3 for a number\n";
  const std::string dtypes =
      "dtypes are bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, c64, c128\n";
  CHECK_EQ(refusal("x"), "  why:  it has no '='\n" + examples);
  CHECK_EQ(refusal(""), "  why:  it has no '='\n" + examples);
  CHECK_EQ(refusal("x="), "  why:  there is nothing after the '='\n" + examples);
  CHECK_EQ(refusal("x=1,3,float32"), "  why:  'float32' is neither a size nor a dtype; " + dtypes +
                                         "  help: did you mean 'f32'?\n");
  CHECK_EQ(refusal("x=1,3,bol"), "  why:  'bol' is neither a size nor a dtype; " + dtypes +
                                     "  help: did you mean 'bool'?\n");
  CHECK_EQ(refusal("x=None").substr(refusal("x=None").find("  help")),
           "  help: did you mean 'none'?\n");
  CHECK_EQ(refusal("x=1x3"), "  why:  commas separate the sizes\n  help: write 1,3\n");
  CHECK_EQ(refusal("x=1y3"), "  why:  '1y3' is neither a size nor a dtype; " + dtypes + examples);
}

TEST_CASE("refused shapes and ranges") {
  const auto why = [](const std::string& spec) {
    const std::string text = refusal(spec);
    return text.substr(8, text.find('\n') - 8);
  };
  CHECK_EQ(why("x=1,-3"), "-3 is not a valid size");
  CHECK(why("x=1,,3").starts_with("'' is neither a size nor a dtype"));
  CHECK(why("x=1,3,").starts_with("'' is neither a size nor a dtype"));
  CHECK_EQ(why("x=f32,1"), "'f32' is among the sizes");
  CHECK(why("x=[1,3],5").starts_with("'5' is neither a size nor a dtype"));
  CHECK_EQ(why("x=[1,3"), "the ']' is missing");
  CHECK_EQ(why("x=[1,3]f32"), "a ',' is missing after the ']'");
  CHECK_EQ(why("x=99999999999,99999999999"), "a tensor of this shape does not fit into memory");
  CHECK_EQ(why("x=1,bool:0..1"), "only integers and floats have a range");
  CHECK_EQ(why("x=1,f32:0.1"), "'0.1' is not a range such as 0.1..1");
  CHECK_EQ(why("x=1,f32:1..0.5"), "the range '1..0.5' is empty");
  CHECK_EQ(why("x=1,i64:0-9"), "'0-9' is not a range such as 0..999");
  CHECK_EQ(why("x=1,i64:"), "'' is not a range such as 0..999");
  CHECK_EQ(why("x=1,i64:9..0"), "the range '9..0' is empty");
  CHECK_EQ(why("x=1,u8:0..256"), "the range '0..256' exceeds the range of u8");
  CHECK_EQ(why("x=1,u8:-1..2"), "the range '-1..2' exceeds the range of u8");
  CHECK_EQ(why("x=1,i64:0..9223372036854775807"), "the range '0..9223372036854775807' is too wide");
}

TEST_CASE("values from files of numpy") {
  const std::string all = fixture("shared_nested/input.npz");
  const std::vector<Sample> samples = parse_inputs({"@" + all});
  REQUIRE_EQ(samples.size(), 4);
  CHECK_EQ(samples[0].input.path, Path{"x_tokens"});
  CHECK_EQ(tensor(samples[3]).shape, ir::Ints{2, 1, 8});
  CHECK_FALSE(tensor(samples[3]).bytes.empty());

  const SmallArray array;
  const Sample one = parse(cat("d.key=@", array.path()));
  CHECK_EQ(one.input.path, Path{"d", "key"});
  CHECK_EQ(ir::to_f64(tensor(one)), std::vector<double>{1, 2});
  CHECK_EQ(parse(cat("y=@", fixture("digits_cnn/input.npz"))).input.path, Path{"y"});
  CHECK_EQ(tensor(parse(cat("pair_0=@", all))).shape, ir::Ints{8});
  CHECK_EQ(refusal(cat("y=@", all)),
           cat("  why:  '", all, "' has no array 'y'; its arrays are: x_tokens, x_features, ",
               "pair_0, pair_1\n  help: use all of them with @", all, "\n"));
}

TEST_CASE("files that contain no inputs") {
  CHECK_EQ(refusal("@x.npy"),
           "  why:  an .npy file does not name its input\n  help: write NAME=@x.npy\n");
  CHECK_EQ(refusal("@x.csv"),
           "  why:  'x.csv' is not a .npy, .npz, .pt or .pth file\n"
           "  help: save values with numpy.save, numpy.savez or torch.save\n");
  CHECK_EQ(error_of({"x=@nonexistent.npy"}),
           "error[input-unreadable]: cannot read the inputs 'nonexistent.npy'\n"
           "  why:  No such file or directory\n");
}

TEST_CASE("several specs") {
  const std::vector<Sample> samples = parse_inputs({"x=1,f32", "n=int:3"});
  REQUIRE_EQ(samples.size(), 2);
  CHECK_EQ(samples[1].input.path, Path{"n"});
  CHECK(parse_inputs({}).empty());
  CHECK_EQ(error_of({"x=1", "x=2"}), "error[usage]: the input 'x' is given twice\n");
  CHECK_EQ(error_of({"pair_0=1", "pair[0]=2"}),
           "error[usage]: the input 'pair_0' is given twice\n");
}

}  // namespace t2n
