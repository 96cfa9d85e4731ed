#include "host/cli/trainer_library.hpp"

#include "host/cli/part_library.hpp"

namespace strata::cli {

std::filesystem::path trainer_library_path() {
  return part_library_path("libstrata_trainer.so");
}

trainer::RunFunction load_trainer() {
  return reinterpret_cast<trainer::RunFunction>(
      find_in_part(trainer_library_path(), trainer::kRunSymbol, "the trainer"));
}

}  // namespace strata::cli
