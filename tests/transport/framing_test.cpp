#include "transport/framing.h"

#include <doctest/doctest.h>

#include <algorithm>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "transport/failure_box.h"

using namespace treering;
using namespace treering::transport;

namespace {

Bytes message_of(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes message(bytes);
  for (std::byte& value : message) value = static_cast<std::byte>(random());
  return message;
}

std::vector<Bytes> frames_of(Fragmenter& fragmenter, Bytes message) {
  std::vector<Bytes> frames;
  for (fragmenter.start(std::move(message)); fragmenter.busy(); fragmenter.advance())
    frames.push_back(fragmenter.frame());
  return frames;
}

template <class T>
void overwrite(Bytes& frame, std::size_t offset, T value) {
  std::memcpy(frame.data() + offset, &value, sizeof value);
}

std::string problem_of(Reassembler& reassembler, const Bytes& frame) {
  const char* problem = reassembler.feed(frame).problem;
  return problem == nullptr ? "" : problem;
}

constexpr std::size_t payload = max_frame_bytes - frame_header_bytes;

}  // namespace

TEST_CASE("messages of every awkward size survive cutting and joining, one after the other") {
  Fragmenter fragmenter;
  Reassembler reassembler;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, payload - 1, payload, payload + 1, 2 * payload,
                                  2 * payload + 1, std::size_t{0}, std::size_t{1} << 20}) {
    const Bytes message = message_of(bytes, bytes);
    const std::vector<Bytes> frames = frames_of(fragmenter, message);
    CHECK(frames.size() == std::max<std::size_t>(1, (bytes + payload - 1) / payload));
    for (std::size_t index = 0; index < frames.size(); ++index) {
      CHECK(frames[index].size() <= max_frame_bytes);
      const Reassembler::Result result = reassembler.feed(frames[index]);
      REQUIRE(result.problem == nullptr);
      REQUIRE(result.message.has_value() == (index + 1 == frames.size()));
      if (result.message) CHECK(*result.message == message);
    }
  }
}

TEST_CASE("every field of the header is checked") {
  Fragmenter fragmenter;
  const std::vector<Bytes> frames = frames_of(fragmenter, message_of(payload + 10, 1));
  Bytes frame = frames[0];
  Reassembler reassembler;
  SUBCASE("too short") {
    frame.resize(frame_header_bytes - 1);
    CHECK(problem_of(reassembler, frame) == "it is shorter than a header");
  }
  SUBCASE("version") {
    overwrite<std::uint16_t>(frame, 0, 2);
    CHECK(problem_of(reassembler, frame) == "it has an unknown version");
  }
  SUBCASE("payload") {
    frame.pop_back();
    CHECK(problem_of(reassembler, frame) == "its length is not what its header says");
  }
  SUBCASE("number") {
    overwrite<std::uint32_t>(frame, 4, 1);
    CHECK(problem_of(reassembler, frame) == "it belongs to another message");
  }
  SUBCASE("total past the limit") {
    overwrite<std::uint32_t>(frame, 8, max_message_bytes + 1);
    CHECK(problem_of(reassembler, frame) == "its message is longer than any may be");
  }
  SUBCASE("offset") { CHECK(problem_of(reassembler, frames[1]) == "it does not follow the frame before"); }
  SUBCASE("a repeated frame") {
    CHECK(problem_of(reassembler, frame) == "");
    CHECK(problem_of(reassembler, frame) == "it does not follow the frame before");
  }
  SUBCASE("a changed total") {
    CHECK(problem_of(reassembler, frame) == "");
    frame = frames[1];
    overwrite<std::uint32_t>(frame, 8, payload + 11);
    CHECK(problem_of(reassembler, frame) == "its message has changed its length");
  }
  SUBCASE("past the end") {
    overwrite<std::uint32_t>(frame, 8, 10);
    CHECK(problem_of(reassembler, frame) == "it goes past the end of its message");
  }
  SUBCASE("an empty frame of a message that is not") {
    frame.resize(frame_header_bytes);
    overwrite<std::uint16_t>(frame, 2, 0);
    CHECK(problem_of(reassembler, frame) == "it is empty");
  }
}

TEST_CASE("mutated frames are refused or make another message of the announced length, never more") {
  std::mt19937_64 random(20'260'101);
  for (int round = 0; round < 3'000; ++round) {
    Fragmenter fragmenter;
    Reassembler reassembler(100'000);
    std::vector<Bytes> frames = frames_of(fragmenter, message_of(random() % 10'000, random()));
    for (int change = 0; change < 3; ++change) {
      Bytes& frame = frames[random() % frames.size()];
      if (frame.empty()) continue;
      frame[random() % std::min<std::size_t>(frame.size(), 24)] = static_cast<std::byte>(random());
      if (random() % 4 == 0) frame.resize(random() % (frame.size() + 5));
    }
    if (random() % 4 == 0) std::swap(frames.front(), frames.back());
    for (const Bytes& frame : frames) {
      const Reassembler::Result result = reassembler.feed(frame);
      if (result.problem != nullptr) break;
      if (result.message) CHECK(result.message->size() <= 100'000);
    }
  }
}

TEST_CASE("a cause survives its journey, long ones are cut, nonsense is still a cause") {
  const Status cause(StatusCode::timed_out, "rank 3 was \"late\"");
  const Status same = decode_cause(encode_cause(cause));
  CHECK(same.code() == StatusCode::timed_out);
  CHECK(same.message() == cause.message());
  const Status cut = decode_cause(encode_cause(Status(StatusCode::internal, std::string(5'000, 'x'))));
  CHECK(cut.message() == std::string(max_cause_bytes, 'x'));
  std::mt19937_64 random(99);
  for (int round = 0; round < 1'000; ++round) {
    const Status status = decode_cause(message_of(random() % 40, random()));
    CHECK_FALSE(status.ok());
    CHECK_FALSE(status.message().empty());
  }
}

TEST_CASE("the first cause in a box stays, and whatever memory holds is no crash") {
  FailureBox box;
  CHECK_FALSE(cause_in(box).has_value());
  put_cause(box, Status(StatusCode::mismatch, "first"));
  put_cause(box, Status(StatusCode::internal, "second"));
  REQUIRE(cause_in(box).has_value());
  CHECK(cause_in(box)->message() == "first");
  CHECK(cause_in(box)->code() == StatusCode::mismatch);
  box.length = 0xffffffff;
  box.code = 77;
  CHECK(cause_in(box)->message().size() == max_cause_bytes);
  CHECK(cause_in(box)->code() == StatusCode::internal);
  box.state = 1;
  CHECK_FALSE(cause_in(box).has_value());
}
