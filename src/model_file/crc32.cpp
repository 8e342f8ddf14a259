// V. Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ (Intel, 2009).
#include "src/model_file/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace t2n::model_file {
namespace {

uint32_t with_zlib(uint32_t crc, std::span<const std::byte> data) {
  return static_cast<uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

#if defined(__x86_64__)

constexpr size_t kBlock = 16;
constexpr size_t kFour = 4 * kBlock;

__m128i load(const std::byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

/// Moves `value` on by the distance of `keys`, and adds what stands there.
__attribute__((target("pclmul,sse4.1"))) __m128i fold(__m128i value, __m128i keys, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(value, keys, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, keys, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// Reduces 128 bits to 32.
__attribute__((target("pclmul,sse4.1"))) uint32_t reduce(__m128i value, __m128i near) {
  const __m128i mask = _mm_setr_epi32(~0, 0, ~0, 0);
  __m128i part = _mm_clmulepi64_si128(value, near, 0x10);
  value = _mm_xor_si128(_mm_srli_si128(value, 8), part);
  part = _mm_srli_si128(value, 4);
  value = _mm_clmulepi64_si128(_mm_and_si128(value, mask), _mm_set_epi64x(0, 0x0163cd6124), 0x00);
  value = _mm_xor_si128(value, part);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  part = _mm_clmulepi64_si128(_mm_and_si128(value, mask), barrett, 0x10);
  part = _mm_clmulepi64_si128(_mm_and_si128(part, mask), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(value, part), 1));
}

/// For whole blocks, at least four; the checksum starts at 0.
__attribute__((target("pclmul,sse4.1"))) uint32_t with_multiplication(
    std::span<const std::byte> data) {
  const std::byte* at = data.data();
  const std::byte* const end = at + data.size();
  const __m128i far = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i near = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i lane[4];
  for (size_t i = 0; i < 4; ++i) lane[i] = load(at + i * kBlock);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(~0));
  for (at += kFour; end - at >= static_cast<std::ptrdiff_t>(kFour); at += kFour)
    for (size_t i = 0; i < 4; ++i) lane[i] = fold(lane[i], far, load(at + i * kBlock));
  __m128i sum = lane[0];
  for (size_t i = 1; i < 4; ++i) sum = fold(sum, near, lane[i]);
  for (; at < end; at += kBlock) sum = fold(sum, near, load(at));
  return ~reduce(sum, near);
}

#endif

}  // namespace

uint32_t crc32_of(std::span<const std::byte> data) {
#if defined(__x86_64__)
  static const bool multiplies =
      __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  const size_t whole = data.size() / kBlock * kBlock;
  if (multiplies && whole >= kFour)
    return with_zlib(with_multiplication(data.first(whole)), data.subspan(whole));
#endif
  return with_zlib(0, data);
}

}  // namespace t2n::model_file
