// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/sniff.h"

#include <algorithm>
#include <cstdint>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::model_file {
namespace {

constexpr const char* kHowToSave =
    "save a TorchScript file: torch.jit.trace(model.eval(), example_inputs).save('model.pt')";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

/// Other kinds of files, by the bytes at an offset.
struct OtherKind {
  size_t at;
  std::string_view magic;
  std::string_view name;
  bool is_program;  ///< a model, not only weights or values
};
constexpr OtherKind kKinds[] = {
    {0, "GGUF", "a GGUF file of llama.cpp", false},
    {0, "\x89HDF\r\n", "an HDF5 file, as Keras writes", false},
    {0, "\x93NUMPY", "a .npy file of numpy", false},
    {4, "TFL3", "a TensorFlow Lite model", true},
    {4, "ET12", "an ExecuTorch program", true},
};

/// A length of 8 bytes, then a JSON object.
bool is_safetensors(std::string_view head) {
  constexpr size_t kLength = 8;
  return head.size() > kLength && head[kLength] == '{' &&
         head.substr(kLength / 2, kLength / 2) == std::string_view("\0\0\0\0", kLength / 2);
}

/// A protocol buffer whose first field is a small version, followed by the producer, its version,
/// the graph or the opset.
bool is_onnx(std::string_view head) {
  constexpr char kMostVersion = 64;
  return head.size() > 2 && head[0] == '\x08' && head[1] > 0 && head[1] < kMostVersion &&
         std::string_view("\x12\x1a\x3a\x42").find(head[2]) != std::string_view::npos;
}

/// Refuses a model of another framework, or a file of weights or values.
void refuse_other_kind(std::string_view head, const std::string& path) {
  OtherKind found{0, {}, {}, false};
  for (const OtherKind& kind : kKinds)
    if (head.size() > kind.at && head.substr(kind.at).starts_with(kind.magic)) found = kind;
  if (is_safetensors(head)) found.name = "a safetensors file";
  if (is_onnx(head)) found = {0, {}, "an ONNX model", true};
  if (found.name.empty()) return;
  throw Error("model-format", cat(quoted(path), " is ", found.name, ", not a TorchScript file"),
              found.is_program ? "" : "it contains weights or values, not a program",
              found.is_program
                  ? cat("start from the PyTorch model and ", kHowToSave)
                  : cat("load it into the PyTorch model in Python, then ", kHowToSave));
}

bool has_record(const std::vector<std::string>& records, std::string_view name) {
  return std::find(records.begin(), records.end(), name) != records.end();
}

}  // namespace

void sniff_bytes(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view head = text_of(bytes.first(std::min<size_t>(bytes.size(), 512)));
  if (head.starts_with("PK\x03\x04")) return;
  if (head.starts_with("version https://git-lfs"))
    throw Error("model-format", cat(quoted(path), " is a Git LFS pointer, not the model itself"),
                "only the pointer was checked out", "run `git lfs pull` and try again");
  if (head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    throw Error("model-format", cat(quoted(path), " is a Python pickle of torch.save's old format"),
                "it contains Python objects, not a program; t2nnef does not run Python",
                kHowToSave);
  refuse_other_kind(head, path);
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    throw Error("model-format", cat(quoted(path), " is a tar archive, not a TorchScript file"), {},
                kHowToSave, std::string(kUnknownKind));
  if (is_text(head))
    throw Error("model-format", cat(quoted(path), " is a text file, not a TorchScript file"), {},
                kHowToSave, std::string(kUnknownKind));
  throw Error("model-format", cat(quoted(path), " is not a TorchScript file"),
              "a TorchScript file is a zip archive; this one starts with other bytes", kHowToSave,
              std::string(kUnknownKind));
}

void sniff_records(const std::vector<std::string>& records, std::string_view pickle_head,
                   const std::string& path) {
  if (has_record(records, "constants.pkl") && has_record(records, "data.pkl")) return;
  for (const char* const record : {kExportedFormat, kOldExportedProgram})
    if (has_record(records, record)) return;
  if (has_record(records, "data.pkl")) {
    const size_t dict = pickle_head.find("collections\nOrderedDict");
    const size_t first_global = pickle_head.find('c');
    const bool state =
        pickle_head.size() > 2 &&
        (pickle_head[2] == '}' || (dict != std::string_view::npos && dict == first_global + 1));
    if (state)
      throw Error("model-format", cat(quoted(path), " is a state_dict: weights without a program"),
                  "it was written by torch.save(model.state_dict(), …)",
                  cat("`t2nnef tensors` writes the weights alone; or load them into the model "
                      "in Python, then ",
                      kHowToSave));
    if (pickle_head.size() > 2 && pickle_head.substr(2).starts_with("ctorch._utils\n_rebuild_"))
      throw Error("model-format", cat(quoted(path), " contains saved tensors, not a model"),
                  "it was written by torch.save(tensor, …)",
                  cat("as a sample: --input x=@", path, "; for a model, ", kHowToSave));
    throw Error("model-format",
                cat(quoted(path), " is a pickled module, which needs its Python source"),
                "it was written by torch.save(model, …)",
                cat("load it in Python with torch.load, then ", kHowToSave));
  }
  throw Error("model-format", cat(quoted(path), " is a zip archive, but not one of torch.jit.save"),
              {}, kHowToSave, std::string(kUnknownKind));
}

namespace {

/// The digits after `prefix`; "" if there are none.
std::string number_after(std::string_view text, std::string_view prefix) {
  const size_t at = text.find(prefix);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + prefix.size());
  return std::string(rest.substr(0, std::min(rest.size(), rest.find_first_not_of("0123456789"))));
}

}  // namespace

void refuse_archive(const std::string& message, const std::string& path) {
  const std::string line = first_line(message);
  if (line.find("minimum supported version") != std::string::npos)
    throw Error("model-corrupt", cat(quoted(path), " has a format version that no PyTorch wrote"),
                "formats begin with version 1", "was it saved or downloaded completely?");
  const std::string version = number_after(line, "version ");
  const std::string known = number_after(line, "reading is ");
  if (!version.empty() && !known.empty())
    throw Error(
        "model-too-new",
        cat(quoted(path), " is of format version ", version, "; this t2nnef reads up to ", known),
        "it was saved by a newer PyTorch", "use a newer t2nnef, or save with an older PyTorch");
  throw Error("model-corrupt", cat(quoted(path), " is damaged or not complete"),
              line.substr(0, line.find(". ")),
              "was it saved or downloaded completely? compare its size with the original");
}

}  // namespace t2n::model_file
