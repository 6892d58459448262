# firn_cuda: the CUDA twins, src/<capability>/*.cu, as one static library linked into firn_core. Off by default; a missing or broken
# CUDA compiler leaves the scalar and SIMD kernels, which give the same bytes.

if(FIRN_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  file(GLOB_RECURSE firn_cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cu)
  if(CMAKE_CUDA_COMPILER AND firn_cuda_sources)
    # Static, so that the addon loads on a machine without a driver or a toolkit.
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90)
    endif()
    enable_language(CUDA)
    add_library(firn_cuda STATIC ${firn_cuda_sources})
    # CMake 3.25 knows no later standard of nvcc 13; include/firn is written for it.
    set_target_properties(firn_cuda PROPERTIES CUDA_STANDARD 17)
    target_include_directories(firn_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_compile_options(firn_cuda PRIVATE --fmad=false)
    target_link_libraries(firn_core PRIVATE firn_cuda)
    target_compile_definitions(firn_core PUBLIC FIRN_CUDA=1)
  else()
    message(STATUS "FIRN_CUDA: no working CUDA compiler or no .cu source; building without CUDA twins")
  endif()
endif()
