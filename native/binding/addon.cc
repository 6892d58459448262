// The addon's entry point: one export per call, nothing shared between environments.
#include <new>

#include "binding/calls/calls.h"

namespace firn::binding {
namespace {

template <Call call>
Napi::Value guarded(const Napi::CallbackInfo& info) {
  const napi_env env = info.Env();
  napi_value value = nullptr;
  try {
    Arguments args(info);
    value = call(args);
  } catch (const std::bad_alloc&) {
    napi_throw_error(env, nullptr, "firn_core: out of memory");
  } catch (...) {
    napi_throw_error(env, nullptr, "firn_core: the core made a mistake");
  }
  return Napi::Value(env, value);
}

template <Call call>
void add(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<guarded<call>>(exports.Env(), name));
}

Napi::Object init_module(Napi::Env, Napi::Object exports) {
  add<init>(exports, "init");
  add<cancel>(exports, "cancel");
  add<stats>(exports, "stats");
  add<open_device>(exports, "openDevice");
  add<device_figures>(exports, "deviceFigures");
  add<device_forget>(exports, "deviceForget");
  add<device_rename>(exports, "deviceRename");
  add<account_engine>(exports, "accountEngine");
  add<engine_without_device>(exports, "engineWithoutDevice");
  add<device_account>(exports, "deviceAccount");
  add<sketch_values_call>(exports, "sketchValues");
  add<sketch_sensitivity_call>(exports, "sketchSensitivity");
  add<sketch_quantized_call>(exports, "sketchQuantized");
  add<sketch_top_threshold_call>(exports, "sketchTopThreshold");
  add<sketch_bottom_threshold_call>(exports, "sketchBottomThreshold");
  add<build_codebook_call>(exports, "buildCodebook");
  add<build_entropy_codebook_call>(exports, "buildEntropyCodebook");
  add<assign_levels_call>(exports, "assignLevels");
  add<codebook_elements_call>(exports, "codebookElements");
  add<dequantize_call>(exports, "dequantize");
  add<convert_call>(exports, "convert");
  add<count_tokens_call>(exports, "countTokens");
  add<encode_tokens_call>(exports, "encodeTokens");
  add<create_token_counts>(exports, "createTokenCounts");
  add<token_counts_add>(exports, "tokenCountsAdd");
  add<token_counts_merge>(exports, "tokenCountsMerge");
  add<token_counts_build>(exports, "tokenCountsBuild");
  add<token_counts_payload_bits>(exports, "tokenCountsPayloadBits");
  add<parse_token_tables>(exports, "parseTokenTables");
  add<token_tables_serialize>(exports, "tokenTablesSerialize");
  add<token_tables_encode>(exports, "tokenTablesEncode");
  add<token_tables_decode>(exports, "tokenTablesDecode");
  add<create_context_counts>(exports, "createContextCounts");
  add<context_counts_add>(exports, "contextCountsAdd");
  add<context_counts_merge>(exports, "contextCountsMerge");
  add<context_counts_build>(exports, "contextCountsBuild");
  add<context_counts_symbol_rates>(exports, "contextCountsSymbolRates");
  add<parse_context_tables>(exports, "parseContextTables");
  add<context_tables_serialize>(exports, "contextTablesSerialize");
  add<context_tables_total_bits>(exports, "contextTablesTotalBits");
  add<context_tables_encode>(exports, "contextTablesEncode");
  add<context_tables_decode>(exports, "contextTablesDecode");
  add<exact_encode_call>(exports, "exactEncode");
  add<exact_decode_call>(exports, "exactDecode");
  add<exact_is_standalone_call>(exports, "exactIsStandalone");
  add<bucket_encode_call>(exports, "bucketEncode");
  add<bucket_decode_call>(exports, "bucketDecode");
  add<bucket_merge_call>(exports, "bucketMerge");
  add<merged_bucket_decode_call>(exports, "mergedBucketDecode");
  add<bitmask_encode_call>(exports, "bitmaskEncode");
  add<bitmask_decode_call>(exports, "bitmaskDecode");
  add<bitmask_changed_call>(exports, "bitmaskChanged");
  add<master_encode_call>(exports, "masterEncode");
  add<master_decode_call>(exports, "masterDecode");
  add<state_encode_call>(exports, "stateEncode");
  add<state_decode_call>(exports, "stateDecode");
  add<state_needs_previous_call>(exports, "stateNeedsPrevious");
  add<lattice_quantize_call>(exports, "latticeQuantize");
  add<lattice_contexts_call>(exports, "latticeContexts");
  add<lattice_apply_call>(exports, "latticeApply");
  add<lattice_place_call>(exports, "latticePlace");
  add<lattice_values_call>(exports, "latticeValues");
  add<weight_moments_call>(exports, "weightMoments");
  add<gram_factor_call>(exports, "gramFactor");
  add<lattice_targets_call>(exports, "latticeTargets");
  add<residual_state_call>(exports, "residualState");
  add<residual_elements_call>(exports, "residualElements");
  add<residual_quantize_call>(exports, "residualQuantize");
  add<residual_encode_call>(exports, "residualEncode");
  add<residual_coded_elements_call>(exports, "residualCodedElements");
  add<residual_moved_elements_call>(exports, "residualMovedElements");
  add<count_cached_symbols_call>(exports, "countCachedSymbols");
  add<encode_cached_symbols_call>(exports, "encodeCachedSymbols");
  add<release_cached_symbols>(exports, "releaseCachedSymbols");
  add<crc32c_call>(exports, "crc32c");
  add<map_file>(exports, "mapFile");
  add<forget_file>(exports, "forgetFile");
  return exports;
}

NODE_API_MODULE(firn_core, init_module)

}  // namespace
}  // namespace firn::binding
