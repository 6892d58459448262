# firn_core.node: the core behind Node-API (binding/). Headers come from CMAKE_JS_INC, else from the packages beside
# this repository's package.json; without them only the core is built.

set(firn_modules_dir ${CMAKE_CURRENT_SOURCE_DIR}/../node_modules)
if(CMAKE_JS_INC)
  set(firn_node_includes ${CMAKE_JS_INC})
elseif(EXISTS ${firn_modules_dir}/node-api-headers/include/node_api.h
       AND EXISTS ${firn_modules_dir}/node-addon-api/napi.h)
  set(firn_node_includes ${firn_modules_dir}/node-api-headers/include ${firn_modules_dir}/node-addon-api)
endif()
if(firn_node_includes)
  set(firn_addon_default ON)
else()
  set(firn_addon_default OFF)
endif()
option(FIRN_BUILD_ADDON "Build firn_core.node" ${firn_addon_default})

if(FIRN_BUILD_ADDON)
  if(NOT firn_node_includes)
    message(FATAL_ERROR
      "FIRN_BUILD_ADDON needs the packages node-api-headers and node-addon-api (npm ci) or CMAKE_JS_INC")
  endif()
  file(GLOB_RECURSE firn_binding_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/binding/*.cc)
  add_library(firn_addon MODULE ${firn_binding_sources} ${CMAKE_JS_SRC})
  target_include_directories(firn_addon PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  if(FIRN_UNITY)
    # A few units, so that processors share them: all of them spend most of their time on napi.h.
    set_target_properties(firn_addon PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
  # SYSTEM: their warnings are not ours.
  target_include_directories(firn_addon SYSTEM PRIVATE ${firn_node_includes})
  target_link_libraries(firn_addon PRIVATE firn_core firn_flags ${CMAKE_JS_LIB})
  set_target_properties(firn_addon PROPERTIES PREFIX "" OUTPUT_NAME firn_core SUFFIX ".node")
  if(APPLE)
    target_link_options(firn_addon PRIVATE -undefined dynamic_lookup)
  else()
    # Bound at load: a function that is missing shows when the addon is loaded, not when it is first called.
    target_link_options(firn_addon PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,now)
  endif()
endif()
