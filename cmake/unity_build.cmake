# Most of what a source costs is reading headers, so several share one reading.
# scripts/tidy.sh does without, and so finds what a source forgot to include.
option(HIGHWATER_UNITY "Compile several sources at once" ON)
# Small enough for a change to be compiled again quickly, and for two compilers to stay busy.
set(HW_UNITY 12)
# Thrice as many where little is optimised: there two fifths of a unit's time went into what its
# neighbours needed, too.
set(HW_UNITY_LIGHT 40)
# Twice as many where sources share much of Qt: a quarter of their time, a tenth elsewhere.
set(HW_UNITY_OF_QT 24)
# What moc made stands between the sources.
set(HW_UNITY_WITH_MOCS 84)
# Halves of what is compiled last, one for each of two compilers.
set(HW_UNITY_LAST 50)

# `batch` sources of `target` at once; those that match the patterns that follow stay on their own.
function(hw_unity target batch)
  if(HIGHWATER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    foreach(pattern ${ARGN})
      file(GLOB alone CONFIGURE_DEPENDS ${pattern})
      set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
endfunction()
