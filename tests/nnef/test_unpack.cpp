// SPDX-License-Identifier: Apache-2.0
// Archives that somebody damaged, or made to do damage.
#include <doctest/doctest.h>

#include <cstring>

#include "nnef_writer/gzip.h"
#include "src/diag/error.h"
#include "src/nnef/artefact.h"
#include "src/nnef/unpack.h"

namespace t2n::nnef {
namespace {

constexpr const char* kGraph =
    "version 1.0; graph g(x) -> (y) { x = external(shape = [1]);"
    " w = variable(label = 'w', shape = [1]); y = add(x, w); }";

/// A member of a ustar archive; type '0' is a file, '1' and '2' are links, '3' is a device.
std::string member(std::string_view name, std::string_view content, char type = '0') {
  std::string out(512, '\0');
  const auto put = [&](size_t offset, std::string_view text) {
    std::copy(text.begin(), text.end(), out.begin() + static_cast<ptrdiff_t>(offset));
  };
  const auto octal = [](size_t value, int digits) {
    std::string text(static_cast<size_t>(digits), '0');
    for (size_t i = text.size(); i-- > 0; value /= 8) text[i] = static_cast<char>('0' + value % 8);
    return text;
  };
  put(0, name);
  put(100, "0000644");
  put(124, octal(content.size(), 11));
  put(136, "00000000000");
  put(148, "        ");
  out[156] = type;
  if (type == '1' || type == '2') put(157, "graph.nnef");
  put(257, std::string_view("ustar\00000", 8));
  size_t sum = 0;
  for (const char c : out) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0');
  out += content;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

std::string tensor_file() {
  std::string out("\x4e\xef\x01\x00\x04\0\0\0\x01\0\0\0\x01\0\0\0", 16);
  out.resize(128);
  out[44] = 32;
  return out + std::string("\0\0\x80\x3f", 4);
}

std::string model() { return member("graph.nnef", kGraph) + member("./w.dat", tensor_file()); }

Content owned_content(const std::string& text) {
  const auto owner = std::make_shared<std::string>(text);
  return {std::as_bytes(std::span(*owner)), owner};
}

std::string unpack_failure(const std::string& archive) {
  try {
    read_artefact(owned_content(archive), "m.tar");
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

const std::string kEnd(1024, '\0');

TEST_CASE("members of a plain tar are views into it") {
  const Content archive = owned_content(model() + kEnd);
  const Artefact artefact = read_artefact(archive, "m.tar");
  REQUIRE(artefact.tensors.size() == 1);
  CHECK(artefact.tensors[0].values.owner == archive.owner);
  CHECK(ir::to_f64(artefact.tensors[0].values) == std::vector<double>{1});
}

TEST_CASE("names that leave the archive") {
  for (const char* name : {"../w.dat", "a/../../w.dat", "/w.dat", "a/.."}) {
    CAPTURE(name);
    CHECK(unpack_failure(model() + member(name, "") + kEnd) ==
          cat("error[nnef-invalid]: 'm.tar' holds a file called '", name,
              "'\n"
              "  why:  names in an archive must be relative paths inside it\n"
              "  help: pack it again from inside its folder: tar -czf MODEL.nnef.tgz *\n"));
  }
}

TEST_CASE("the same name twice") {
  CHECK(unpack_failure(model() + member("w.dat", "") + kEnd) ==
        "error[nnef-invalid]: 'm.tar' holds 'w.dat' twice\n"
        "  why:  it is ambiguous which one to use\n"
        "  help: pack it again with one of them\n");
}

TEST_CASE("links and devices") {
  for (const char type : {'1', '2'})
    CHECK(unpack_failure(model() + member("v.dat", "", type) + kEnd) ==
          "error[nnef-syntax]: 'm.tar' cannot be read as an NNEF model\n"
          "  why:  its entry 'v.dat' is a link\n"
          "  help: pack the files themselves: tar --dereference --hard-dereference\n");
  CHECK(unpack_failure(model() + member("v.dat", "", '3') + kEnd)
            .find("its entry 'v.dat' is not a file") != std::string::npos);
  CHECK(unpack_failure(model() + member("folder/", "", '5') + kEnd) == "read");
}

TEST_CASE("files that are not archives") {
  CHECK(unpack_failure("version 1.0; graph") ==
        "error[nnef-syntax]: 'm.tar' cannot be read as an NNEF model\n"
        "  why:  it is neither a folder nor a tar nor a gzipped tar\n"
        "  help: give the folder that contains graph.nnef, or a .nnef.tgz or .nnef.tar of it\n");
  CHECK(unpack_failure("").find("it is neither") != std::string::npos);
  CHECK(unpack_failure("\x1f\x8b").find("cannot be read") != std::string::npos);
  CHECK(unpack_failure("\x1f\x8b and no more").find("cannot be read") != std::string::npos);
}

TEST_CASE("every shortened and every damaged archive is read or refused") {
  const std::string whole = model() + kEnd;
  for (size_t length = 0; length < whole.size(); length += 7)
    unpack_failure(whole.substr(0, length));
  for (size_t i = 0; i < whole.size(); i += 3) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    unpack_failure(damaged);
  }
  CHECK(unpack_failure(model().substr(0, 600)).find("cannot be read") != std::string::npos);
}

std::string zipped(const std::string& text) {
  std::string out;
  const auto sink = [&](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  ParallelGzip gzip(sink, 9, 1);
  gzip.write(std::as_bytes(std::span(text)));
  gzip.finish();
  return out;
}

TEST_CASE("a wrong checksum, and data behind it, are detected") {
  const auto refusal = [](const std::string& why) {
    return cat("error[nnef-syntax]: 'm.tar' cannot be read as an NNEF model\n  why:  ", why,
               "\n  help: is the file complete?\n");
  };
  const std::string whole = zipped(model() + kEnd);
  CHECK(unpack_failure(whole) == "read");
  std::string wrong = whole;
  wrong[wrong.size() - 8] ^= 1;
  CHECK(unpack_failure(wrong) == refusal("its gzip data is damaged: incorrect data check"));
  CHECK(unpack_failure(whole + "more") == refusal("bytes follow its gzip data"));
  CHECK(unpack_failure(whole + whole) == refusal("bytes follow its gzip data"));
  CHECK(unpack_failure(whole.substr(0, whole.size() - 1)) == refusal("its gzip data ends early"));
}

TEST_CASE("a small file cannot fill the memory") {
  const std::string text =
      zipped(member("a", std::string(size_t{3} << 20, '\0')) + member("b", "") + kEnd);
  std::string said;
  const Refuse refuse = [&](std::string why, std::string) {
    said = std::move(why);
    throw 0;
  };
  const auto refusal = [&](const UnpackLimits& limits) {
    said.clear();
    try {
      unpack(owned_content(text), ArchiveFormat::tar, refuse, limits);
    } catch (int) {
    }
    return said;
  };
  CHECK(refusal({}).empty());
  CHECK(refusal({.bytes = size_t{2} << 20}) ==
        "it unpacks to more than 2 MiB, far more than its size");
  CHECK(refusal({.bytes = size_t{2} << 20, .ratio = 2000}).empty());
  CHECK(refusal({.members = 1}) == "it holds more than 1 files");
}

}  // namespace
}  // namespace t2n::nnef
