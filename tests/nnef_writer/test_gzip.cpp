// SPDX-License-Identifier: Apache-2.0
// One gzip member, whatever the number of threads; gzip itself judges it.
#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "nnef_writer/gzip.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

/// `data` in writes of `piece` bytes.
std::string gzipped(const std::string& data, int level, int threads, size_t piece) {
  std::string out;
  ParallelGzip gzip([&](std::span<const std::byte> bytes) { out += text_of(bytes); }, level,
                    threads);
  const auto bytes = std::as_bytes(std::span(data));
  for (size_t at = 0; at < bytes.size(); at += piece)
    gzip.write(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  gzip.finish();
  return out;
}

std::string gunzipped(const std::string& data) {
  const Scratch scratch;
  write_text(scratch / "x.gz", data);
  return output_of("gzip -dc '" + (scratch / "x.gz").string() + "'");
}

std::string noise(size_t size) {
  std::mt19937 random(7);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random() & 0xffU);
  return out;
}

std::string lines(size_t size) {
  std::string out;
  for (int i = 0; out.size() < size; ++i)
    out += "layer" + std::to_string(i % 977) + " = conv(x);\n";
  out.resize(size);
  return out;
}

constexpr size_t kMiB = size_t{1} << 20;

TEST_CASE("unpacked data equals the input") {
  for (const size_t size : {size_t{0}, size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 12345})
    for (const int level : {0, 1, 6, 9}) {
      CAPTURE(size);
      CAPTURE(level);
      const std::string data = lines(size / 2) + noise(size - size / 2);
      CHECK((gunzipped(gzipped(data, level, 2, 100'000)) == data));
    }
}

TEST_CASE("bytes depend neither on the threads nor on the cut of the writes") {
  const std::string data = lines(3 * kMiB) + noise(2 * kMiB) + lines(kMiB / 2);
  const std::string one = gzipped(data, 6, 1, data.size());
  CHECK((gzipped(data, 6, 2, 4099) == one));
  CHECK((gzipped(data, 6, 5, kMiB) == one));
  CHECK((gunzipped(one) == data));
}

TEST_CASE("the file is a single member without a date") {
  const std::string data = lines(3 * kMiB);
  const std::string packed = gzipped(data, 6, 3, kMiB);
  CHECK(packed.substr(0, 10) == std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
  uint32_t size = 0;  // of the last member
  std::memcpy(&size, packed.data() + packed.size() - 4, 4);
  CHECK(size == data.size());
}

TEST_CASE("blocks refer back to the one before, so that cutting costs next to nothing") {
  std::mt19937 random(7);
  std::string period;
  for (int i = 0; i < 700; ++i) period += "layer_" + std::to_string(random()) + " = conv(x, y);\n";
  std::string data;
  while (data.size() < 8 * kMiB) data += period;
  const Scratch scratch;
  write_text(scratch / "x", data);
  const size_t whole =
      std::stoul(output_of("gzip -6 -c '" + (scratch / "x").string() + "' | wc -c"));
  CHECK(gzipped(data, 6, 2, kMiB).size() < whole + whole / 10);
}

TEST_CASE("level 0 stores") {
  const std::string data = lines(2 * kMiB);
  const size_t size = gzipped(data, 0, 2, kMiB).size();
  CHECK(size > data.size());
  CHECK(size < data.size() + data.size() / 100);
}

TEST_CASE("an error of the sink reaches the caller, and work in flight is dropped") {
  size_t taken = 0;
  ParallelGzip gzip(
      [&](std::span<const std::byte> bytes) {
        taken += bytes.size();
        if (taken > 10) throw std::runtime_error("full");
      },
      6, 3);
  const std::string data = noise(20 * kMiB);
  CHECK_THROWS_WITH(gzip.write(std::as_bytes(std::span(data))), "full");
}

}  // namespace
}  // namespace t2n::nnef
