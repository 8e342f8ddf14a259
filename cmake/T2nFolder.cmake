# Functions that turn folders into targets.

# t2n_folder(<name> <path> INTO <target> [LINKS <library>...]): object library t2n_<name> of all
# <path>/*.cpp, linked into <target>. Which folder may include which is checked by tests/fence.
function(t2n_folder name path)
  cmake_parse_arguments(arg "" "INTO" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${path}/*.cpp")
  add_library(t2n_${name} OBJECT ${sources})
  target_include_directories(t2n_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(t2n_${name} PRIVATE t2n_warnings ${arg_LINKS})
  target_link_libraries(${arg_INTO} PRIVATE t2n_${name} ${arg_LINKS})
endfunction()

# t2n_embed_fragments(<target> <folder> <namespace> <header>): compiles the texts of <folder>/*.nnef
# into <target> as <namespace>::fragment_texts(), which <header> declares.
function(t2n_embed_fragments target folder namespace header)
  file(GLOB fragments CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.nnef")
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}_texts.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_fragments.cmake")
  # The list of names is a dependency of its own: a removed file changes nothing else.
  list(JOIN fragments "\n" names)
  file(CONFIGURE OUTPUT "${generated}.list" CONTENT "${names}\n" @ONLY)
  add_custom_command(OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DLIST=${generated}.list" "-DOUTPUT=${generated}"
            "-DNAMESPACE=${namespace}" "-DHEADER=${header}" -P "${script}"
    DEPENDS ${fragments} "${generated}.list" "${script}" VERBATIM)
  target_sources(${target} PRIVATE "${generated}")
endfunction()

# Torch's headers cost 10 s per file: they are compiled once, for the first target, and reused.
function(t2n_torch_precompiled first)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_precompile_headers(${first} PRIVATE <torch/csrc/jit/api/module.h>
    <torch/csrc/jit/serialization/import.h> <torch/csrc/jit/runtime/operator.h>)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
