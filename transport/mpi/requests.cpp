#include "transport/mpi/requests.h"

#include <algorithm>

#include "transport/deadline.h"
#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

/// Sleeping after a single idle poll loses most of the bandwidth: MPI moves data only while it is polled.
constexpr int polls_in_a_burst = 16;

constexpr std::size_t fast_wire_bytes_per_microsecond = 4'000;
constexpr Nanoseconds shortest_nap = 20'000;
constexpr Nanoseconds longest_nap = 1'000'000;

}  // namespace

void Requests::add(MPI_Request request, RequestOwner& owner, std::uint64_t cookie, Kind kind, std::size_t bytes) {
  requests_.push_back(request);
  pending_.push_back({&owner, cookie, kind, bytes});
  if (kind == Kind::standing) return;
  ++moving_;
  moving_bytes_ += bytes;
  expect_progress();
}

bool Requests::poll() {
  if (requests_.empty() || !status_.ok()) return false;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int completed = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed, indices_.data(), statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
    status_ = status_of(code, "MPI_Testsome");
    return true;
  }
  if (completed == MPI_UNDEFINED || completed <= 0) {
    if (idle_polls_ < polls_in_a_burst) ++idle_polls_;
    return false;
  }
  over_.clear();
  gone_.clear();
  for (int position = 0; position < completed; ++position) {
    const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(position)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(position)];
    if (code == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_SUCCESS && status_.ok())
      status_ = status_of(status.MPI_ERROR, "an MPI transfer");
    over_.emplace_back(pending_[index], status);
    gone_.push_back(index);
  }
  std::sort(gone_.rbegin(), gone_.rend());
  for (const std::size_t index : gone_) take_out(index);
  expect_progress();
  if (!status_.ok()) return true;
  for (const auto& [pending, status] : over_) pending.owner->completed(pending.cookie, status);
  return true;
}

void Requests::take_out(std::size_t index) {
  if (pending_[index].kind == Kind::moving) {
    --moving_;
    moving_bytes_ -= pending_[index].bytes;
  }
  requests_[index] = requests_.back();
  pending_[index] = pending_.back();
  requests_.pop_back();
  pending_.pop_back();
}

std::optional<Nanoseconds> Requests::longest_sleep(bool awaited) const {
  if (moving_ == 0 && !awaited) return std::nullopt;
  if (idle_polls_ < polls_in_a_burst) return 0;
  const auto on_the_wire = static_cast<Nanoseconds>(moving_bytes_ * 1'000 / fast_wire_bytes_per_microsecond);
  const Nanoseconds waited = RealClock().now() - last_progress_;
  return std::clamp(std::max(on_the_wire / 4, waited / 16), shortest_nap, longest_nap);
}

void Requests::expect_progress() {
  idle_polls_ = 0;
  last_progress_ = RealClock().now();
}

bool Requests::cancel_all(Nanoseconds limit) {
  for (std::size_t index = 0; index < requests_.size(); ++index)
    if (pending_[index].kind == Kind::standing) MPI_Cancel(&requests_[index]);
  const Deadline deadline{std::chrono::nanoseconds(limit)};
  int all_over = 0;
  while (all_over == 0 && !deadline.passed()) {
    if (MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all_over, MPI_STATUSES_IGNORE) !=
        MPI_SUCCESS)
      return false;
  }
  if (all_over == 0) return false;
  requests_.clear();
  pending_.clear();
  return true;
}

}  // namespace treering::transport::mpi
