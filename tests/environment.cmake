# ctest reads this as it starts: what the set-up left in build/env.sh holds where the caller set nothing.
set(_file "${CMAKE_CURRENT_LIST_DIR}/../build/env.sh")
if(EXISTS "${_file}")
  file(STRINGS "${_file}" _lines REGEX "^[A-Z0-9_]+='")
  foreach(_line IN LISTS _lines)
    string(REGEX MATCH "^([A-Z0-9_]+)='(.*)'$" _line "${_line}")
    if(NOT DEFINED ENV{${CMAKE_MATCH_1}})
      set(ENV{${CMAKE_MATCH_1}} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
endif()
# A missing engine is a failure, whoever calls ctest; 0 is for machines that cannot have one.
if(NOT DEFINED ENV{T2NNEF_REQUIRE_ENGINE})
  set(ENV{T2NNEF_REQUIRE_ENGINE} 1)
endif()
# Tests run side by side: the threads of one model would only wait for those of the other.
if(NOT DEFINED ENV{OMP_NUM_THREADS})
  set(ENV{OMP_NUM_THREADS} 1)
endif()
