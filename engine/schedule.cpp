#include "engine/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/check.h"
#include "fusion/plan.h"

namespace treering {
namespace {

constexpr std::size_t label_length = 120;

std::string label_of(const fusion::Batch& batch, const std::vector<controller::Token>& tokens, PendingTable& pending) {
  if (batch.segments.empty()) return {};
  const auto& first = batch.segments.front();
  const PendingTask& task = *pending.find(tokens[first.item]);
  std::string label = task.task().request.tensors[first.tensor].name.substr(0, label_length);
  if (batch.segments.size() > 1) label += fmt::format(" and {} more", batch.segments.size() - 1);
  return label;
}

/// The sizes came from other ranks: a sum that no memory can hold is refused before it is used.
std::int64_t checked_sum(const std::vector<std::int64_t>& rows, const TensorSpec& spec) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 56;
  const auto most_rows = most_bytes / std::max<std::int64_t>(1, static_cast<std::int64_t>(spec.bytes()));
  std::int64_t sum = 0;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (rows[rank] < 0 || rows[rank] > most_rows - sum)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("allgather \"{}\": rank {} announces {} rows; together that is more than 2^56 bytes",
                              spec.name, rank, rows[rank]));
    sum += rows[rank];
  }
  return sum;
}

std::shared_ptr<std::byte[]> aligned_bytes(std::size_t count) {
  constexpr std::align_val_t line{64};
  return {static_cast<std::byte*>(::operator new[](count, line)),
          [](std::byte* memory) { ::operator delete[](memory, line); }};
}

}  // namespace

/// The two stages of one allgather on this rank.
struct Schedule::Gather {
  controller::Token token = 0;
  std::int64_t rows = 0;
  std::vector<std::int64_t> all_rows;
  std::shared_ptr<std::byte[]> output;
  bool sizes_known = false;
};

void Schedule::add(const controller::RoundReady& ready) {
  for (fusion::Batch& batch : fusion::plan(ready.round, tunables_)) {
    Entry entry{std::make_shared<const fusion::Batch>(std::move(batch)), ready.round.sequence, ready.tokens, nullptr};
    if (entry.batch->kind == OperationKind::allgather) {
      const controller::Token token = ready.tokens[entry.batch->item];
      entry.gather = std::make_shared<Gather>();
      entry.gather->token = token;
      entry.gather->rows = pending_.find(token)->task().rows;
      entry.gather->all_rows.resize(static_cast<std::size_t>(world_.size));
    }
    waiting_.push_back(std::move(entry));
  }
}

std::optional<ops::Submission> Schedule::next() {
  if (waiting_.empty()) return std::nullopt;
  Entry& entry = waiting_.front();
  ops::Submission submission;
  if (!entry.gather) {
    submission = submission_of(entry);
  } else if (entry.gather->sizes_known) {
    submission = row_submission(entry);
  } else if (running_.contains(next_cookie_ - 1) && running_.at(next_cookie_ - 1).gather == entry.gather) {
    return std::nullopt;  // sizes under way
  } else {
    submission = size_submission(entry);
  }
  submission.cookie = next_cookie_++;
  const bool stays = entry.gather && !entry.gather->sizes_known;
  running_.emplace(submission.cookie, entry);
  if (!stays) waiting_.pop_front();
  return submission;
}

ops::Submission Schedule::submission_of(const Entry& entry) const {
  ops::Submission submission;
  submission.batch = entry.batch;
  const auto devices = static_cast<std::size_t>(world_.devices_of(world_.rank));
  submission.memory.reserve(devices * entry.batch->segments.size());
  for (std::size_t device = 0; device < devices; ++device)
    for (const fusion::Segment& segment : entry.batch->segments) {
      const TensorMemory& memory = pending_.find(entry.tokens[segment.item])->task().memory(segment.tensor, device);
      submission.memory.push_back({memory.input + segment.tensor_offset, memory.output + segment.tensor_offset});
    }
  submission.label = label_of(*entry.batch, entry.tokens, pending_);
  return submission;
}

ops::Submission Schedule::size_submission(const Entry& entry) const {
  ops::Submission submission;
  submission.batch = entry.batch;
  submission.gather_bytes.assign(static_cast<std::size_t>(world_.size), sizeof(std::int64_t));
  submission.gather_input = reinterpret_cast<const std::byte*>(&entry.gather->rows);
  submission.gather_output = reinterpret_cast<std::byte*>(entry.gather->all_rows.data());
  submission.label = pending_.find(entry.gather->token)->task().name().substr(0, label_length) + " (sizes)";
  return submission;
}

ops::Submission Schedule::row_submission(const Entry& entry) const {
  const Task& task = pending_.find(entry.gather->token)->task();
  const std::uint64_t row_bytes = task.request.tensors.front().bytes();
  ops::Submission submission;
  submission.batch = entry.batch;
  for (const std::int64_t rows : entry.gather->all_rows)
    submission.gather_bytes.push_back(static_cast<std::uint64_t>(rows) * row_bytes);
  submission.gather_input = task.first.input;
  submission.gather_output = entry.gather->output.get();
  submission.label = pending_.find(entry.gather->token)->task().name().substr(0, label_length);
  return submission;
}

void Schedule::begin_rows(const Entry& entry) {
  Gather& gather = *entry.gather;
  const Task& task = pending_.find(gather.token)->task();
  const TensorSpec& spec = task.request.tensors.front();
  const std::int64_t rows = checked_sum(gather.all_rows, spec);
  gather.output = aligned_bytes(static_cast<std::size_t>(rows) * spec.bytes());
  Shape shape = spec.shape;
  shape.insert(shape.begin(), rows);
  pending_.find(gather.token)
      ->operation->set_gathered(Gathered(gather.output, spec.type, std::move(shape), gather.all_rows));
  gather.sizes_known = true;
}

Schedule::Origin Schedule::origin_of(std::uint64_t cookie) const {
  const Entry& entry = running_.at(cookie);
  return {entry.round, entry.tokens};
}

std::vector<Schedule::Progress> Schedule::finished(std::uint64_t cookie, std::uint64_t& executed) {
  const auto found = running_.find(cookie);
  TREERING_CHECK(found != running_.end(), "a submission ended that never began");
  const Entry entry = std::move(found->second);
  running_.erase(found);

  if (entry.gather) {
    if (entry.gather->sizes_known) return {{entry.gather->token, 1}};
    begin_rows(entry);
    return {};
  }
  std::vector<Progress> progress;
  for (const fusion::Segment& segment : entry.batch->segments) {
    executed += segment.bytes;
    const controller::Token token = entry.tokens[segment.item];
    if (!progress.empty() && progress.back().token == token) {
      progress.back().count += segment.bytes;
    } else {
      progress.push_back({token, segment.bytes});
    }
  }
  return progress;
}

}  // namespace treering
