// Every call of the addon. src/native/addon.ts lists the arguments of each in the same order; src/native/core.ts
// documents them. A call that starts a job returns [job number, promise] or a status number; see Engine::start.
#pragma once
#include "binding/arguments/arguments.h"
#include "binding/engine/engine.h"

namespace firn::binding {

using Call = napi_value (*)(Arguments& args);

// engine_calls.cc
napi_value init(Arguments& args);
napi_value cancel(Arguments& args);
napi_value stats(Arguments& args);

// device_calls.cc
napi_value open_device(Arguments& args);
napi_value device_figures(Arguments& args);
napi_value device_forget(Arguments& args);
napi_value device_rename(Arguments& args);
napi_value account_engine(Arguments& args);
napi_value engine_without_device(Arguments& args);
napi_value device_account(Arguments& args);

// sketch_calls.cc
napi_value sketch_values_call(Arguments& args);
napi_value sketch_sensitivity_call(Arguments& args);
napi_value sketch_quantized_call(Arguments& args);
napi_value sketch_top_threshold_call(Arguments& args);
napi_value sketch_bottom_threshold_call(Arguments& args);

// moment_calls.cc
napi_value weight_moments_call(Arguments& args);

// quantize_calls.cc
napi_value build_codebook_call(Arguments& args);
napi_value build_entropy_codebook_call(Arguments& args);
napi_value dequantize_call(Arguments& args);
napi_value convert_call(Arguments& args);

// level_calls.cc
napi_value assign_levels_call(Arguments& args);
napi_value codebook_elements_call(Arguments& args);

// level_token_calls.cc
napi_value count_tokens_call(Arguments& args);
napi_value encode_tokens_call(Arguments& args);

// token_calls.cc
napi_value create_token_counts(Arguments& args);
napi_value token_counts_add(Arguments& args);
napi_value token_counts_merge(Arguments& args);
napi_value token_counts_build(Arguments& args);
napi_value token_counts_payload_bits(Arguments& args);
napi_value parse_token_tables(Arguments& args);
napi_value token_tables_serialize(Arguments& args);
napi_value token_tables_encode(Arguments& args);
napi_value token_tables_decode(Arguments& args);

// context_calls.cc
napi_value create_context_counts(Arguments& args);
napi_value context_counts_add(Arguments& args);
napi_value context_counts_merge(Arguments& args);
napi_value context_counts_build(Arguments& args);
napi_value context_counts_symbol_rates(Arguments& args);
napi_value parse_context_tables(Arguments& args);
napi_value context_tables_serialize(Arguments& args);
napi_value context_tables_total_bits(Arguments& args);
napi_value context_tables_encode(Arguments& args);
napi_value context_tables_decode(Arguments& args);

// exact_calls.cc
napi_value exact_encode_call(Arguments& args);
napi_value exact_decode_call(Arguments& args);
napi_value exact_is_standalone_call(Arguments& args);

// bitmask_calls.cc
napi_value bitmask_encode_call(Arguments& args);
napi_value bitmask_decode_call(Arguments& args);
napi_value bitmask_changed_call(Arguments& args);

// bucket_calls.cc
napi_value bucket_encode_call(Arguments& args);
napi_value bucket_decode_call(Arguments& args);
napi_value bucket_merge_call(Arguments& args);
napi_value merged_bucket_decode_call(Arguments& args);

// master_calls.cc
napi_value master_encode_call(Arguments& args);
napi_value master_decode_call(Arguments& args);

// state_calls.cc
napi_value state_encode_call(Arguments& args);
napi_value state_decode_call(Arguments& args);
napi_value state_needs_previous_call(Arguments& args);

// lattice_calls.cc
napi_value lattice_quantize_call(Arguments& args);
napi_value lattice_contexts_call(Arguments& args);
napi_value lattice_apply_call(Arguments& args);
napi_value lattice_place_call(Arguments& args);
napi_value lattice_values_call(Arguments& args);

// gptq_calls.cc
napi_value gram_factor_call(Arguments& args);
napi_value lattice_targets_call(Arguments& args);

// residual_calls.cc
napi_value residual_state_call(Arguments& args);
napi_value residual_elements_call(Arguments& args);
napi_value residual_quantize_call(Arguments& args);
napi_value residual_encode_call(Arguments& args);
napi_value residual_coded_elements_call(Arguments& args);
napi_value residual_moved_elements_call(Arguments& args);
napi_value count_cached_symbols_call(Arguments& args);
napi_value encode_cached_symbols_call(Arguments& args);
napi_value release_cached_symbols(Arguments& args);

// byte_calls.cc
napi_value crc32c_call(Arguments& args);
napi_value map_file(Arguments& args);
napi_value forget_file(Arguments& args);

// Hands `job` to the engine, or throws the TypeError of the first wrong argument.
inline napi_value start(Arguments& args, const std::shared_ptr<Engine>& engine, std::unique_ptr<Job> job) {
  return args.ok() ? engine->start(std::move(job), args.pins()) : args.throw_type_error();
}

}  // namespace firn::binding
