# Flags that every target of ours shares. Link `hw_options` PRIVATE; never touch CMAKE_CXX_FLAGS.
add_library(hw_options INTERFACE)
target_compile_features(hw_options INTERFACE cxx_std_20)
target_compile_options(hw_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# g++ 12 sees overlapping copies in `"text" + string` once it optimises (GCC bug 105651).
target_compile_options(hw_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Most of our units need less than half a gigabyte: collecting garbage below that takes g++ 7 % of
# its time.
target_compile_options(hw_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
target_include_directories(hw_options INTERFACE ${PROJECT_SOURCE_DIR})

option(HIGHWATER_WERROR "Treat warnings as errors (CI does)" OFF)
if(HIGHWATER_WERROR)
  target_compile_options(hw_options INTERFACE -Werror)
endif()

# Optimising is two thirds of the compiler's time. What runs once for each click, file or test is
# optimised a little, at which g++ 12 sees ghosts in std::optional and in
# std::string; the rest, which plans, simulates
# and draws, fully.
function(hw_cold)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
      "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-free-nonheap-object>")
  endforeach()
endfunction()

# The other way round, for sources of a cold target. What is precompiled for one level of
# optimisation g++ 12 cannot read at another, and sources of one unit share one.
function(hw_hot)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

option(HIGHWATER_SANITIZE "AddressSanitizer, UBSan and fuzzed readers (needs clang)" OFF)
if(HIGHWATER_SANITIZE)
  # One tree for tests and fuzzing, since clang's sanitizers cost a third less to compile than those
  # of g++. Lines are enough for a stack trace: knowing all variables took a quarter of the
  # compiler's time. Sources of tests (HW_JUDGES) are watched for faults of memory alone and not
  # optimised, which takes a quarter of the time. What reads files (HW_READS) tells the fuzzer which
  # way it went; elsewhere that would take an eighth of the compiler's time, and calls at each
  # comparison.
  target_compile_definitions(hw_options INTERFACE HW_SANITIZED)
  set(judges $<BOOL:$<TARGET_PROPERTY:HW_JUDGES>>)
  target_compile_options(hw_options INTERFACE
    -fsanitize=address -fno-omit-frame-pointer -g1 $<IF:${judges},-O0,-O1>
    $<$<NOT:${judges}>:-fsanitize=undefined>
    $<$<BOOL:$<TARGET_PROPERTY:HW_READS>>:-fsanitize=fuzzer-no-link>
    -fno-sanitize-recover=all)
  target_link_options(hw_options INTERFACE -fsanitize=address,undefined)
endif()

# Some thirty programs link most of the core: mold takes half of the time of GNU ld for that.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold HW_HAS_MOLD)
if(HW_HAS_MOLD)
  target_link_options(hw_options INTERFACE -fuse-ld=mold)
endif()

# Compilers spend much of their time on small pieces of memory: with mimalloc and large pages clang
# takes a quarter less.
find_package(mimalloc 2 REQUIRED)
get_target_property(HW_MIMALLOC mimalloc LOCATION)
set(CMAKE_CXX_COMPILER_LAUNCHER env LD_PRELOAD=${HW_MIMALLOC} MIMALLOC_LARGE_OS_PAGES=1)
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
