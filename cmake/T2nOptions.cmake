# What holds for every target: language, warnings, sanitizers, clang-tidy, ccache, run paths.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)  # relative to $ORIGIN, so that a build folder can be moved
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)  # a library that is linked again is no reason to link 80 programs
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # no NDEBUG: assertions are part of the product
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
# __FILE__ reads "ops/math.cpp", never a path of the machine that built it.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

add_library(t2n_warnings INTERFACE)
# For clang, -Wconversion is about signs, too.
target_compile_options(t2n_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)

# GCC's collector of garbage then has less to do.
if(T2N_WHOLE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-expand=300" "SHELL:--param ggc-min-heapsize=1500000")
endif()

if(T2N_SANITIZE)
  # vptr wants type information that torch's libraries hide.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(T2N_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(T2N_TIDY)
  find_program(T2N_CLANG_TIDY NAMES clang-tidy-19 REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${T2N_CLANG_TIDY};--quiet")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # clang cannot read the ones GCC wrote
endif()

find_program(T2N_CCACHE ccache)
mark_as_advanced(T2N_CCACHE)
if(T2N_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${T2N_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT T2N_TIDY)
    add_compile_options(-fpch-preprocess)  # ccache sees through precompiled headers only with it
  endif()
endif()
