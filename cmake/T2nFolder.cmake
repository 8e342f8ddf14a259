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
  set_property(TARGET ${arg_INTO} APPEND PROPERTY T2N_FOLDERS t2n_${name})
endfunction()

# Headers of the standard library that most files include: read once, which is a quarter of the compiler's time. The
# preset `tidy` goes without, and so sees files that include too little.
set(T2N_STANDARD_HEADERS <algorithm> <any> <functional> <map> <memory> <optional> <string> <string_view>
                         <unordered_map> <unordered_set> <utility> <variant> <vector>)

# t2n_standard_precompiled(<target>...): for targets with the same options, and no definitions of their own.
function(t2n_standard_precompiled)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/standard_headers.cpp" CONTENT "// Owns the headers.\n" @ONLY)
  add_library(t2n_standard OBJECT "${PROJECT_BINARY_DIR}/generated/standard_headers.cpp")
  target_link_libraries(t2n_standard PRIVATE t2n_warnings)
  target_precompile_headers(t2n_standard PRIVATE ${T2N_STANDARD_HEADERS})
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM t2n_standard)
  endforeach()
endfunction()

# t2n_sanitized(<target> <library>): <library> once more, in a folder of its own, with sanitizers. A
# program that is started with their runtime and this folder in LD_LIBRARY_PATH takes it instead.
function(t2n_sanitized target library)
  get_target_property(folders ${library} T2N_FOLDERS)
  add_library(${target} SHARED)
  foreach(folder IN LISTS folders)
    target_sources(${target} PRIVATE $<TARGET_PROPERTY:${folder},SOURCES>)
    target_link_libraries(${target} PRIVATE $<TARGET_PROPERTY:${folder},LINK_LIBRARIES>)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${folder},COMPILE_DEFINITIONS>)
  endforeach()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  # Null pointers end in a signal anyway, which is caught as well; these checks are a third of the compiler's time.
  # Warnings are those of the other build, less false ones that come with -O0.
  target_compile_options(${target} PRIVATE -O0 -w -fsanitize=address,undefined
    -fno-sanitize=vptr,null,alignment,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE ${T2N_STANDARD_HEADERS})
  endif()
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME t2nnef
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/sanitized")
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

# Torch's headers cost 10 s per file: they are compiled once, for the first target, and reused. The templates that they
# instantiate cost 2 s more, precompiled or not: a few files share them, so names of one folder must not collide.
function(t2n_torch_precompiled first)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_precompile_headers(${first} PRIVATE <torch/csrc/jit/api/module.h>
    <torch/csrc/jit/serialization/import.h> <torch/csrc/jit/runtime/operator.h>)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
  set_target_properties(${ARGV} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
endfunction()
