# firn_tests (test/**/*.cc), checks of rooms and symbols (test/check_*.cmake), one fuzz target per fuzz/fuzz_*.cc with
# its corpus replayed by ctest, and firn_bench (bench/*.cc).

function(firn_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE firn_core firn_flags)
endfunction()

file(GLOB_RECURSE firn_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/*.cc)
list(FILTER firn_test_sources EXCLUDE REGEX "/test/device/")
if(firn_test_sources)
  # The addon's thread pool has no Node in it, so it is tested and sanitized here.
  firn_executable(firn_tests ${firn_test_sources} ${CMAKE_CURRENT_SOURCE_DIR}/binding/engine/worker_pool.cc)
  # In two halves, which run at once where there are processors for both.
  add_test(NAME firn_tests_even COMMAND firn_tests --even)
  add_test(NAME firn_tests_odd COMMAND firn_tests --odd)
endif()

# Kernels over teams in every column: one member, threads, and a device when the library is built and finds one.
function(firn_device_executable name)
  firn_executable(${name} ${ARGN})
  if(TARGET firn_cuda)
    add_dependencies(${name} firn_cuda)
    target_compile_definitions(${name} PRIVATE FIRN_CUDA_LIBRARY="$<TARGET_FILE:firn_cuda>")
  endif()
endfunction()
file(GLOB firn_device_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/device/*.cc)
firn_device_executable(firn_device_tests ${firn_device_test_sources} ${CMAKE_CURRENT_SOURCE_DIR}/test/main.cc)
add_test(NAME firn_device_tests COMMAND firn_device_tests)

add_test(NAME firn_rooms COMMAND ${CMAKE_COMMAND} -DSOURCES=${CMAKE_CURRENT_SOURCE_DIR}/src
  -P ${CMAKE_CURRENT_SOURCE_DIR}/test/check_rooms.cmake)
foreach(isa IN LISTS firn_isas)
  add_test(NAME firn_symbols_${isa} COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DISA=${isa}
    "-DOBJECTS=$<JOIN:$<TARGET_OBJECTS:firn_core_${isa}>,|>"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/test/check_isa_symbols.cmake)
endforeach()

# c/firn.h is C, also for the strictest compiler.
if(FIRN_BUILD_C AND NOT MSVC)
  add_test(NAME firn_c_header COMMAND ${CMAKE_CXX_COMPILER} -x c -std=c99 -pedantic -Wall -Wextra -Werror
    -fsyntax-only ${CMAKE_CURRENT_SOURCE_DIR}/c/firn.h)
endif()

if(NOT FIRN_LIBFUZZER)
  add_library(firn_replay OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/standalone_main.cc)
  target_link_libraries(firn_replay PRIVATE firn_flags)
endif()
file(GLOB firn_fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.cc)
foreach(source IN LISTS firn_fuzz_sources)
  cmake_path(GET source STEM target)
  string(REPLACE "fuzz_" "" corpus ${target})
  set(corpus_dir ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${corpus})
  if(FIRN_LIBFUZZER)
    firn_executable(${target} ${source})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    firn_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE firn_replay)
  endif()
  if(IS_DIRECTORY ${corpus_dir})
    if(FIRN_LIBFUZZER)
      add_test(NAME ${target}_replay COMMAND ${target} -runs=0 ${corpus_dir})
    else()
      add_test(NAME ${target}_replay COMMAND ${target} ${corpus_dir})
    endif()
  endif()
endforeach()

file(GLOB firn_bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/*.cc)
if(firn_bench_sources)
  firn_executable(firn_bench ${firn_bench_sources})
endif()

# Kernels on a device; not a test.
file(GLOB firn_device_bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/device/*.cc)
if(firn_device_bench_sources)
  firn_device_executable(firn_device_bench ${firn_device_bench_sources}
    ${CMAKE_CURRENT_SOURCE_DIR}/bench/bench_report.cc)
endif()

# Of a build under sanitizers compiling is the longest part. Tests look at memory through calls there, which are
# compiled faster than code in place, and benches, which no test runs, are compiled only to see that they compile.
if(FIRN_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(${firn_test_sources} ${firn_device_test_sources} ${firn_fuzz_sources}
      PROPERTIES COMPILE_OPTIONS "--param=asan-instrumentation-with-call-threshold=0")
  endif()
  set_source_files_properties(${firn_bench_sources} ${firn_device_bench_sources}
    PROPERTIES COMPILE_OPTIONS "-O0;-g0;-fno-sanitize=all")
endif()
