# Fails when a room of src/ includes from a room below it. Rooms from the top, as in ../README.md:
#   cmake -DSOURCES=/path/to/native/src -P check_rooms.cmake
set(rooms
  simd team common dtype checksum stats codebook_quant/partition codebook_quant/codebook codebook_quant/assign
  residual_quant/lattice residual_quant/gptq entropy entropy/token context/tables context/lanes context/dense
  context/blocks residual_quant/chain lossless/exact lossless/float optimizer_state master_weights
  bitsnap lc_checkpoint device device/work)
file(GLOB_RECURSE sources RELATIVE ${SOURCES} ${SOURCES}/*.h ${SOURCES}/*.cc)
if(NOT sources)
  message(FATAL_ERROR "no sources in ${SOURCES}")
endif()
foreach(source IN LISTS sources)
  cmake_path(GET source PARENT_PATH room)
  list(FIND rooms ${room} place)
  if(place EQUAL -1)
    message(SEND_ERROR "${source}: ${room} has no place among the rooms of check_rooms.cmake")
    continue()
  endif()
  file(STRINGS ${SOURCES}/${source} includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header ${include})
    cmake_path(GET header PARENT_PATH from)
    list(FIND rooms "${from}" above)
    if(above GREATER place)
      message(SEND_ERROR "${source} includes ${header}, of a room below")
    endif()
  endforeach()
endforeach()
