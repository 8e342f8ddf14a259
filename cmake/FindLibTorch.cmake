# Finds LibTorch as cmake/find_libtorch.sh says; -DT2NNEF_TORCH=folder overrules. TorchConfig.cmake is not
# used: for CUDA wheels it wants a CUDA toolkit.
# Defines LibTorch::torch, LIBTORCH_ROOT, LIBTORCH_VERSION and LIBTORCH_LIBRARY_DIR.
set(T2NNEF_TORCH "" CACHE PATH "LibTorch: a folder with include/ and lib/")

set(_environment "")
if(T2NNEF_TORCH)
  list(APPEND _environment "T2NNEF_TORCH=${T2NNEF_TORCH}")
endif()
if(CMAKE_PREFIX_PATH)
  list(JOIN CMAKE_PREFIX_PATH ":" _prefixes)
  list(APPEND _environment "CMAKE_PREFIX_PATH=${_prefixes}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${_environment} sh "${CMAKE_CURRENT_LIST_DIR}/find_libtorch.sh"
  OUTPUT_VARIABLE _found OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^(.*)\n(.*)$" _found "${_found}")
set(LIBTORCH_ROOT "${CMAKE_MATCH_1}")
set(LIBTORCH_VERSION "${CMAKE_MATCH_2}")
set(LIBTORCH_LIBRARY_DIR "${LIBTORCH_ROOT}/lib")

# Another LibTorch found by the set-up is another configuration.
if(EXISTS "${PROJECT_SOURCE_DIR}/build/env.sh")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/build/env.sh")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LIBTORCH_ROOT VERSION_VAR LIBTORCH_VERSION
  REASON_FAILURE_MESSAGE "LibTorch 2.9 or later is needed: a folder with include/ and lib/, such as \
site-packages/torch of 'pip install torch'. 'make setup' installs one under build/. Or name yours with \
-DT2NNEF_TORCH=folder or the variable T2NNEF_TORCH, or configure with -DT2N_WITH_TORCH=OFF.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::torch)
  # No ABI flag: wheels and archives have the compiler's default, the C++11 ABI, since 2.7.
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${LIBTORCH_LIBRARY_DIR}/libc10.so")
  add_library(LibTorch::torch SHARED IMPORTED)
  set_target_properties(LibTorch::torch PROPERTIES
    IMPORTED_LOCATION "${LIBTORCH_LIBRARY_DIR}/libtorch_cpu.so"
    INTERFACE_INCLUDE_DIRECTORIES
      "${LIBTORCH_ROOT}/include;${LIBTORCH_ROOT}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES LibTorch::c10
    # What a CUDA build's libraries need themselves is not ours to resolve.
    INTERFACE_LINK_OPTIONS "-Wl,--allow-shlib-undefined")
endif()
