# SPDX-License-Identifier: Apache-2.0
# nlohmann-json, 3.10 or later: manifest.json, summary.json and the configuration's JSON Schema. Headers only.
# From the system: nlohmann-json3-dev.
find_package(nlohmann_json 3.10 REQUIRED)
