// The kernels of moments_kernels.h in portable vectors, which a compiler lowers to an instruction set,
// kMomentVectorLanes numbers at once. Include in one file per instruction set.
#pragma once
#include <cstdint>
#include <cstring>

#include "simd/vector_bytes.h"
#include "stats/moments_kernels.h"

// The vectors never leave this file, so it does not matter how each instruction set would pass them.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kMomentVectorLanes = kVectorBytes / sizeof(double), kMomentVectors = kMomentLanes / kMomentVectorLanes;
typedef double MomentDoubles __attribute__((vector_size(kMomentVectorLanes * sizeof(double))));
typedef float MomentFloats __attribute__((vector_size(kMomentVectorLanes * sizeof(float))));
typedef uint32_t MomentWords __attribute__((vector_size(kMomentVectorLanes * sizeof(uint32_t))));

template <typename Vector, typename Element>
Vector load(const Element* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <typename Vector, typename Element>
void store(Vector vector, Element* to) {
  std::memcpy(to, &vector, sizeof vector);
}

// SixteenFloats floats from `from`, of which the first `count` are there and the others 0.
struct SixteenFloats {
  float values[kMomentLanes] = {};
  SixteenFloats(const unsigned char* from, size_t count) { std::memcpy(values, from, count * sizeof(float)); }
};

template <typename Body>
void for_each_sixteen(const void* elements, size_t count, Body body) {
  const unsigned char* bytes = static_cast<const unsigned char*>(elements);
  size_t i = 0;
  for (; i + kMomentLanes <= count; i += kMomentLanes) body(reinterpret_cast<const float*>(bytes + 4 * i));
  if (i < count) body(SixteenFloats(bytes + 4 * i, count - i).values);
}

}  // namespace

void weight_lanes(const void* weights, size_t count, MomentLanes& lanes) {
  MomentDoubles sum[kMomentVectors], squares[kMomentVectors];
  MomentFloats largest[kMomentVectors];
  for (size_t v = 0; v < kMomentVectors; ++v) {
    sum[v] = load<MomentDoubles>(lanes.sum + v * kMomentVectorLanes),
    squares[v] = load<MomentDoubles>(lanes.squares + v * kMomentVectorLanes);
    largest[v] = load<MomentFloats>(lanes.magnitude_max + v * kMomentVectorLanes);
  }
  for_each_sixteen(weights, count, [&](const float* values) {
    for (size_t v = 0; v < kMomentVectors; ++v) {
      const MomentFloats w = load<MomentFloats>(values + v * kMomentVectorLanes);
      const MomentFloats magnitude = reinterpret_cast<MomentFloats>(reinterpret_cast<MomentWords>(w) & 0x7FFFFFFFu);
      const MomentDoubles wide = __builtin_convertvector(w, MomentDoubles);
      sum[v] += wide;
      squares[v] += wide * wide;
      largest[v] = magnitude > largest[v] ? magnitude : largest[v];
    }
  });
  for (size_t v = 0; v < kMomentVectors; ++v) {
    store(sum[v], lanes.sum + v * kMomentVectorLanes), store(squares[v], lanes.squares + v * kMomentVectorLanes);
    store(largest[v], lanes.magnitude_max + v * kMomentVectorLanes);
  }
}

void gradient_lanes(const void* gradients, size_t count, MomentLanes& lanes) {
  MomentDoubles squares[kMomentVectors];
  for (size_t v = 0; v < kMomentVectors; ++v)
    squares[v] = load<MomentDoubles>(lanes.gradient_squares + v * kMomentVectorLanes);
  for_each_sixteen(gradients, count, [&](const float* values) {
    for (size_t v = 0; v < kMomentVectors; ++v) {
      const MomentWords bits = reinterpret_cast<MomentWords>(load<MomentFloats>(values + v * kMomentVectorLanes));
      // All ones in the exponent: no number.
      const MomentWords finite = reinterpret_cast<MomentWords>((bits & 0x7F800000u) != 0x7F800000u);
      const MomentDoubles wide = __builtin_convertvector(reinterpret_cast<MomentFloats>(bits & finite), MomentDoubles);
      squares[v] += wide * wide;
    }
  });
  for (size_t v = 0; v < kMomentVectors; ++v) store(squares[v], lanes.gradient_squares + v * kMomentVectorLanes);
}

}  // namespace firn::FIRN_ISA
