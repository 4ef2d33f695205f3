# Manual pages and shell completions, written from what the programs say in --help: they cannot be
# out of date. Programs of another machine cannot be asked.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(folder "${PROJECT_BINARY_DIR}/manuals")
set(programs highwater)
set(manuals "${folder}/highwater.1")
if(TARGET highwater-studio)
  list(APPEND programs highwater-studio)
  list(APPEND manuals "${folder}/highwater-studio.1")
endif()
set(completions "${folder}/highwater.bash" "${folder}/_highwater" "${folder}/highwater.fish")
list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
list(POP_FRONT files command_line)
add_custom_command(
  OUTPUT ${manuals} ${completions}
  COMMAND ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=offscreen
          "HIGHWATER_SAMPLES=${PROJECT_SOURCE_DIR}/sample_graphs" "${Python3_EXECUTABLE}"
          "${PROJECT_SOURCE_DIR}/scripts/make_cli_docs.py" ${command_line} "${folder}" ${files}
  DEPENDS ${programs} "${PROJECT_SOURCE_DIR}/scripts/make_cli_docs.py"
  COMMENT "Writing manual pages and completions"
  VERBATIM)
add_custom_target(manuals ALL DEPENDS ${manuals} ${completions})
install(FILES ${manuals} DESTINATION share/man/man1)
install(FILES "${folder}/highwater.bash" DESTINATION share/bash-completion/completions
        RENAME highwater)
install(FILES "${folder}/_highwater" DESTINATION share/zsh/site-functions)
install(FILES "${folder}/highwater.fish" DESTINATION share/fish/vendor_completions.d)
