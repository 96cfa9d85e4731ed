// write_pages FOLDER: the pages that tests/browser opens, as FOLDER/<name>.html.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "host/analysis/pace.hpp"
#include "host/report/page.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace {

void write_page(const strata::analysis::Facts& facts, const std::filesystem::path& html) {
  std::ofstream file(html, std::ios::binary);
  file << strata::report::page(facts);
  file.close();
  if (!file) throw std::runtime_error(html.string() + " cannot be written");
}

void write_pages(const std::filesystem::path& folder) {
  using strata::report::testing::hostile_facts;
  using strata::report::testing::simulate;
  std::filesystem::create_directories(folder);
  write_page(simulate({}), folder / "training.html");
  write_page({}, folder / "empty.html");
  write_page(hostile_facts(), folder / "hostile.html");
  // About a million events: more than the page holds one by one.
  write_page(simulate({.steps = 1080, .first_active_step = 10}), folder / "long.html");
  // More steps and phases than the page holds.
  write_page(simulate({.steps = 3500, .first_active_step = 1750, .layers = 0}), folder / "many_steps.html");
  auto images = simulate({.steps = 3, .first_active_step = 1, .layers = 1});
  images.unit = "images";
  write_page(images, folder / "images.html");
  auto troubled = simulate({.steps = 4, .first_active_step = 1, .layers = 4});
  troubled.end = "killed";
  troubled.steps.back().complete = false;
  troubled.pace = strata::analysis::window_pace(troubled.steps, troubled.first_step, troubled.last_step);
  troubled.plugins.push_back({"nvtx_markers", "disabled", "libnvToolsExt was not found"});
  troubled.warnings.emplace_back("rank 0: the process died; 3 spools were drained when the run was opened");
  write_page(troubled, folder / "troubled.html");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_pages FOLDER\n", stderr);
    return 2;
  }
  try {
    write_pages(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_pages: %s\n", error.what());
    return 1;
  }
  return 0;
}
