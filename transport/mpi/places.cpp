#include "transport/mpi/places.h"

#include <unistd.h>

#include <string>

#include "transport/mpi/errors.h"

namespace treering::transport::mpi {

namespace {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace

std::vector<Place> find_places(MPI_Comm job, const Gather& gather) {
  MPI_Comm sharing = MPI_COMM_NULL;
  int rank = 0;
  check(MPI_Comm_rank(job, &rank), "MPI_Comm_rank");
  check(MPI_Comm_split_type(job, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing), "MPI_Comm_split_type");
  int leader = rank;  // ranks keep their order, so the first one of the split is the lowest
  check(MPI_Bcast(&leader, 1, MPI_INT, 0, sharing), "MPI_Bcast");
  check(MPI_Comm_free(&sharing), "MPI_Comm_free");
  ByteWriter writer;
  writer.put_varint(static_cast<std::uint64_t>(leader));
  writer.put_string(host_name());
  std::vector<Place> places;
  for (const Bytes& bytes : gather(writer.take())) {
    ByteReader reader(bytes);
    Place place;
    place.split_leader = static_cast<int>(reader.get_varint());
    place.host = reader.get_string(256);
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace treering::transport::mpi
