// Run by hosts.sh on 2 hosts with 2 ranks each: the hosts look like hosts, and their bytes go over the wire.
#include <doctest/doctest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int hosts = 2;
constexpr int ranks_per_host = 2;
constexpr std::size_t message_bytes = std::size_t{4} << 20;

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

int count_deletion(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  ++*static_cast<int*>(value);
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE("hosts: each has its name, and ranks share memory within a host only") {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  REQUIRE(size == hosts * ranks_per_host);

  std::string mine = host_name();
  mine.resize(MPI_MAX_PROCESSOR_NAME);
  std::vector<char> all(static_cast<std::size_t>(size) * MPI_MAX_PROCESSOR_NAME);
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                MPI_COMM_WORLD);
  std::set<std::string> names;
  for (std::size_t index = 0; index < all.size(); index += MPI_MAX_PROCESSOR_NAME) names.insert(&all[index]);
  CHECK(names == std::set<std::string>{"h1", "h2"});

  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int local_size = 0;
  MPI_Comm_size(node, &local_size);
  CHECK(local_size == ranks_per_host);
  MPI_Comm_free(&node);
}

TEST_CASE("hosts: a message to the other host arrives") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int peer = (rank + ranks_per_host) % (hosts * ranks_per_host);
  std::vector<unsigned char> sent(message_bytes);
  for (std::size_t index = 0; index < sent.size(); ++index)
    sent[index] = static_cast<unsigned char>(index * 31 + static_cast<std::size_t>(rank) * 7 + index / 251);
  std::vector<unsigned char> received(message_bytes);
  MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_BYTE, peer, 0, received.data(),
               static_cast<int>(received.size()), MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::size_t wrong = 0;
  for (std::size_t index = 0; index < received.size(); ++index)
    wrong +=
        received[index] != static_cast<unsigned char>(index * 31 + static_cast<std::size_t>(peer) * 7 + index / 251);
  CHECK(wrong == 0);
}

TEST_CASE("hosts: attributes of MPI_COMM_SELF work under the shim") {
  int deletions = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deletion, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &deletions);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &deletions);  // replacing deletes the first
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  MPI_Comm_free_keyval(&keyval);
  CHECK(deletions == 2);
}
