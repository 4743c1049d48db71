#include "transport/sim/all_reduce_task.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/host/cast.h"
#include "device/kernels.h"

namespace treering::transport::sim {

using device::sim::Outcome;

Outcome AllReduceTask::step(const device::sim::Resolve& resolve, std::string& why) {
  Membership& group = *membership_;
  Seat& seat = group.board.seat(group.rank);
  if (group.aborted) return Outcome::done;
  if (what_.stuck) return Outcome::blocked;
  if (phase_ == Phase::arriving) {
    seat.announced = what_.announced;
    seat.arrived.store(number_ + 1);
    phase_ = Phase::waiting;
    return Outcome::moved;
  }
  if (phase_ == Phase::waiting) {
    if (!group.board.all(group.size, &Seat::arrived, number_ + 1)) return Outcome::blocked;
    if (group.broken || !agree()) {
      group.broken = true;
      return Outcome::blocked;
    }
    if (const Status status = compute(); !status.ok()) {
      why = status.message();
      return Outcome::failed;
    }
    seat.computed.store(number_ + 1);
    phase_ = Phase::writing;
    return Outcome::moved;
  }
  if (!group.board.all(group.size, &Seat::computed, number_ + 1)) return Outcome::blocked;
  std::byte* const output = bytes() == 0 ? nullptr : resolve(what_.output, bytes(), why);
  if (bytes() > 0 && output == nullptr) return Outcome::failed;
  if (bytes() > 0) std::memcpy(output, result_.data(), bytes());
  ++group.finished;
  return Outcome::done;
}

bool AllReduceTask::agree() const {
  for (int rank = 0; rank < membership_->size; ++rank) {
    const Announced& other = membership_->board.seat(rank).announced;
    if (other.elements != what_.elements || other.type != what_.type || other.op != what_.op) return false;
  }
  return true;
}

namespace {

/// NCCL's minimum and maximum of floats lose a NaN where the other operand is a number.
void extremes_without_nan(const AllReduce& what, const std::vector<const std::byte*>& sources, std::byte* result) {
  std::vector<double> total(what.elements, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> operand(what.elements);
  const auto bytes_of = [](std::vector<double>& values) { return reinterpret_cast<std::byte*>(values.data()); };
  for (const std::byte* const source : sources) {
    device::host_cast(what.type, source, DataType::f64, bytes_of(operand), what.elements, 1.0);
    for (std::size_t i = 0; i < what.elements; ++i)
      total[i] = what.op == ReduceOp::min ? std::fmin(total[i], operand[i]) : std::fmax(total[i], operand[i]);
  }
  device::host_cast(DataType::f64, bytes_of(total), what.type, result, what.elements, 1.0);
}

}  // namespace

Status AllReduceTask::compute() {
  result_.resize(bytes());
  if (bytes() == 0) return {};
  std::vector<device::sim::MemoryFile> files(static_cast<std::size_t>(membership_->size));
  std::vector<const std::byte*> sources;
  for (int rank = 0; rank < membership_->size; ++rank) {
    const Announced& other = membership_->board.seat(rank).announced;
    device::sim::MemoryFile& file = files[static_cast<std::size_t>(rank)];
    Status status = device::sim::MemoryFile::open(other.memory, 0, file);
    if (!status.ok()) return status;
    if (bytes() > file.size() - other.offset)
      return {StatusCode::internal, "a collective reads beyond the memory of member " + std::to_string(rank)};
    sources.push_back(file.bytes() + other.offset);
  }
  if (is_floating(what_.type) && (what_.op == ReduceOp::min || what_.op == ReduceOp::max)) {
    extremes_without_nan(what_, sources, result_.data());
    return {};
  }
  device::Reduction what;
  what.type = what_.type;
  what.op = what_.op;
  const std::array<std::byte*, 1> destination = {result_.data()};
  device::host_kernels().reduce(what, sources, destination, bytes());
  return {};
}

bool AllReduceTask::touches(const std::byte* address, std::size_t size) const {
  const auto meets = [&](const std::byte* begin) { return begin < address + size && address < begin + bytes(); };
  return meets(what_.input) || meets(what_.output);
}

}  // namespace treering::transport::sim
