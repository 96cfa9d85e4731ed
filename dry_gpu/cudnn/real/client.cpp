// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/client.hpp"

namespace strata::dry_gpu::real_cudnn {

std::string text_of(std::int32_t mode, const std::string& graph) {
  return "mode " + std::to_string(mode) + '\n' + graph;
}

Client::Client(AnswerFiles files, Start start, Say say)
    : files_(std::move(files)), start_(std::move(start)), say_(std::move(say)) {}

std::shared_ptr<Question> Client::ask(std::int32_t mode, const std::string& graph) {
  const std::scoped_lock lock(mutex_);
  const auto key = std::make_pair(mode, graph);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  std::optional<Configurations> answer = files_.read(text_of(mode, graph));
  if (!answer) {
    Asker* const asked = asker();
    if (asked == nullptr) return nullptr;
    answer = asked->configurations(mode, graph);
    check();
    if (answer) files_.write(text_of(mode, graph), *answer);
  }
  if (!answer && has_failed_) return nullptr;
  std::shared_ptr<Question> question;
  if (answer && !answer->empty())
    question =
        std::make_shared<Question>(Question{.mode = mode, .graph = graph, .answer = std::move(*answer)});
  known_.emplace(key, question);
  return question;
}

std::optional<Plan> Client::plan(Question& question, std::size_t place) {
  const std::scoped_lock lock(mutex_);
  if (place >= question.answer.size()) return std::nullopt;
  std::optional<Plan>& plan = question.answer[place].plan;
  if (plan) return plan;
  Asker* const asked = asker();
  if (asked == nullptr) return std::nullopt;
  plan = asked->plan(question.mode, place, question.graph);
  check();
  if (plan) files_.write(text_of(question.mode, question.graph), question.answer);
  return plan;
}

Asker* Client::asker() {
  if (asker_ != nullptr || has_failed_) return asker_.get();
  Asker::Started started = start_();
  asker_ = std::move(started.asker);
  if (asker_ == nullptr) {
    has_failed_ = true;
    say_(started.problem);
  }
  return asker_.get();
}

void Client::check() {
  if (asker_ == nullptr || !asker_->is_over()) return;
  asker_.reset();
  has_failed_ = true;
  say_("its process ended, or did not answer in time");
}

void Client::after_fork_in_child() {
  if (asker_ != nullptr) asker_->leave();
  asker_.reset();
  mutex_.unlock();
}

}  // namespace strata::dry_gpu::real_cudnn
