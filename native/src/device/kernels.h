// Every kernel a device runs: FIRN_EACH_KERNEL(X) is X(name, type of its arguments) for each. To add one: the kernel in
// src/<room>/<name>_team.h, FIRN_LAUNCH in src/<room>/<name>.cu, a line here, a test in test/device/, a row in
// bench/device/. Each line raises kDeviceTableVersion.
#pragma once
#include "codebook_quant/assign/assign_team.h"
#include "codebook_quant/partition/partition_team.h"
#include "context/blocks/context_counts_team.h"
#include "context/blocks/element_tables_team.h"
#include "context/dense/dense_encode_team.h"
#include "context/dense/dense_sample_team.h"
#include "entropy/rans_team.h"
#include "entropy/token/tokens_team.h"
#include "lossless/float/exact_team.h"
#include "lossless/float/relate_team.h"
#include "residual_quant/gptq/gptq_cells_team.h"
#include "residual_quant/gptq/gptq_team.h"
#include "residual_quant/lattice/lattice_team.h"
#include "residual_quant/lattice/origins_team.h"
#include "stats/moments_team.h"
#include "stats/sketch_team.h"

// clang-format off
#define FIRN_EACH_KERNEL(X) \
  X(gptq_round, GptqRoundKernel) \
  X(gptq_gather, GptqGatherKernel) \
  X(gptq_scatter, GptqScatterKernel) \
  X(context_counts, ContextCountsKernel) \
  X(element_tables, ElementTablesKernel) \
  X(dense_encode, DenseEncodeTeamKernel) \
  X(dense_sample, DenseSampleKernel) \
  X(rans_encode, RansEncodeTeamKernel) \
  X(exact_planes, ExactPlanesKernel) \
  X(exact_cut, ExactCutKernel) \
  X(exact_relate, ExactRelateKernel) \
  X(exact_differences, ExactDifferenceKernel) \
  X(exact_fields, ExactFieldsKernel) \
  X(sketch_values, SketchValuesKernel) \
  X(sketch_sensitivity, SketchSensitivityKernel) \
  X(sketch_pack, SketchPackKernel) \
  X(weight_moments, MomentsKernel) \
  X(lattice_quantize, LatticeQuantizeTeamKernel) \
  X(lattice_contexts, LatticeContextsTeamKernel) \
  X(lattice_rebuild, LatticeRebuildTeamKernel) \
  X(lattice_values, LatticeValuesTeamKernel) \
  X(lattice_errors, LatticeErrorsTeamKernel) \
  X(lattice_origins, LatticeOriginsTeamKernel) \
  X(sketch_quantized, SketchQuantizedTeamKernel) \
  X(assign_levels, AssignLevelsTeamKernel) \
  X(count_levels, CountLevelsTeamKernel) \
  X(exclusive_sums, ExclusiveSumsTeamKernel) \
  X(gather_protected, GatherProtectedTeamKernel) \
  X(dequantize, DequantizeTeamKernel) \
  X(level_keys, LevelKeysTeamKernel) \
  X(count_tokens, CountTokensTeamKernel) \
  X(encode_tokens, EncodeTokensTeamKernel)
// clang-format on
