#include "transport/frame_ring.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

#include "transport/mapping.h"

using namespace treering;
using namespace treering::transport;

namespace {

Bytes frame_of(std::size_t number, std::size_t bytes) {
  Bytes frame(bytes);
  for (std::size_t index = 0; index < bytes; ++index) frame[index] = static_cast<std::byte>(number * 7 + index * 13);
  return frame;
}

std::size_t size_of_frame(std::size_t number) { return 1 + number * 977 % 4096; }

struct Ring {
  Mapping memory = Mapping::anonymous(frame_ring_bytes);
  FrameRingWriter writer{memory.data()};
  FrameRingReader reader{memory.data()};

  FrameRingHeader& header() { return *reinterpret_cast<FrameRingHeader*>(memory.data()); }
  std::byte* bytes() { return memory.data() + sizeof(FrameRingHeader); }
};

}  // namespace

TEST_CASE("frames come out as they went in, around the end of the ring many times") {
  Ring ring;
  Bytes out;
  std::size_t written = 0;
  std::size_t read = 0;
  while (read < 2'000) {
    while (written < read + 9 && ring.writer.push(frame_of(written, size_of_frame(written))) == RingResult::done)
      ++written;
    REQUIRE(ring.reader.pop(out, 4096) == RingResult::done);
    REQUIRE(out == frame_of(read, size_of_frame(read)));
    ++read;
  }
}

TEST_CASE("a full ring says so, and the reader learns that somebody waits") {
  Ring ring;
  std::size_t frames = 0;
  while (ring.writer.push(frame_of(frames, 4096)) == RingResult::done) ++frames;
  CHECK(frames == frame_ring_capacity / 4100);
  CHECK(ring.writer.push(frame_of(0, 4096)) == RingResult::not_now);
  Bytes out;
  CHECK(ring.reader.pop(out, 4096) == RingResult::done);
  CHECK(ring.reader.take_writer_waits());
  CHECK_FALSE(ring.reader.take_writer_waits());
  CHECK(ring.writer.push(frame_of(0, 4096)) == RingResult::done);
}

TEST_CASE("an empty ring has nothing") {
  Ring ring;
  Bytes out;
  CHECK(ring.reader.pop(out, 4096) == RingResult::not_now);
}

TEST_CASE("impossible indices and lengths are found") {
  Bytes out;
  SUBCASE("more written than fits") {
    Ring ring;
    ring.header().written = frame_ring_capacity + 1;
    CHECK(ring.reader.pop(out, 4096) == RingResult::broken);
  }
  SUBCASE("less than a length") {
    Ring ring;
    ring.header().written = 3;
    CHECK(ring.reader.pop(out, 4096) == RingResult::broken);
  }
  SUBCASE("a length past what is written") {
    Ring ring;
    REQUIRE(ring.writer.push(frame_of(1, 100)) == RingResult::done);
    ring.bytes()[0] = std::byte{101};
    CHECK(ring.reader.pop(out, 4096) == RingResult::broken);
  }
  SUBCASE("a frame longer than the limit") {
    Ring ring;
    REQUIRE(ring.writer.push(frame_of(1, 100)) == RingResult::done);
    CHECK(ring.reader.pop(out, 99) == RingResult::broken);
  }
  SUBCASE("a frame of nothing") {
    Ring ring;
    ring.header().written = 4;
    CHECK(ring.reader.pop(out, 4096) == RingResult::broken);
  }
  SUBCASE("a reader that claims to have read what was not written") {
    Ring ring;
    ring.header().read = 1;
    CHECK(ring.writer.push(frame_of(1, 100)) == RingResult::broken);
  }
}

TEST_CASE("random garbage in the whole ring never leads outside it") {
  std::mt19937_64 random(4711);
  for (int round = 0; round < 300; ++round) {
    Ring ring;
    for (std::size_t index = 0; index < frame_ring_capacity; ++index)
      ring.bytes()[index] = static_cast<std::byte>(round % 2 == 0 ? random() : random() % 2);
    ring.header().written = round % 3 == 0 ? random() : random() % (frame_ring_capacity + 2);
    ring.header().read = round % 5 == 0 ? random() : 0;
    Bytes out;
    RingResult result = RingResult::done;
    for (int step = 0; step < 20'000 && result == RingResult::done; ++step) {
      result = ring.reader.pop(out, 4096);
      CHECK(out.size() <= 4096);
    }
    CHECK(result != RingResult::done);
  }
}

TEST_CASE("two threads, one writing and one reading") {
  Ring ring;
  constexpr std::size_t count = 20'000;
  std::jthread writer([&] {
    for (std::size_t number = 0; number < count; ++number)
      while (ring.writer.push(frame_of(number, 1 + number % 300)) != RingResult::done) std::this_thread::yield();
  });
  Bytes out;
  for (std::size_t number = 0; number < count; ++number) {
    while (ring.reader.pop(out, 4096) != RingResult::done) std::this_thread::yield();
    REQUIRE(out == frame_of(number, 1 + number % 300));
  }
}
