# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each kind of package: a tarball has one folder with the package's name, and no usr/ in it.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
