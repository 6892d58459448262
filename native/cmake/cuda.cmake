# firn_cuda: the kernels of src/<room>/*.cu and the device behind them (src/device/cuda_device.cu) as a shared library
# of its own, which src/device/device.h loads when a process asks for a device. Nothing links to it, so the rest of the
# build is the same without it. Off by default; without a working CUDA compiler that is said, and the build goes on.

if(FIRN_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # Static, so that the library needs a driver at most, and loads without one.
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # the second with PTX, for what comes later
    endif()
    enable_language(CUDA)
    file(GLOB_RECURSE firn_cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cu)
    add_library(firn_cuda SHARED ${firn_cuda_sources})
    set_target_properties(firn_cuda PROPERTIES CUDA_STANDARD 17 CUDA_VISIBILITY_PRESET hidden)
    target_include_directories(firn_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src)
    # A fused multiply-add would change stored bytes. CMake 3.25 knows no later standard of nvcc 13 than C++17.
    target_compile_options(firn_cuda PRIVATE --fmad=false --expt-relaxed-constexpr -lineinfo -Xcompiler=-Wall,-Wextra)
    if(FIRN_WERROR)
      target_compile_options(firn_cuda PRIVATE --Werror=all-warnings -Xcompiler=-Werror)
    endif()
    target_link_options(firn_cuda PRIVATE -Wl,--exclude-libs,ALL)
  else()
    message(WARNING "FIRN_CUDA: no working CUDA compiler; the device library is not built")
  endif()
endif()
