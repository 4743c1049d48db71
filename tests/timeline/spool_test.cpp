#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/bytes.h"
#include "timeline/block_writer.h"
#include "timeline/spool_checksum.h"
#include "timeline/spool_reader.h"

using namespace treering;
using namespace treering::timeline;

namespace {

constexpr Kind kinds[] = {Kind::posted,    Kind::agreed,  Kind::done,       Kind::callback, Kind::round,
                          Kind::batch,     Kind::member,  Kind::batch_done, Kind::stage,    Kind::link,
                          Kind::loop,      Kind::asleep,  Kind::sample,     Kind::mark,     Kind::scope_begin,
                          Kind::scope_end, Kind::dropped, Kind::clock,      Kind::stopped};

Record random_record(std::mt19937_64& random) {
  Record record;
  record.kind = kinds[random() % std::size(kinds)];
  const Layout layout = layout_of(record.kind);
  if (layout.named) record.name = static_cast<std::uint32_t>(random() % 50);
  record.time = static_cast<Nanoseconds>(random() >> random() % 64);
  for (std::size_t i = 0; i < layout.values; ++i) record.values[i] = random() >> random() % 64;
  return record;
}

void check_equal(const Record& a, const Record& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.name == b.name);
  CHECK(a.time == b.time);
  CHECK(a.values == b.values);
}

struct Spool {
  std::vector<std::vector<Record>> blocks;
  Bytes file;
  std::vector<std::size_t> ends;  ///< of the blocks in the file
};

Spool random_spool(int blocks, int records, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Spool spool;
  BlockWriter writer;
  for (int block = 0; block < blocks; ++block) {
    writer.begin(7, static_cast<Nanoseconds>(random() >> 2), block == 0 ? begins_recording : std::uint16_t{0});
    if (block == 0) writer.about("rank", "3");
    writer.name(5, "five " + std::to_string(block));
    std::vector<Record>& written = spool.blocks.emplace_back();
    for (int i = 0; i < records; ++i) {
      written.push_back(random_record(random));
      writer.add(written.back());
    }
    const auto bytes = writer.finish();
    spool.file.insert(spool.file.end(), bytes.begin(), bytes.end());
    spool.ends.push_back(spool.file.size());
  }
  return spool;
}

std::vector<Block> read_all(std::span<const std::byte> file) {
  SpoolReader reader(file);
  std::vector<Block> blocks;
  while (auto block = reader.next()) blocks.push_back(std::move(*block));
  return blocks;
}

/// A block by hand: `payload` with a header that fits.
Bytes block_of(const Bytes& payload, std::uint16_t version = BlockHeader::format_version) {
  BlockHeader header;
  header.version = version;
  header.length = static_cast<std::uint32_t>(payload.size());
  header.base = 1000;
  header.checksum = spool_checksum(payload);
  header.header_check = check_of(header);
  ByteWriter file;
  file.put_bytes(std::as_bytes(std::span(&header, 1)));
  file.put_bytes(payload);
  return file.take();
}

void put_all(ByteWriter& writer, std::initializer_list<int> bytes) {
  for (const int byte : bytes) writer.put(static_cast<std::uint8_t>(byte));
}

}  // namespace

TEST_CASE("spool: what is written is read, of every kind and with every size of value") {
  const Spool spool = random_spool(20, 300, 1);
  const std::vector<Block> blocks = read_all(spool.file);
  REQUIRE(blocks.size() == 20);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i].begins_recording() == (i == 0));
    CHECK(blocks[i].header.recording == 7);
    CHECK(blocks[i].unknown == 0);
    REQUIRE(blocks[i].names.size() == 1);
    CHECK(blocks[i].names[0] == std::pair<std::uint32_t, std::string>(5, "five " + std::to_string(i)));
    REQUIRE(blocks[i].records.size() == 300);
    for (std::size_t k = 0; k < 300; ++k) check_equal(blocks[i].records[k], spool.blocks[i][k]);
  }
  REQUIRE(blocks[0].about.size() == 1);
  CHECK(blocks[0].about[0] == std::pair<std::string, std::string>("rank", "3"));
}

TEST_CASE("spool: texts of any bytes and lengths") {
  const std::string texts[] = {"",
                               "a",
                               std::string(127, 'x'),
                               std::string(128, '"'),
                               std::string(4096, '\0'),
                               std::string(70'000, '\xff'),
                               "\n\\]\xed\xa0\x80"};
  BlockWriter writer;
  writer.begin(1, 0);
  std::uint32_t id = 0;
  for (const std::string& text : texts) {
    CHECK_FALSE(writer.knows(id));
    writer.name(id, text);
    CHECK(writer.knows(id));
    writer.about(text, text);
    writer.thread(id++, text);
  }
  const auto blocks = read_all(writer.finish());
  REQUIRE(blocks.size() == 1);
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    CHECK(blocks[0].names.at(i) == std::pair(static_cast<std::uint32_t>(i), texts[i]));
    CHECK(blocks[0].threads.at(i) == std::pair(static_cast<std::uint32_t>(i), texts[i]));
    CHECK(blocks[0].about.at(i) == std::pair(texts[i], texts[i]));
  }
  writer.begin(1, 0);
  CHECK_FALSE(writer.knows(0));  // every block defines its own
}

TEST_CASE("spool: cut anywhere, all blocks before the cut are there and the rest is counted") {
  const Spool spool = random_spool(6, 20, 2);
  for (std::size_t size = 0; size <= spool.file.size(); ++size) {
    SpoolReader reader(std::span(spool.file).first(size));
    std::size_t whole = 0;
    while (whole < spool.ends.size() && spool.ends[whole] <= size) ++whole;
    for (std::size_t i = 0; i < whole; ++i) {
      const auto block = reader.next();
      REQUIRE(block);
      REQUIRE(block->records.size() == 20);
    }
    REQUIRE_FALSE(reader.next());
    const std::size_t rest = size - (whole == 0 ? 0 : spool.ends[whole - 1]);
    REQUIRE(reader.torn_at_end() == rest);
    REQUIRE(reader.skipped() == rest);
  }
}

TEST_CASE("spool: one damaged byte costs one block, whichever it is") {
  const Spool spool = random_spool(3, 10, 3);
  for (std::size_t place = 0; place < spool.file.size(); ++place) {
    Bytes file = spool.file;
    file[place] ^= std::byte{0x10};
    const std::vector<Block> blocks = read_all(file);
    REQUIRE(blocks.size() == 2);
    for (const Block& block : blocks) REQUIRE(block.records.size() == 10);
  }
}

TEST_CASE("spool: garbage, holes and half blocks between blocks are skipped") {
  const Spool spool = random_spool(2, 10, 4);
  const std::span<const std::byte> whole(spool.file);
  ByteWriter file;
  file.put_string("no block: TRSB");
  file.put_bytes(whole.first(spool.ends[0]));
  file.put_bytes(whole.first(spool.ends[0] - 3));
  file.put_bytes(Bytes(10'000));
  file.put_bytes(whole.subspan(spool.ends[0]));
  const Bytes bytes = file.take();
  SpoolReader reader(bytes);
  CHECK(reader.next().value().records.size() == 10);
  CHECK(reader.next().value().records.size() == 10);
  CHECK_FALSE(reader.next());
  CHECK(reader.skipped() == bytes.size() - spool.file.size());
  CHECK(reader.torn_at_end() == 0);
  CHECK_FALSE(reader.later_version());
}

TEST_CASE("spool: a later version's blocks are skipped and said; its kinds and values are passed over") {
  ByteWriter payload;
  put_all(payload, {200, 2, 8, 99});         // unknown kind: 4 ns later
  put_all(payload, {31, 5, 2, 3, 4, 5, 6});  // asleep: further values
  put_all(payload, {31, 1, 2});              // asleep: its value is zero
  put_all(payload, {10, 3, 2, 0xff, 0xff});  // a varint without an end
  const Bytes body = payload.take();
  Bytes file = block_of(body, 2);
  const Bytes mine = block_of(body);
  file.insert(file.end(), mine.begin(), mine.end());
  SpoolReader reader(file);
  const auto block = reader.next();
  REQUIRE(block);
  CHECK(reader.later_version());
  CHECK(block->unknown == 2);
  REQUIRE(block->records.size() == 2);
  CHECK(block->records[0].time == 1005);
  CHECK(block->records[0].values[0] == 3);
  CHECK(block->records[1].time == 1006);
  CHECK(block->records[1].values[0] == 0);
}

TEST_CASE("spool: random payloads under a right checksum never break the reader") {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 3000; ++turn) {
    Bytes payload(random() % 200);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random() % (turn % 2 == 0 ? 60 : 256));
    const Bytes file = block_of(payload);
    const auto blocks = read_all(file);
    REQUIRE(blocks.size() == 1);
    CHECK(blocks[0].records.size() + blocks[0].unknown <= payload.size() + 1);
  }
}

TEST_CASE("spool: common records are small") {
  BlockWriter writer;
  writer.begin(1, 1'000'000'000);
  const std::size_t empty = writer.size();
  constexpr std::size_t count = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    Record record{Kind::posted, static_cast<std::uint32_t>(i % 161),
                  1'000'000'000 + static_cast<Nanoseconds>(i) * 9000};
    record.values = {1'000'000 + i, 0, 2'359'296, 15'000, 1};
    writer.add(record);
  }
  CHECK((writer.size() - empty) / count <= 20);
  CHECK(writer.records() == count);
}
