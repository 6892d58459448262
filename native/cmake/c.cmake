# firn_c: libfirn, the decoding half of the core behind a plain C interface (c/firn.h), which clients/python loads.

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/c/firn.cc)
  option(FIRN_BUILD_C "Build libfirn, the C interface" ON)
else()
  set(FIRN_BUILD_C OFF)
endif()

if(FIRN_BUILD_C)
  add_library(firn_c SHARED ${CMAKE_CURRENT_SOURCE_DIR}/c/firn.cc)
  target_include_directories(firn_c PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/c)
  target_link_libraries(firn_c PRIVATE firn_core firn_flags)
  set_target_properties(firn_c PROPERTIES OUTPUT_NAME firn)
  if(NOT APPLE AND NOT WIN32)
    # Only the calls of firn.h are visible, and a missing function shows when the library is loaded.
    target_link_options(firn_c PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,now)
  endif()
  # Wheels: beside the Python modules.
  install(TARGETS firn_c LIBRARY DESTINATION firn COMPONENT firn_python RUNTIME DESTINATION firn COMPONENT firn_python)
endif()
