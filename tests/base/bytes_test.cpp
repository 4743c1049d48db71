#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include "base/bytes.h"

using namespace treering;

namespace {

enum class Colour : std::uint16_t { red = 7, blue = 0xbeef };

const std::vector<std::uint64_t> varints{
    0, 1, 127, 128, 16383, 16384, 1U << 31, std::uint64_t{1} << 56, 1 << 21, 0xffffffff, ~0ULL - 1, ~0ULL};

Bytes everything() {
  ByteWriter writer;
  writer.put<std::uint8_t>(0xab);
  writer.put<std::int16_t>(-2);
  writer.put<std::uint32_t>(0xdeadbeef);
  writer.put<std::int64_t>(std::numeric_limits<std::int64_t>::min());
  writer.put(-0.0);
  writer.put(Colour::blue);
  writer.put_string("");
  writer.put_string(std::string("a\0b", 3));
  for (const std::uint64_t value : varints) writer.put_varint(value);
  return writer.take();
}

/// Reads what `everything` wrote; says whether every value was right.
bool read_everything(ByteReader& reader) {
  bool right = reader.get<std::uint8_t>() == 0xab;
  right &= reader.get<std::int16_t>() == -2;
  right &= reader.get<std::uint32_t>() == 0xdeadbeef;
  right &= reader.get<std::int64_t>() == std::numeric_limits<std::int64_t>::min();
  right &= std::bit_cast<std::uint64_t>(reader.get<double>()) == std::uint64_t{1} << 63;
  right &= reader.get<Colour>() == Colour::blue;
  right &= reader.get_string(10).empty();
  right &= reader.get_string(3) == std::string("a\0b", 3);
  for (const std::uint64_t value : varints) right &= reader.get_varint() == value;
  return right;
}

Bytes of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("bytes: everything comes back") {
  const Bytes bytes = everything();
  ByteReader reader(bytes);
  CHECK(read_everything(reader));
  CHECK(reader.ok());
  CHECK(reader.at_end());
}

TEST_CASE("bytes: integers are little-endian, varints are seven bits a byte") {
  ByteWriter writer;
  writer.put<std::uint32_t>(0x01020304);
  writer.put_varint(300);
  CHECK(writer.size() == 6);
  CHECK(writer.take() == of({4, 3, 2, 1, 0xac, 0x02}));
}

TEST_CASE("bytes: a message cut anywhere fails and never reads past its end") {
  const Bytes whole = everything();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));  // exact, so that ASan sees
    ByteReader reader(cut);
    CHECK_FALSE(read_everything(reader));
    CHECK_FALSE(reader.ok());
    CHECK(reader.at_end());
    CHECK(reader.get<std::uint64_t>() == 0);
    CHECK(reader.get_varint() == 0);
    CHECK(reader.get_string(100).empty());
  }
}

TEST_CASE("bytes: varints that do not fit into 64 bits fail") {
  const Bytes most = of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01});
  CHECK(ByteReader(most).get_varint() == ~0ULL);
  for (const Bytes& bytes : {of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}),
                             of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00}), of({0x80})}) {
    ByteReader reader(bytes);
    CHECK(reader.get_varint() == 0);
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("bytes: strings and counts are bounded by the limit and by what is left") {
  ByteWriter writer;
  writer.put_string("hello");
  const Bytes bytes = writer.take();
  ByteReader enough(bytes);
  CHECK(enough.get_string(5) == "hello");
  ByteReader too_long(bytes);
  CHECK(too_long.get_string(4).empty());
  CHECK_FALSE(too_long.ok());

  ByteReader fits(bytes);
  CHECK(fits.get_count(1) == 5);
  ByteReader impossible(bytes);
  CHECK(impossible.get_count(2) == 0);
  CHECK_FALSE(impossible.ok());
}

TEST_CASE("bytes: garbage is survived") {
  std::mt19937_64 random(4711);
  for (int turn = 0; turn < 2000; ++turn) {
    Bytes garbage(random() % 60);
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(random());
    ByteReader reader(garbage);
    for (int read = 0; read < 40; ++read) {
      switch (random() % 4) {
        case 0: reader.get<std::uint32_t>(); break;
        case 1: reader.get_varint(); break;
        case 2: CHECK(reader.get_string(16).size() <= 16); break;
        default: CHECK(reader.get_count(3) <= garbage.size() / 3);
      }
    }
    CHECK((reader.at_end() || reader.ok()));
  }
}
