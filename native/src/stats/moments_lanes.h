// The kernels of moments_kernels.h in portable vectors, which a compiler lowers to an instruction set, kVectorLanes
// numbers at once. Include in one file per instruction set.
#pragma once
#include <cstdint>
#include <cstring>

#include "simd/vector_bytes.h"
#include "stats/moments_kernels.h"

// The vectors never leave this file, so it does not matter how each instruction set would pass them.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace firn::FIRN_ISA {
namespace {

constexpr size_t kVectorLanes = kVectorBytes / sizeof(double), kVectors = kMomentLanes / kVectorLanes;
typedef double Doubles __attribute__((vector_size(kVectorLanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(kVectorLanes * sizeof(float))));
typedef uint32_t Words __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));

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

// Sixteen floats from `from`, of which the first `count` are there and the others 0.
struct Sixteen {
  float values[kMomentLanes] = {};
  Sixteen(const unsigned char* from, size_t count) { std::memcpy(values, from, count * sizeof(float)); }
};

template <typename Body>
void for_each_sixteen(const void* elements, size_t count, Body body) {
  const unsigned char* bytes = static_cast<const unsigned char*>(elements);
  size_t i = 0;
  for (; i + kMomentLanes <= count; i += kMomentLanes) body(reinterpret_cast<const float*>(bytes + 4 * i));
  if (i < count) body(Sixteen(bytes + 4 * i, count - i).values);
}

}  // namespace

void weight_lanes(const void* weights, size_t count, MomentLanes& lanes) {
  Doubles sum[kVectors], squares[kVectors];
  Floats largest[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    sum[v] = load<Doubles>(lanes.sum + v * kVectorLanes), squares[v] = load<Doubles>(lanes.squares + v * kVectorLanes);
    largest[v] = load<Floats>(lanes.magnitude_max + v * kVectorLanes);
  }
  for_each_sixteen(weights, count, [&](const float* values) {
    for (size_t v = 0; v < kVectors; ++v) {
      const Floats w = load<Floats>(values + v * kVectorLanes);
      const Floats magnitude = reinterpret_cast<Floats>(reinterpret_cast<Words>(w) & 0x7FFFFFFFu);
      const Doubles wide = __builtin_convertvector(w, Doubles);
      sum[v] += wide;
      squares[v] += wide * wide;
      largest[v] = magnitude > largest[v] ? magnitude : largest[v];
    }
  });
  for (size_t v = 0; v < kVectors; ++v) {
    store(sum[v], lanes.sum + v * kVectorLanes), store(squares[v], lanes.squares + v * kVectorLanes);
    store(largest[v], lanes.magnitude_max + v * kVectorLanes);
  }
}

void gradient_lanes(const void* gradients, size_t count, MomentLanes& lanes) {
  Doubles squares[kVectors];
  for (size_t v = 0; v < kVectors; ++v) squares[v] = load<Doubles>(lanes.gradient_squares + v * kVectorLanes);
  for_each_sixteen(gradients, count, [&](const float* values) {
    for (size_t v = 0; v < kVectors; ++v) {
      const Words bits = reinterpret_cast<Words>(load<Floats>(values + v * kVectorLanes));
      // All ones in the exponent: no number.
      const Words finite = reinterpret_cast<Words>((bits & 0x7F800000u) != 0x7F800000u);
      const Doubles wide = __builtin_convertvector(reinterpret_cast<Floats>(bits & finite), Doubles);
      squares[v] += wide * wide;
    }
  });
  for (size_t v = 0; v < kVectors; ++v) store(squares[v], lanes.gradient_squares + v * kVectorLanes);
}

}  // namespace firn::FIRN_ISA
