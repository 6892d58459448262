# firn_core: the static library of everything under src/. Files named *_avx2.cc, *_avx512.cc, *_vbmi2.cc and *_sse42.cc hold one instruction
# set each and are compiled with its flags; the code that picks one at run time lives in files without a suffix.

file(GLOB_RECURSE firn_core_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cc)
set(firn_simd_pattern "_(sse42|avx2|avx512|vbmi2)\\.cc$")
set(firn_simd_sources ${firn_core_sources})
list(FILTER firn_simd_sources INCLUDE REGEX ${firn_simd_pattern})
list(FILTER firn_core_sources EXCLUDE REGEX ${firn_simd_pattern})

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(firn_x86 1)
  set(firn_flags_sse42 -msse4.2)
  set(firn_flags_avx2 -mavx2 -mf16c -mbmi2)
  set(firn_flags_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512cd -mbmi2)
  set(firn_flags_vbmi2 ${firn_flags_avx512} -mavx512vbmi2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's own AVX-512 headers trip these warnings (GCC bug 105593).
    list(APPEND firn_flags_avx512 -Wno-maybe-uninitialized -Wno-uninitialized)
    list(APPEND firn_flags_vbmi2 -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  foreach(source IN LISTS firn_simd_sources)
    string(REGEX MATCH ${firn_simd_pattern} ignored ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${firn_flags_${CMAKE_MATCH_1}}")
  endforeach()
  list(APPEND firn_core_sources ${firn_simd_sources})
else()
  set(firn_x86 0)
endif()

add_library(firn_core STATIC ${firn_core_sources})
target_include_directories(firn_core PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_compile_definitions(firn_core PUBLIC FIRN_X86=${firn_x86})
target_link_libraries(firn_core PUBLIC Threads::Threads PRIVATE firn_flags)
