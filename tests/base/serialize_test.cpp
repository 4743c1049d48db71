#include <doctest/doctest.h>

#include <random>

#include "base/serialize.h"

using namespace treering;

namespace {

const Tunables odd{.pack_limit = 1,
                   .batch_limit = 200,
                   .piece_limit = 192,
                   .window = 4,
                   .chunk_bytes = 128,
                   .slot_bytes = 65600,
                   .one_shot_limit = 7,
                   .stall_warning_ns = 8,
                   .stall_abort_ns = 9,
                   .fanout = 10,
                   .lanes = 11,
                   .deterministic = 1};

Bytes encoded(const Tunables& tunables) {
  ByteWriter writer;
  encode(tunables, writer);
  return writer.take();
}

bool accepted(const Bytes& bytes) {
  ByteReader reader(bytes);
  decode_tunables(reader);
  return reader.ok();
}

}  // namespace

TEST_CASE("serialize: tunables come back") {
  for (const Tunables& tunables : {odd, Tunables{}}) {
    const Bytes bytes = encoded(tunables);
    ByteReader reader(bytes);
    CHECK(decode_tunables(reader) == tunables);
    CHECK(reader.ok());
    CHECK(reader.at_end());
  }
}

TEST_CASE("serialize: cut messages, other versions and impossible values fail") {
  const Bytes whole = encoded(odd);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(accepted(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));

  Bytes other = whole;
  other[0] ^= std::byte{1};
  CHECK_FALSE(accepted(other));

  const auto refuses = [](auto change) {
    Tunables tunables = odd;
    change(tunables);
    CHECK_FALSE(accepted(encoded(tunables)));
  };
  refuses([](Tunables& tunables) { tunables.lanes = 0; });
  refuses([](Tunables& tunables) { tunables.lanes = 1U << 31; });
  refuses([](Tunables& tunables) { tunables.chunk_bytes = 100; });
  refuses([](Tunables& tunables) { tunables.slot_bytes = ~0ULL; });
  refuses([](Tunables& tunables) { tunables.stall_abort_ns = ~0ULL; });
  refuses([](Tunables& tunables) { tunables.deterministic = 2; });
}

TEST_CASE("serialize: garbage gives defaults or sane values") {
  std::mt19937_64 random(99);
  const Bytes whole = encoded(odd);
  for (int turn = 0; turn < 2000; ++turn) {
    Bytes garbled = whole;
    garbled[random() % garbled.size()] = static_cast<std::byte>(random());
    ByteReader reader(garbled);
    const Tunables tunables = decode_tunables(reader);
    CHECK(tunables.lanes >= 1);
    CHECK(tunables.lanes <= 16);
    CHECK(tunables.chunk_bytes % 64 == 0);
    if (!reader.ok()) CHECK(tunables == Tunables{});
  }
}
