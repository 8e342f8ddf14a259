// SPDX-License-Identifier: Apache-2.0
#include "src/check/packed_weights.h"

#include "src/diag/error.h"

namespace t2n::check {
namespace {

constexpr int kMiB = 20;
/// tract's own memory for any model: 6 to 10 MiB.
constexpr int64_t kOwn = int64_t{9} << kMiB;
constexpr int64_t kLeast = int64_t{16} << kMiB;

int64_t mib(int64_t bytes) { return (bytes + (int64_t{1} << (kMiB - 1))) >> kMiB; }

}  // namespace

WeightBytes weight_bytes(const nnef::Document& document) {
  WeightBytes out;
  for (const nnef::Blob& blob : document.blobs) {
    const int64_t plain = ir::element_count(blob.shape) * ir::dtype_size(blob.dtype);
    if (!blob.q4_0) {
      out.others += plain;
      continue;
    }
    ++out.weights;
    out.packed += blob.parts.at(0).elements();
    out.in_floats += plain;
  }
  return out;
}

std::optional<bool> are_kept_packed(const WeightBytes& bytes, int64_t loaded) {
  const int64_t saved = bytes.in_floats - bytes.packed;
  // Other weights may be in memory twice.
  if (saved < kLeast || saved < 2 * bytes.others) return {};
  return loaded - bytes.others - bytes.packed < kOwn + saved / 2;
}

std::string packed_text(const WeightBytes& bytes, int64_t loaded, std::string_view engine) {
  const std::optional<bool> kept = are_kept_packed(bytes, loaded);
  if (!kept) return {};
  return cat(engine, *kept ? " keeps " : " unpacks ", bytes.weights, " packed weights",
             *kept ? " packed" : "", ": ", mib(loaded), " MiB in memory, floats take ",
             mib(bytes.in_floats + bytes.others), " MiB");
}

}  // namespace t2n::check
