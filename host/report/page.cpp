#include "host/report/page.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "host/report/page/page_template.hpp"
#include "host/report/page_data.hpp"

namespace strata::report {
namespace {

[[noreturn]] void fail(const std::filesystem::path& html, const std::error_code& cause) {
  throw std::runtime_error(
      fmt::format("{}: the report could not be written: {}. Check that its folder exists, "
                  "can be written to and has room.",
                  html.string(), cause.message()));
}

std::error_code last_error() {
  return {errno == 0 ? EIO : errno, std::generic_category()};
}

}  // namespace

void write_page(const analysis::Facts& facts, const std::filesystem::path& html) {
  auto unfinished = html;
  unfinished += ".unfinished";
  const auto abandon = [&](const std::error_code& cause) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    fail(html, cause);
  };

  errno = 0;
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  if (!out) fail(html, last_error());
  out << kPageBeforeData << page_data(facts) << kPageAfterData;
  out.close();
  if (!out) abandon(last_error());

  std::error_code error;
  std::filesystem::rename(unfinished, html, error);
  if (error) abandon(error);
}

}  // namespace strata::report
