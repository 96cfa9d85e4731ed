# SPDX-License-Identifier: Apache-2.0
# The packages: a .deb and a tarball, by `./dev package` or `cpack --config <build>/CPackConfig.cmake`.
# Neither contains torch: the installed program finds the user's (host/cli/torch_libraries.hpp).
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME strata)
set(CPACK_PACKAGE_VENDOR "Strata")
set(CPACK_PACKAGE_CONTACT "Strata <strata@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"A host that loads plugins into a LibTorch training loop, and into any program that uses PyTorch, and turns
what they record into tables and pages. Torch ${STRATA_TORCH_VERSION} is found with the python3 in PATH or in STRATA_TORCH_ROOT.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
# Found at run time and in no package: libraries that the user brings.
if(STRATA_WITH_TORCH)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${torch_root}/lib)
endif()

# A tarball is one folder that runs from any location.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_kind.cmake)
include(CPack)
