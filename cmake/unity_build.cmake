# Most of what a source costs is reading headers, so several share one reading. Twelve: small
# enough for a change to be compiled again quickly, and for two compilers to stay busy.
# Twice as many where sources share much of Qt: a quarter of their time, a tenth elsewhere.
# scripts/tidy.sh does without, and so finds what a source forgot to include.
option(HIGHWATER_UNITY "Compile several sources at once" ON)

# Sources of `target` that match the patterns that follow stay on their own.
function(hw_unity target)
  if(HIGHWATER_UNITY)
    set(batch 12)
    get_target_property(reads_qt ${target} AUTOMOC)
    if(reads_qt)
      set(batch 24)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    foreach(pattern ${ARGN})
      file(GLOB alone CONFIGURE_DEPENDS ${pattern})
      set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
endfunction()
