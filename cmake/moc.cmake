# Qt's moc for every header of a target. CMake's AUTOMOC lets moc read the headers of Qt behind
# each, which took 25 CPU seconds of a first build and changed nothing in what it writes; it waits
# for the libraries that the target links; and it compiles all that moc wrote on its own, which
# parses every header once more (15 s). Here moc reads the header alone, and what it writes is
# compiled beside the class's own source.

# Sets `result` to `sources` with, behind each header, what moc makes of it: nothing for most.
function(hw_with_mocs result)
  set(list "")
  foreach(source ${ARGN})
    list(APPEND list "${source}")
    if(NOT source MATCHES "\\.h$")
      continue()
    endif()
    file(RELATIVE_PATH header "${PROJECT_SOURCE_DIR}" "${source}")
    string(REGEX REPLACE "\\.h$" ".moc.cpp" made "${PROJECT_BINARY_DIR}/moc/${header}")
    get_filename_component(folder "${made}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${made}"
      COMMAND Qt6::moc --no-notes -DQT_NO_SIGNALS_SLOTS_KEYWORDS "-f${header}" "${source}"
              -o "${made}"
      DEPENDS "${source}" COMMENT "Moc ${header}" VERBATIM)
    list(APPEND list "${made}")
  endforeach()
  set(${result} "${list}" PARENT_SCOPE)
endfunction()
