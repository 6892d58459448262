// Quantization to a codebook (firn/codebook_quant/) on a device (firn/device.h, which says what holds for all calls):
// sketches, levels of weights, and the elements that they stand for. A codebook is made of a sketch by the processor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "firn/codebook_quant/assign.h"
#include "firn/delta.h"
#include "firn/device.h"
#include "firn/sketch.h"

namespace firn {

// Weights with their gradients, as the calls of the processor take them: at any alignment.
struct CodebookWeights {
  std::string_view name;  // of the weights and their gradients
  const void* weights = nullptr;
  Dtype dtype = Dtype::f32;
  const void* gradients = nullptr;  // or null
  Dtype gradient_dtype = Dtype::f32;
  size_t count = 0;
};

// sketch_values(), sketch_sensitivity() and sketch_quantized(). Of a sketch only buckets that are not empty come back.
bool device_sketch_values(DeviceContext& context, const CodebookWeights& weights, Sketch& sketch);
bool device_sketch_sensitivity(DeviceContext& context, const CodebookWeights& weights, Sketch& sketch);
bool device_sketch_quantized(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                             Sketch& sketch);

// assign_levels(), and the words of gather_protected().
bool device_assign_levels(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                          const LevelMap& map, uint8_t* levels, std::vector<uint16_t>* words);

// What levels stand for, as dequantize() takes it.
struct LevelTable {
  Dtype dtype = Dtype::f32;
  const void* elements = nullptr;  // 256 of them
  uint32_t level_count = 0;
};

// assign_levels(), then dequantize() of the levels with their words.
bool device_codebook_elements(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                              const LevelMap& map, const LevelTable& table, void* out);

// What a block's levels are coded against, as TokenCounts::add() takes it.
struct LevelsBefore {
  std::string_view name;            // of the levels
  const uint8_t* levels = nullptr;  // or null
  uint32_t modulus = 1;
};

// What counting finds besides tokens.
struct LevelFindings {
  uint64_t protected_count = 0;
  uint64_t moved = 0;  // levels that differ from the previous ones; 0 without these
};

// assign_levels(), then TokenCounts::add() of the levels, to be added by TokenCounts::add_counted().
bool device_count_tokens(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                         const LevelMap& map, const LevelsBefore& before, CountedTokens* counts,
                         LevelFindings* findings);

// assign_levels(), then TokenTables::encode() of the levels, appended to `stream`, and the words of gather_protected().
bool device_encode_tokens(DeviceContext& context, const CodebookWeights& weights, const Partition& partition,
                          const LevelMap& map, const LevelsBefore& before, const TokenTables& tables,
                          std::vector<uint8_t>* stream, std::vector<uint16_t>* words);

}  // namespace firn
