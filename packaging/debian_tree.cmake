# Run by CPack on the tree of a .deb before it is packed: what Debian's policy requires of it.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share")
set(doc "${share}/doc/t2nnef")
file(REMOVE "${doc}/LICENSE")
configure_file("${CMAKE_CURRENT_LIST_DIR}/debian/copyright" "${doc}/copyright" COPYONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/debian/overrides" "${share}/lintian/overrides/t2nnef" COPYONLY)
file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH
file(WRITE "${doc}/changelog" "t2nnef (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed is listed in CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9n "${doc}/changelog" "${share}/man/man1/t2nnef.1" COMMAND_ERROR_IS_FATAL ANY)
