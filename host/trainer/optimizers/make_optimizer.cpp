#include <stdexcept>
#include <utility>

#include "host/trainer/optimizers/adamw.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/sgd.hpp"

namespace strata::trainer {

std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<at::Tensor> parameters) {
  switch (config.name) {
    case config::OptimizerName::kAdamW:
      return std::make_unique<AdamW>(config, std::move(parameters));
    case config::OptimizerName::kSgd:
      return std::make_unique<Sgd>(config, std::move(parameters));
  }
  throw std::logic_error("optimizer.name: the trainer does not know it, but the schema does");
}

}  // namespace strata::trainer
