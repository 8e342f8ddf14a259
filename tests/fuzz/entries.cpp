// SPDX-License-Identifier: Apache-2.0
// Touches every value that is handed out: a view past the end must not go unnoticed.
#include "tests/fuzz/entries.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/nnef/artefact.h"
#include "src/nnef/parser.h"
#include "src/pt2/read_program.h"
#include "src/pt2/sizes.h"

namespace t2n::nnef {
namespace {

using ByteView = std::span<const std::byte>;

[[noreturn]] void give_up(const char* what, std::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

/// Runs `read`; false if it refuses with one of the allowed ids.
template <typename Read>
bool accepted(std::initializer_list<std::string_view> allowed, Read read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string& id = error.diagnostic().id;
    if (std::find(allowed.begin(), allowed.end(), id) == allowed.end())
      give_up("not an error of a reader", error.what());
    return false;
  }
}

/// Memory of its own, of just this size: sanitizers see what lies behind it.
Content owned(ByteView bytes) {
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  copy->shrink_to_fit();
  return {*copy, copy};
}

std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_tensor(const StoredTensor& tensor) {
  const auto size = static_cast<size_t>(ir::dtype_size(tensor.values.dtype));
  if (tensor.values.bytes.size() != static_cast<size_t>(tensor.values.elements()) * size)
    give_up("a tensor of the wrong size", tensor.item);
  unsigned sum = 0;
  for (const std::byte value : tensor.values.bytes) sum += std::to_integer<unsigned>(value);
  static volatile unsigned sink = 0;
  sink = sink + sum;
}

/// What is printed reads back and prints the same; only the parentheses that it got may nest too
/// deeply for the reader.
template <typename Reprint>
void check_again(const std::string& printed, Reprint reprint) {
  std::string again;
  try {
    again = reprint(printed);
  } catch (const Error& error) {
    if (!error.diagnostic().message.starts_with("nested more than"))
      give_up("printed unreadably", printed + error.what());
    return;
  }
  if (printed != again) give_up("printed differently the second time", printed + again);
}

/// The writer has no other arguments in graph.quant.
bool all_are_named(const std::vector<QuantEntry>& entries) {
  for (const QuantEntry& entry : entries)
    for (const Argument& argument : entry.invocation.arguments)
      if (argument.name.empty()) return false;
  return true;
}

}  // namespace

void fuzz_graph(ByteView bytes) {
  Document document;
  if (!accepted({"nnef-syntax"}, [&] { document = parse_document(as_text(bytes), "graph.nnef"); }))
    return;
  check_again(print(document),
              [](std::string_view text) { return print(parse_document(text, "printed.nnef")); });
}

void fuzz_quant(ByteView bytes) {
  std::vector<QuantEntry> entries;
  if (!accepted({"nnef-syntax"}, [&] { entries = parse_quant(as_text(bytes), "graph.quant"); }))
    return;
  if (!all_are_named(entries)) return;
  check_again(print_quant(entries), [](std::string_view text) {
    return print_quant(parse_quant(text, "printed.quant"));
  });
}

void fuzz_dat(ByteView bytes) {
  const Content file = owned(bytes);
  accepted({"nnef-syntax", "memory-limit"}, [&] { check_tensor(read_stored(file, "w.dat")); });
}

void fuzz_artefact(ByteView bytes) {
  const Content file = owned(bytes);
  accepted({"nnef-syntax", "nnef-invalid", "memory-limit"}, [&] {
    for (const StoredTensor& tensor : read_artefact(file, "m.nnef.tgz").tensors)
      check_tensor(tensor);
  });
}

void fuzz_program(ByteView bytes) {
  const std::initializer_list<std::string_view> errors = {"model-corrupt", "model-format",
                                                          "model-too-new"};
  const std::string record = "models/model.json";
  accepted(errors, [&] { pt2::read_payloads(as_text(bytes), record); });
  accepted(errors, [&] {
    const pt2::Program program = pt2::read_program(as_text(bytes), record);
    std::vector<std::string> sizes;
    for (const auto& [name, meta] : program.graph.tensors)
      for (const pt2::Size& size : meta.sizes)
        if (const auto* text = std::get_if<std::string>(&size))
          sizes.push_back(pt2::size_text(*text));
    pt2::assertions_on(sizes, program);
    for (const std::string& guard : program.guards)
      pt2::guard_text(guard, [](const std::string& argument, size_t) { return argument; });
  });
}

void mend_checksums(std::span<std::byte> tar) {
  constexpr size_t kBlock = 512;
  constexpr size_t kField = 148;
  for (size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    const std::span<std::byte> header = tar.subspan(at, kBlock);
    if (as_text(header).substr(257, 5) != "ustar") continue;
    std::fill_n(header.begin() + kField, 8, std::byte{' '});
    unsigned sum = 0;
    for (const std::byte value : header) sum += std::to_integer<unsigned>(value);
    char digits[8] = {};
    std::snprintf(digits, sizeof digits, "%06o", sum);
    digits[7] = ' ';
    std::memcpy(header.data() + kField, digits, sizeof digits);
  }
}

}  // namespace t2n::nnef
