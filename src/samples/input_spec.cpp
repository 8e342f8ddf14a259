// SPDX-License-Identifier: Apache-2.0
// One function per form of `--input`.
#include "src/samples/input_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/files.h"
#include "src/nnef/npy.h"
#include "src/nnef/npz.h"

namespace t2n {
namespace {

using ir::DType;

constexpr const char* kExamples =
    "write x=1,3,224,224,f32 or ids=1,8,i64:0..999 for a shape, x=@x.npy or @all.npz for values, "
    "n=int:3 for a number";

/// A spec being parsed: its full text, for errors, and the text after '='.
struct Spec {
  std::string_view text;
  std::string_view value;
};

[[noreturn]] void refuse(const Spec& spec, std::string why, std::string help = kExamples) {
  throw Error("usage", cat("cannot read the input ", quoted(spec.text)), std::move(why),
              std::move(help));
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

/// The parts between separators; none for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

/// Removes the first part of the path in `rest`: "pair", ".key" or "[0]". "" if malformed.
std::string_view take_part(std::string_view& rest, bool first) {
  const bool in_brackets = !first && rest.starts_with('[');
  if (!first && !in_brackets && !rest.starts_with('.')) return {};
  if (!first) rest.remove_prefix(1);
  const size_t end = std::min(rest.find_first_of(in_brackets ? "]" : ".["), rest.size());
  if (in_brackets && end == rest.size()) return {};
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end + (in_brackets ? 1 : 0));
  return part;
}

/// "pair[0].key" -> pair, 0, key.
std::vector<std::string> parse_path(std::string_view name, const Spec& spec) {
  std::vector<std::string> path;
  std::string_view rest = name;
  do {
    const std::string_view part = take_part(rest, path.empty());
    if (part.empty()) refuse(spec, cat(quoted(name), " is not a valid name of an input"));
    path.emplace_back(part);
  } while (!rest.empty());
  return path;
}

/// Other tools' names of dtypes.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"float", "f32"},      {"float32", "f32"},     {"double", "f64"},    {"float64", "f64"},
    {"half", "f16"},       {"float16", "f16"},     {"bfloat16", "bf16"}, {"int", "i64"},
    {"long", "i64"},       {"int64", "i64"},       {"int32", "i32"},     {"int16", "i16"},
    {"short", "i16"},      {"int8", "i8"},         {"uint8", "u8"},      {"byte", "u8"},
    {"boolean", "bool"},   {"None", "none"},       {"complex64", "c64"}, {"complex128", "c128"},
    {"True", "bool:true"}, {"False", "bool:false"}};

std::string known_dtypes() {
  std::string out;
  for (int i = 0; i <= static_cast<int>(DType::c128); ++i)
    out += cat(i == 0 ? "" : ", ", ir::dtype_name(static_cast<DType>(i)));
  return out;
}

/// "2x4" -> "2,4": sizes as other tools write them; "" for other text.
std::string sizes_with_commas(std::string_view text) {
  if (text.find('x') == std::string_view::npos) return {};
  std::string out;
  for (const std::string_view size : split(text, 'x')) {
    if (!parse_number<int64_t>(size)) return {};
    out += cat(out.empty() ? "" : ",", size);
  }
  return out;
}

/// Refuses a `token` that is neither a size nor a dtype.
[[noreturn]] void refuse_token(const Spec& spec, std::string_view token) {
  std::vector<std::string> known{"none"};
  for (int i = 0; i <= static_cast<int>(DType::c128); ++i)
    known.emplace_back(ir::dtype_name(static_cast<DType>(i)));
  if (token == "SHAPE") refuse(spec, "SHAPE stands for sizes", "write for example 1,16");
  if (const std::string sizes = sizes_with_commas(token); !sizes.empty())
    refuse(spec, "commas separate the sizes", cat("write ", sizes));
  std::string near = nearest(token, known);
  for (const auto& [other, ours] : kOtherNames)
    if (other == token) near = ours;
  if (!token.empty() && near == token)
    refuse(spec, cat(quoted(token), " is among the sizes"), "the dtype comes after the last size");
  refuse(spec, cat(quoted(token), " is neither a size nor a dtype; dtypes are ", known_dtypes()),
         near.empty() ? kExamples : cat("did you mean ", quoted(near), "?"));
}

std::pair<int64_t, int64_t> limits_of(DType dtype) {
  if (dtype == DType::u64) return {0, std::numeric_limits<int64_t>::max()};
  const auto bits = static_cast<unsigned>(8 * ir::dtype_size(dtype));
  const bool is_signed = dtype >= DType::i8;
  const uint64_t span = is_signed ? uint64_t{1} << (bits - 1) : uint64_t{1} << bits;
  const auto high = static_cast<int64_t>(span - 1);
  return {is_signed ? -high - 1 : 0, high};
}

/// "0.1..1", both inclusive.
FloatRange parse_float_range(std::string_view text, const Spec& spec) {
  const size_t dots = text.find("..");
  const auto low = parse_number<double>(text.substr(0, dots));
  const auto high =
      dots == std::string_view::npos ? std::nullopt : parse_number<double>(text.substr(dots + 2));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high - *low))
    refuse(spec, cat(quoted(text), " is not a range such as 0.1..1"));
  if (*low > *high) refuse(spec, cat("the range ", quoted(text), " is empty"));
  return {*low, *high};
}

/// "0..999", both inclusive.
trace::IntegerRange parse_range(std::string_view text, DType dtype, const Spec& spec) {
  if (!ir::is_integer(dtype)) refuse(spec, "only integers and floats have a range");
  const size_t dots = text.find("..");
  const auto low = parse_number<int64_t>(text.substr(0, dots));
  const auto high =
      dots == std::string_view::npos ? std::nullopt : parse_number<int64_t>(text.substr(dots + 2));
  if (!low || !high) refuse(spec, cat(quoted(text), " is not a range such as 0..999"));
  const auto [least, most] = limits_of(dtype);
  int64_t span = 0;
  if (*low > *high) refuse(spec, cat("the range ", quoted(text), " is empty"));
  if (*low < least || *high > most)
    refuse(spec, cat("the range ", quoted(text), " exceeds the range of ", ir::dtype_name(dtype)));
  if (*high == std::numeric_limits<int64_t>::max() ||
      __builtin_sub_overflow(*high + 1, *low, &span))
    refuse(spec, cat("the range ", quoted(text), " is too wide"));
  return {*low, *high + 1};
}

/// Refuses inputs larger than a TiB.
void check_size(const ir::Ints& shape, DType dtype, const Spec& spec) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t bytes = ir::dtype_size(dtype);
  for (const int64_t size : shape)
    if (size > 0 && (__builtin_mul_overflow(bytes, size, &bytes) || bytes > kMost))
      refuse(spec, "a tensor of this shape does not fit into memory", "check the sizes");
}

/// A size, or an error with suggestions.
int64_t parse_size(std::string_view token, const Spec& spec) {
  const auto size = parse_number<int64_t>(token);
  if (!size) refuse_token(spec, token);
  if (*size < 0) refuse(spec, cat(*size, " is not a valid size"));
  return *size;
}

/// "1,3,f32", "f32", "[1,3],f32", "[]": the tokens between commas.
std::vector<std::string_view> shape_tokens(std::string_view text, const Spec& spec) {
  if (!text.starts_with('[')) return split(text, ',');
  const size_t close = text.find(']');
  if (close == std::string_view::npos) refuse(spec, "the ']' is missing");
  std::vector<std::string_view> tokens = split(text.substr(1, close - 1), ',');
  const std::string_view suffix = text.substr(close + 1);
  if (suffix.empty()) return tokens;
  if (suffix[0] != ',') refuse(spec, "a ',' is missing after the ']'");
  if (!ir::parse_dtype(suffix.substr(1))) refuse_token(spec, suffix.substr(1));
  tokens.push_back(suffix.substr(1));
  return tokens;
}

/// "1,3,224,224,f32", "1,8,i64:0..999".
Sample parse_shape(const Spec& spec, std::vector<std::string> path) {
  const size_t colon = spec.value.find(':');
  std::vector<std::string_view> tokens = shape_tokens(spec.value.substr(0, colon), spec);
  ir::Tensor tensor;
  if (!tokens.empty()) {
    if (const auto dtype = ir::parse_dtype(tokens.back())) {
      tensor.dtype = *dtype;
      tokens.pop_back();
    }
  }
  for (const std::string_view token : tokens) tensor.shape.push_back(parse_size(token, spec));
  check_size(tensor.shape, tensor.dtype, spec);
  tensor.strides = ir::contiguous_strides(tensor.shape);
  Sample out{{std::move(path), std::move(tensor)}, std::nullopt};
  if (colon == std::string_view::npos) return out;
  const DType dtype = std::get<ir::Tensor>(out.input.value).dtype;
  const std::string_view range = spec.value.substr(colon + 1);
  if (ir::is_float(dtype))
    out.float_range = parse_float_range(range, spec);
  else
    out.range = parse_range(range, dtype, spec);
  return out;
}

trace::Leaf integer_leaf(std::string_view text, const Spec& spec) {
  const auto value = parse_number<int64_t>(text);
  if (!value) refuse(spec, cat(quoted(text), " is not an integer"), "write for example n=int:3");
  return *value;
}

trace::Leaf float_leaf(std::string_view text, const Spec& spec) {
  const auto value = parse_number<double>(text);
  if (!value) refuse(spec, cat(quoted(text), " is not a number"), "write for example f=float:0.5");
  return *value;
}

trace::Leaf bool_leaf(std::string_view text, const Spec& spec) {
  if (text != "true" && text != "false")
    refuse(spec, cat(quoted(text), " is neither true nor false"), "write for example b=bool:true");
  return text == "true";
}

trace::Leaf string_leaf(std::string_view text, const Spec& /*spec*/) { return std::string(text); }

/// The value of an argument that is no tensor; nothing if the spec is not of that form.
std::optional<trace::Leaf> parse_leaf(const Spec& spec) {
  using Parse = trace::Leaf (*)(std::string_view, const Spec&);
  constexpr std::pair<std::string_view, Parse> kKinds[] = {
      {"int:", integer_leaf}, {"float:", float_leaf}, {"bool:", bool_leaf}, {"str:", string_leaf}};
  if (spec.value == "none") return ir::None{};
  for (const auto& [prefix, parse] : kKinds)
    if (spec.value.starts_with(prefix)) return parse(spec.value.substr(prefix.size()), spec);
  return std::nullopt;
}

std::string suffix_of(std::string_view file) {
  return std::filesystem::path(file).extension().string();
}

[[noreturn]] void refuse_suffix(const Spec& spec, std::string_view file) {
  refuse(spec, cat(quoted(file), " is not a .npy, .npz, .pt or .pth file"),
         "save values with numpy.save, numpy.savez or torch.save");
}

Sample with_values(std::vector<std::string> path, trace::Leaf value) {
  return {{std::move(path), std::move(value)}, std::nullopt};
}

/// The array `name` of an archive, or its only array.
ir::Tensor array_for(std::string_view name, std::string_view file, const Spec& spec) {
  auto arrays = nnef::read_npz(std::filesystem::path(file));
  std::string names;
  for (nnef::NamedTensor& array : arrays) {
    if (array.name == name || arrays.size() == 1) return std::move(array.value);
    names += cat(names.empty() ? "" : ", ", array.name);
  }
  refuse(spec, cat(quoted(file), " has no array ", quoted(name), "; its arrays are: ", names),
         cat("use all of them with @", file));
}

/// x=@file
Sample parse_file_of_one(std::string_view name, std::string_view file, const Spec& spec) {
  std::vector<std::string> path = parse_path(name, spec);
  const std::string suffix = suffix_of(file);
  if (suffix == ".npy")
    return with_values(std::move(path), nnef::read_npy(std::filesystem::path(file)));
  if (suffix == ".npz") return with_values(std::move(path), array_for(name, file, spec));
  if (suffix != ".pt" && suffix != ".pth") refuse_suffix(spec, file);
  auto saved = torch_module().read_saved(std::string(file));
  if (saved.size() != 1)
    refuse(spec, cat(quoted(file), " holds ", saved.size(), " values, not one"),
           cat("use all of them with @", file));
  return with_values(std::move(path), std::move(saved[0].value));
}

/// numpy names arrays arr_0, arr_1 by default.
std::string array_name(const std::string& name) {
  const bool is_position = name.starts_with("arr_") && parse_number<int64_t>(name.substr(4));
  return is_position ? "input_" + name.substr(4) : name;
}

/// `output_0`, `output_1_k`: results stored next to the inputs, unlike an argument `output_mask`.
bool is_kept_result(std::string_view name) {
  constexpr std::string_view kPrefix = "output_";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::isdigit(static_cast<unsigned char>(name[kPrefix.size()])) != 0;
}

std::vector<Sample> samples_of_npz(std::string_view file, const Spec& spec) {
  std::vector<Sample> out;
  for (nnef::NamedTensor& array : nnef::read_npz(std::filesystem::path(file)))
    if (!is_kept_result(array.name)) {
      out.push_back(with_values(parse_path(array_name(array.name), spec), std::move(array.value)));
      out.back().file = file;
    }
  if (out.empty()) refuse(spec, cat(quoted(file), " holds no inputs"));
  return out;
}

/// Entries of a dict have names, those of lists and tuples have numbers. If some are nested, the
/// first number is the index of an argument.
std::vector<Sample> samples_of_saved(std::string_view file) {
  std::vector<Sample> out;
  std::vector<trace::SampleInput> values = torch_module().read_saved(std::string(file));
  const bool are_nested = std::any_of(values.begin(), values.end(), [](const auto& saved) {
    constexpr size_t kFlat = 2;
    return saved.path[0] == "input" && saved.path.size() > kFlat;
  });
  for (trace::SampleInput& saved : values) {
    if (saved.path.size() > 1 && saved.path[0] == "input" && !are_nested)
      saved.path = {cat("input_", out.size())};
    out.push_back({std::move(saved), std::nullopt});
  }
  return out;
}

/// @file
std::vector<Sample> parse_file(std::string_view file, const Spec& spec) {
  const std::string suffix = suffix_of(file);
  if (suffix == ".npz") return samples_of_npz(file, spec);
  if (suffix == ".pt" || suffix == ".pth") return samples_of_saved(file);
  if (suffix == ".npy")
    refuse(spec, "an .npy file does not name its input", cat("write NAME=@", file));
  refuse_suffix(spec, file);
}

std::vector<Sample> parse_input(std::string_view text) {
  Spec spec{text, text};
  if (text.starts_with('@')) return parse_file(text.substr(1), spec);
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    if (text.ends_with(".npz")) return parse_file(text, spec);
    refuse(spec, "it has no '='");
  }
  const std::string_view name = text.substr(0, equals);
  spec.value = text.substr(equals + 1);
  if (spec.value.empty()) refuse(spec, "there is nothing after the '='");
  if (spec.value.starts_with('@')) return {parse_file_of_one(name, spec.value.substr(1), spec)};
  std::vector<std::string> path = parse_path(name, spec);
  if (auto leaf = parse_leaf(spec)) return {with_values(std::move(path), std::move(*leaf))};
  return {parse_shape(spec, std::move(path))};
}

void refuse_second(const std::vector<Sample>& samples, const Sample& added) {
  const std::string name = trace::flat_name(added.input.path);
  const bool known = std::any_of(samples.begin(), samples.end(), [&](const Sample& other) {
    return trace::flat_name(other.input.path) == name;
  });
  if (known) throw Error("usage", cat("the input ", quoted(name), " is given twice"));
}

}  // namespace

std::vector<Sample> parse_inputs(const std::vector<std::string>& specs) {
  std::vector<Sample> out;
  for (const std::string& file : sample_files(specs)) nnef::require_file(file, "input-unreadable");
  for (const std::string& spec : specs)
    for (Sample& sample : parse_input(spec)) {
      refuse_second(out, sample);
      out.push_back(std::move(sample));
    }
  return out;
}

std::vector<std::string> sample_files(const std::vector<std::string>& specs) {
  std::vector<std::string> out;
  for (const std::string& spec : specs) {
    const size_t equals = spec.find('=');
    if (spec.starts_with('@'))
      out.push_back(spec.substr(1));
    else if (equals != std::string::npos && spec.substr(equals + 1).starts_with('@'))
      out.push_back(spec.substr(equals + 2));
    else if (equals == std::string::npos && spec.ends_with(".npz"))
      out.push_back(spec);
  }
  return out;
}

}  // namespace t2n
