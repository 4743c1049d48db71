#include "transport/mpi/communicators.h"

#include <climits>
#include <cstdint>
#include <string>

#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

MPI_Comm duplicate(MPI_Comm original) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(original, &copy), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return copy;
}

}  // namespace

Communicators::Communicators(MPI_Comm job) {
  start_ = duplicate(job);
  control_ = duplicate(start_);
  data_ = duplicate(start_);
  check(MPI_Comm_rank(start_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(start_, &size_), "MPI_Comm_size");
  int* bound = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(data_, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr");
  max_tag_ = found != 0 ? *bound : 32767;  // the least that the standard allows
}

std::vector<Bytes> Communicators::gather_all(const Bytes& mine) const {
  const auto ranks = static_cast<std::size_t>(size_);
  std::uint64_t own = mine.size();
  std::vector<std::uint64_t> lengths(ranks);
  check(MPI_Allgather(&own, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, start_), "MPI_Allgather");
  std::vector<int> counts;
  std::vector<int> offsets;
  std::uint64_t total = 0;
  for (const std::uint64_t length : lengths) {
    counts.push_back(static_cast<int>(length));
    offsets.push_back(static_cast<int>(total));
    total += length;
    if (length > INT_MAX || total > INT_MAX)
      throw Error(StatusCode::internal, "the ranks exchange more than 2 GiB at start");
  }
  Bytes joined(total);
  check(MPI_Allgatherv(mine.data(), static_cast<int>(own), MPI_BYTE, joined.data(), counts.data(), offsets.data(),
                       MPI_BYTE, start_),
        "MPI_Allgatherv");
  std::vector<Bytes> result;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto begin = joined.begin() + offsets[rank];
    result.emplace_back(begin, begin + counts[rank]);
  }
  return result;
}

void Communicators::free() {
  for (MPI_Comm* each : {&data_, &control_, &start_})
    if (*each != MPI_COMM_NULL) MPI_Comm_free(each);
}

}  // namespace treering::transport::mpi
