# Functions that turn folders into targets.

# t2n_in_batches(<size> <target>...): so many sources are compiled as one, which shares the templates that they
# instantiate: less than half the compiler's time. Private names of a folder must not collide: tests/fence.
function(t2n_in_batches size)
  if(T2N_BATCHES)
    if(T2N_WHOLE)
      math(EXPR size "4 * ${size}")
    endif()
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# t2n_together(<target> <other>...): where sources are compiled as a whole, <target> compiles those of the others as well:
# folders with the same options, which include the same headers. A copy with sanitizers must have been made before.
function(t2n_together target)
  if(NOT T2N_BATCHES OR NOT T2N_WHOLE)
    return()
  endif()
  foreach(other IN LISTS ARGN)
    get_target_property(sources ${other} SOURCES)
    get_target_property(libraries ${other} LINK_LIBRARIES)
    target_sources(${target} PRIVATE ${sources})
    target_link_libraries(${target} PRIVATE ${libraries})
    set_property(TARGET ${other} PROPERTY SOURCES "${PROJECT_BINARY_DIR}/generated/nothing.cpp")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/nothing.cpp" CONTENT "// Compiled elsewhere.\n" @ONLY)
  set_source_files_properties("${PROJECT_BINARY_DIR}/generated/nothing.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# t2n_run_once(<target>...): code that runs once per operation or option, not per element, is optimised less: a quarter of
# the compiler's time, which it never saves. Some warnings are then false. Precompiled headers must be made alike: GCC
# crashes otherwise.
function(t2n_run_once)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> -Wno-array-bounds -Wno-stringop-overflow)
    endif()
  endforeach()
endfunction()

# t2n_folder(<path> INTO <target> [ONCE] [SANITIZED] [LINKS <library>...]): object library t2n_<path without src> of all
# <path>/*.cpp, linked into <target>. ONCE: see t2n_run_once; SANITIZED: see t2n_sanitized. Which folder may include
# which is checked by tests/fence. Folders with tests have them in tests/<path without src>, or in its first part.
function(t2n_folder path)
  cmake_parse_arguments(arg "ONCE;SANITIZED" "INTO" "LINKS" ${ARGN})
  string(REGEX REPLACE "^src/" "" name "${path}")
  string(REPLACE "/" "_" name "${name}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${path}/*.cpp")
  add_library(t2n_${name} OBJECT ${sources})
  target_include_directories(t2n_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(t2n_${name} PRIVATE t2n_warnings ${arg_LINKS})
  target_link_libraries(${arg_INTO} PRIVATE t2n_${name} ${arg_LINKS})
  set_property(TARGET ${arg_INTO} APPEND PROPERTY T2N_FOLDERS t2n_${name})
  foreach(kind ONCE SANITIZED)
    if(arg_${kind})
      set_property(TARGET ${arg_INTO} APPEND PROPERTY T2N_${kind} t2n_${name})
    endif()
  endforeach()
endfunction()

# Headers of the standard library that most files include: read once, which is a quarter of the compiler's time. The
# preset `tidy` goes without, and so sees files that include too little.
set(T2N_STANDARD_HEADERS <algorithm> <any> <functional> <map> <memory> <optional> <string> <string_view>
                         <unordered_map> <unordered_set> <utility> <variant> <vector>)

# t2n_standard_precompiled(<owner> <options> <target>...): for targets with these options, and no definitions of their
# own. The headers belong to the object library <owner>, which is made for it.
function(t2n_standard_precompiled owner options)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/standard_headers.cpp" CONTENT "// Owns the headers.\n" @ONLY)
  add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/generated/standard_headers.cpp")
  target_link_libraries(${owner} PRIVATE ${options})
  target_precompile_headers(${owner} PRIVATE ${T2N_STANDARD_HEADERS})
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# t2n_sanitized(<target> <library>): <library> once more, in a folder of its own, with sanitizers in its SANITIZED folders;
# the others are linked as they are: no test looks at them alone. A program that is started with their runtime and this
# folder in LD_LIBRARY_PATH takes it instead.
function(t2n_sanitized target library)
  get_target_property(folders ${library} T2N_FOLDERS)
  get_target_property(sanitized ${library} T2N_SANITIZED)
  # Null pointers end in a signal anyway, which is caught as well; these checks are a third of the compiler's time.
  # Warnings are those of the other build, less false ones that come with -O0.
  add_library(${target}_options INTERFACE)
  target_include_directories(${target}_options INTERFACE "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target}_options INTERFACE -O0 -w -fsanitize=address,undefined
    -fno-sanitize=vptr,null,alignment,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_library(${target} SHARED)
  foreach(folder IN LISTS folders)
    if(NOT folder IN_LIST sanitized)
      target_link_libraries(${target} PRIVATE ${folder} $<TARGET_PROPERTY:${folder},LINK_LIBRARIES>)
      continue()
    endif()
    get_target_property(sources ${folder} SOURCES)
    add_library(${folder}_sanitized OBJECT ${sources})
    target_link_libraries(${folder}_sanitized PRIVATE $<TARGET_PROPERTY:${folder},LINK_LIBRARIES> ${target}_options)
    target_compile_definitions(${folder}_sanitized PRIVATE $<TARGET_PROPERTY:${folder},COMPILE_DEFINITIONS>)
    target_link_libraries(${target} PRIVATE ${folder}_sanitized $<TARGET_PROPERTY:${folder},LINK_LIBRARIES>)
    list(APPEND copies ${folder}_sanitized)
  endforeach()
  t2n_in_batches(24 ${copies})
  t2n_standard_precompiled(${target}_standard ${target}_options ${copies})
  target_link_options(${target} PRIVATE -fsanitize=address,undefined)
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

# t2n_embed_text(<target> <file> <namespace> <function> <header>): compiles a text into <target> as
# <namespace>::<function>(), which <header> declares.
function(t2n_embed_text target text namespace function header)
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}_${function}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake")
  add_custom_command(OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DTEXT=${PROJECT_SOURCE_DIR}/${text}" "-DOUTPUT=${generated}"
            "-DNAMESPACE=${namespace}" "-DFUNCTION=${function}" "-DHEADER=${header}" -P "${script}"
    DEPENDS "${PROJECT_SOURCE_DIR}/${text}" "${script}" VERBATIM)
  target_sources(${target} PRIVATE "${generated}")
endfunction()

# t2n_embed_page(<target> <folder>): compiles the page in <folder> into <target>, with the layout library that setup.sh
# has downloaded. Without it, the program cannot write .html.
function(t2n_embed_page target folder)
  find_file(T2N_DAGRE dagre.js PATHS "${PROJECT_SOURCE_DIR}/build/dagre" NO_DEFAULT_PATH)
  set(dagre "${T2N_DAGRE}")
  if(NOT dagre)
    set(dagre "")
    message(WARNING "build/dagre/dagre.js is missing, so `t2nnef graph` will not write .html: run cmake/setup.sh")
  endif()
  file(GLOB parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*")
  set(generated "${PROJECT_BINARY_DIR}/generated/${target}_page.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake")
  add_custom_command(OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${PROJECT_SOURCE_DIR}/${folder}" "-DDAGRE=${dagre}" "-DOUTPUT=${generated}"
            -P "${script}"
    DEPENDS ${parts} ${dagre} "${script}" VERBATIM)
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
