#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "transport/fork/hub.h"
#include "transport/fork/seat.h"
#include "treering/status.h"

using namespace treering;
using namespace treering::transport;
using fork::parse_seat;
using fork::Seat;

namespace {

const Deadline soon{std::chrono::milliseconds(50)};

/// The seats of a job whose ranks are threads.
struct Job {
  std::vector<UniqueFd> ends;
  std::vector<Seat> seats;

  explicit Job(int size) {
    for (int rank = 0; rank < size; ++rank) seats.push_back({rank, size, {}});
    for (int rank = 1; rank < size; ++rank) {
      int pair[2] = {-1, -1};
      REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
      for (const int end : pair) ends.emplace_back(end);
      seats[0].sockets.push_back(pair[0]);
      seats[static_cast<std::size_t>(rank)].sockets.push_back(pair[1]);
    }
  }
};

Bytes bytes_of(int rank, std::size_t count) { return Bytes(count, static_cast<std::byte>(rank + 1)); }

std::string failure_of(const Seat& seat) {
  try {
    fork::gather_over(seat, Bytes(3), Deadline(std::chrono::seconds(20)));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("fork: a seat survives its text, and other texts are no seats") {
  for (const Seat& seat : {Seat{0, 1, {}}, Seat{0, 3, {5, 17}}, Seat{2, 3, {4}}}) {
    const auto read = parse_seat(seat.text());
    REQUIRE(read.has_value());
    CHECK(read->rank == seat.rank);
    CHECK(read->size == seat.size);
    CHECK(read->sockets == seat.sockets);
  }
  for (const char* text : {"", "/", "0", "0/", "0/0", "1/1/3", "0/2/", "0/2/3,", "0/2/3,4", "1/2/3,4", "-1/2/3",
                           "0/2/x", "0 /2/3", "0/2/3 ", "2/2/3", "99999999999/2/3", "0/2/-3"})
    CHECK_MESSAGE(!parse_seat(text).has_value(), text);
}

TEST_CASE("fork: seats leave each rank its own sockets and close the others") {
  fork::Seats seats(3);
  CHECK(seats.size() == 3);
  const Seat seat = seats.take(2);
  REQUIRE(seat.sockets.size() == 1);
  const UniqueFd own(seat.sockets[0]);
  char byte = 0;
  CHECK(::recv(own.get(), &byte, 1, 0) == 0);  // nobody has the other end any more
}

TEST_CASE("fork: everybody gets everybody's bytes, also long ones, again and again") {
  constexpr int size = 4;
  Job job(size);
  std::vector<std::jthread> ranks;
  std::vector<int> wrong(size);
  for (int rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      for (const std::size_t unit : {0U, 1U, 200'000U}) {
        const Bytes mine = bytes_of(rank, unit * static_cast<std::size_t>(rank));
        const auto all =
            fork::gather_over(job.seats[static_cast<std::size_t>(rank)], mine, Deadline(std::chrono::seconds(60)));
        for (int other = 0; other < size; ++other)
          wrong[static_cast<std::size_t>(rank)] +=
              all[static_cast<std::size_t>(other)] != bytes_of(other, unit * static_cast<std::size_t>(other));
      }
    });
  ranks.clear();
  CHECK(wrong == std::vector<int>(size));
}

TEST_CASE("fork: a rank alone gathers its own") {
  CHECK(fork::gather_over(Seat{0, 1, {}}, bytes_of(4, 9), soon) == std::vector<Bytes>{bytes_of(4, 9)});
}

TEST_CASE("fork: ranks that have ended or are late are named") {
  Job job(3);
  CHECK_THROWS_WITH_AS(fork::gather_over(job.seats[0], {}, soon), doctest::Contains("rank 1: nothing came before"),
                       Error);
  job.ends[1].reset();  // rank 1's
  CHECK(failure_of(job.seats[0]).find("rank 1: ") != std::string::npos);
  job.ends[0].reset();
  job.ends[2].reset();  // rank 0's
  CHECK(failure_of(job.seats[2]).find("rank 0: ") != std::string::npos);
}

TEST_CASE("fork: nonsense is an error, not a crash") {
  Job job(2);
  const std::uint64_t nonsense = ~std::uint64_t{0};
  REQUIRE(::send(job.seats[1].sockets[0], &nonsense, sizeof nonsense, 0) == sizeof nonsense);
  CHECK(failure_of(job.seats[0]).find("makes no sense") != std::string::npos);
  Job other(2);
  const std::uint64_t count = 3;
  const char garbage[3] = {9, 9, 9};
  REQUIRE(::send(other.seats[0].sockets[0], &count, sizeof count, 0) == sizeof count);
  REQUIRE(::send(other.seats[0].sockets[0], garbage, sizeof garbage, 0) == sizeof garbage);
  CHECK(failure_of(other.seats[1]).find("makes no sense") != std::string::npos);
}
