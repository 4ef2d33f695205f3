# Compiles the named files of core/machine/presets into `target`, in this order; the first is the
# default platform. A file has the name of its platform. The TOML files stay the only source:
# editing one configures again.
function(hw_add_platform_presets target)
  set(texts "")
  foreach(name ${ARGN})
    set(file "${PROJECT_SOURCE_DIR}/core/machine/presets/${name}.toml")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(APPEND texts "    {\"${name}\", R\"toml(${text})toml\"},\n")
  endforeach()
  set(HW_PRESET_TEXTS "${texts}")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/preset_texts.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/preset_texts.cpp.in" "${generated}" @ONLY)
  target_sources(${target} PRIVATE "${generated}")
endfunction()
