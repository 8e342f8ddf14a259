# What `cmake --install` and the packages hold: bin/t2nnef, lib/t2nnef, share. All paths inside are relative.
set(libraries libt2nnef)
if(T2N_WITH_TORCH)
  list(APPEND libraries libt2nnef_torch)
endif()
install(TARGETS t2nnef EXPORT t2nnef RUNTIME DESTINATION bin)
install(TARGETS ${libraries} LIBRARY DESTINATION lib/t2nnef)

# find_package(t2nnef) defines the program as t2nnef::t2nnef, for use in add_custom_command.
include(CMakePackageConfigHelpers)
set(version_file "${PROJECT_BINARY_DIR}/t2nnefConfigVersion.cmake")
write_basic_package_version_file("${version_file}" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(EXPORT t2nnef FILE t2nnefConfig.cmake NAMESPACE t2nnef:: DESTINATION lib/cmake/t2nnef)
install(FILES "${version_file}" DESTINATION lib/cmake/t2nnef)

# Made by the program itself, so that they say what it says.
set(share "${PROJECT_BINARY_DIR}/share")
function(t2n_made_by_program path)
  get_filename_component(folder "${share}/${path}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${share}/${path}" DEPENDS t2nnef
    COMMAND t2nnef ${ARGN} > "${share}/${path}.part"
    COMMAND "${CMAKE_COMMAND}" -E rename "${share}/${path}.part" "${share}/${path}")
  set_property(GLOBAL APPEND PROPERTY T2N_SHARED "${share}/${path}")
endfunction()
t2n_made_by_program(man/man1/t2nnef.1 help --man)
t2n_made_by_program(bash-completion/completions/t2nnef completion bash)
t2n_made_by_program(zsh/site-functions/_t2nnef completion zsh)
t2n_made_by_program(fish/vendor_completions.d/t2nnef.fish completion fish)
get_property(shared GLOBAL PROPERTY T2N_SHARED)
add_custom_target(t2n_share ALL DEPENDS ${shared})
install(DIRECTORY "${share}/" DESTINATION share)
install(FILES src/extend/t2nnef_plugin.h DESTINATION include/t2nnef)
install(FILES docs/report.schema.json DESTINATION share/t2nnef)
install(FILES LICENSE THIRD_PARTY.md README.md SECURITY.md CHANGELOG.md DESTINATION share/doc/t2nnef)

# Only for packages that cannot name others: `cmake --install build/release --component bundle`.
install(CODE "execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/packaging/bundle.sh\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT bundle EXCLUDE_FROM_ALL)

set(T2N_MAINTAINER "The t2nnef authors <t2nnef@localhost>" CACHE STRING "Who answers for the Debian package")
set(CPACK_PACKAGE_NAME t2nnef)
set(CPACK_PACKAGE_VENDOR "The t2nnef authors")
set(CPACK_PACKAGE_CONTACT "${T2N_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exporter from TorchScript to NNEF")
set(CPACK_PACKAGE_DESCRIPTION "Writes TorchScript models, float or quantised, as NNEF for the engine tract
or for any reader of strict NNEF, and checks that the file computes what
the model computes. LibTorch comes from pip, as does the engine for checks.")
set(CPACK_GENERATOR DEB)  # packaging/tarball.sh makes archives, which contain more
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian_tree.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-venv")  # where pip installs LibTorch and tract
# In place of CPack's, which runs ldconfig: nothing else links our libraries.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/debian/triggers")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_SOURCE_DIR}/build" "${LIBTORCH_LIBRARY_DIR}")
include(CPack)
