// Any bytes through ByteReader: reads stay inside the message, failure is for good, and what is read can be written
// back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/check.h"

namespace {

using treering::ByteReader;
using treering::ByteWriter;

constexpr std::size_t string_limit = 64;

/// Reads one value of the kind that `choice` names; what was read must survive writing and reading again.
void read_one(ByteReader& reader, std::uint8_t choice) {
  ByteWriter writer;
  if (choice % 4 == 0) {
    const std::uint64_t value = reader.get_varint();
    writer.put_varint(value);
    const treering::Bytes bytes = writer.take();
    TREERING_CHECK(ByteReader(bytes).get_varint() == value, "a varint survives");
  } else if (choice % 4 == 1) {
    const std::string text = reader.get_string(string_limit);
    TREERING_CHECK(text.size() <= string_limit, "strings keep to their limit");
    writer.put_string(text);
    const treering::Bytes bytes = writer.take();
    TREERING_CHECK(ByteReader(bytes).get_string(string_limit) == text, "a string survives");
  } else if (choice % 4 == 2) {
    (void)reader.get<std::uint32_t>();
  } else {
    (void)reader.get_count(8);
  }
}

void check_failed_reader(ByteReader& reader) {
  TREERING_CHECK(reader.get_varint() == 0 && reader.get_string(string_limit).empty() && reader.get_count() == 0 &&
                     reader.get<std::uint64_t>() == 0,
                 "a failed reader returns zeros");
  TREERING_CHECK(!reader.ok(), "failure is for good");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::size_t choices = std::min<std::size_t>(size, 16);
  ByteReader reader(std::as_bytes(std::span(data + choices, size - choices)));
  for (std::size_t index = 0; index < choices && reader.ok(); ++index) read_one(reader, data[index]);
  if (!reader.ok()) check_failed_reader(reader);
  return 0;
}
