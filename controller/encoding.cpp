#include "controller/encoding.h"

#include <bit>

#include "controller/request_check.h"

namespace treering::controller {
namespace {

constexpr std::uint8_t has_ids = 1, has_posts = 2, has_leaving = 4, has_stalls = 8;
constexpr std::uint8_t has_prescale = 1, has_postscale = 2;
constexpr std::size_t longest_text = 64 * 1024;

enum class Tag : std::uint8_t { define = 1, round, error, retire, left, end };

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

std::int32_t get_signed(ByteReader& reader) {
  const std::int64_t value = unzigzag(reader.get_varint());
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    reader.fail();
  return reader.ok() ? static_cast<std::int32_t>(value) : 0;
}

// -- ids: differences, so that a run of neighbours takes a byte each

std::uint64_t id_step(DefinitionId id, DefinitionId& last) {
  const std::int64_t step = std::int64_t{id} - std::int64_t{last};
  last = id;
  return zigzag(step);
}

DefinitionId id_from_step(ByteReader& reader, std::uint64_t step, DefinitionId& last) {
  const std::int64_t signed_step = unzigzag(step);
  const std::int64_t limit = std::numeric_limits<DefinitionId>::max();
  if (signed_step > limit || signed_step < -limit) {
    reader.fail();
    return 0;
  }
  const std::int64_t id = std::int64_t{last} + signed_step;
  if (id < 0 || id > limit) {
    reader.fail();
    return 0;
  }
  return last = static_cast<DefinitionId>(id);
}

void put_ids(ByteWriter& writer, const std::vector<DefinitionId>& ids) {
  writer.put_varint(ids.size());
  DefinitionId last = 0;
  for (const DefinitionId id : ids) writer.put_varint(id_step(id, last));
}

std::vector<DefinitionId> get_ids(ByteReader& reader) {
  std::vector<DefinitionId> ids(reader.get_count());
  DefinitionId last = 0;
  for (DefinitionId& id : ids) id = id_from_step(reader, reader.get_varint(), last);
  return ids;
}

// -- sets of ranks: gap to the previous range, then its length

void put_ranks(ByteWriter& writer, const RankSet& ranks) {
  writer.put_varint(ranks.ranges().size());
  std::int64_t from = 0;
  for (const RankSet::Range& range : ranks.ranges()) {
    writer.put_varint(static_cast<std::uint64_t>(range.first - from));
    writer.put_varint(static_cast<std::uint64_t>(range.last - range.first));
    from = std::int64_t{range.last} + 2;
  }
}

RankSet get_ranks(ByteReader& reader, int size) {
  RankSet ranks;
  const std::size_t count = reader.get_count(2);
  std::int64_t from = 0;
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint64_t gap = reader.get_varint();
    const std::uint64_t length = reader.get_varint();
    const auto limit = static_cast<std::uint64_t>(size);
    if (gap >= limit || length >= limit || from + static_cast<std::int64_t>(gap + length) >= size) {
      reader.fail();
      break;
    }
    const std::int64_t first = from + static_cast<std::int64_t>(gap);
    const std::int64_t last = first + static_cast<std::int64_t>(length);
    ranks.append({static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)});
    from = last + 2;
  }
  return ranks;
}

// -- requests

void put_request(ByteWriter& writer, const Request& request) {
  writer.put(request.kind);
  writer.put(request.op);
  writer.put_varint(zigzag(request.root));
  writer.put_varint(zigzag(request.priority));
  const bool prescaled = request.prescale != 1.0, postscaled = request.postscale != 1.0;
  writer.put(static_cast<std::uint8_t>((prescaled ? has_prescale : 0) | (postscaled ? has_postscale : 0)));
  if (prescaled) writer.put(request.prescale);
  if (postscaled) writer.put(request.postscale);
  writer.put_varint(request.tensors.size());
  for (const TensorSpec& tensor : request.tensors) {
    writer.put_string(tensor.name);
    writer.put(tensor.type);
    writer.put_varint(tensor.shape.size());
    for (const std::int64_t extent : tensor.shape) writer.put_varint(static_cast<std::uint64_t>(extent));
  }
}

Request get_request(ByteReader& reader, int size) {
  Request request;
  request.kind = reader.get<OperationKind>();
  request.op = reader.get<ReduceOp>();
  request.root = get_signed(reader);
  request.priority = get_signed(reader);
  const auto flags = reader.get<std::uint8_t>();
  if ((flags & ~(has_prescale | has_postscale)) != 0) reader.fail();
  if ((flags & has_prescale) != 0) request.prescale = reader.get<double>();
  if ((flags & has_postscale) != 0) request.postscale = reader.get<double>();
  const std::size_t tensors = reader.get_count(3);
  for (std::size_t i = 0; i < tensors && reader.ok(); ++i) {
    TensorSpec tensor;
    tensor.name = reader.get_string(longest_name);
    tensor.type = reader.get<DataType>();
    tensor.shape.resize(reader.get_count());
    for (std::int64_t& extent : tensor.shape) extent = static_cast<std::int64_t>(reader.get_varint());
    request.tensors.push_back(std::move(tensor));
  }
  if (reader.ok() && !problem_with(request, size).empty()) reader.fail();
  return request;
}

// -- messages up

void put_post(ByteWriter& writer, const RankedPost& ranked) {
  put_ranks(writer, ranked.ranks);
  writer.put_varint(static_cast<std::uint64_t>(ranked.post.broken + 1));
  put_request(writer, *ranked.post.request);
}

RankedPost get_post(ByteReader& reader, int size) {
  RankedPost ranked;
  ranked.ranks = get_ranks(reader, size);
  const std::uint64_t broken = reader.get_varint();
  ranked.post.request = std::make_shared<const Request>(get_request(reader, size));
  if (ranked.ranks.empty() || broken > ranked.post.request->tensors.size()) reader.fail();
  if (reader.ok()) ranked.post.broken = static_cast<std::int32_t>(broken) - 1;
  return ranked;
}

StallReport get_stall(ByteReader& reader, int size) {
  StallReport report;
  report.id = static_cast<DefinitionId>(reader.get_varint());
  report.waiting_ms = reader.get_varint();
  report.missing = get_ranks(reader, size);
  return report;
}

// -- entries

struct EntryWriter {
  ByteWriter& writer;

  void operator()(const DefineEntry& entry) const {
    writer.put(Tag::define);
    writer.put_varint(entry.definition->id);
    put_request(writer, entry.definition->request);
  }
  void operator()(const RoundEntry& entry) const {
    writer.put(Tag::round);
    writer.put(entry.reason);
    writer.put_varint(entry.pieces.size());
    DefinitionId last = 0;
    for (const Piece& piece : entry.pieces) {
      const bool whole = piece.begin == 0 && piece.end == to_the_end;
      writer.put_varint(id_step(piece.id, last) << 1 | (whole ? 0 : 1));
      if (whole) continue;
      writer.put_varint(piece.begin);
      writer.put_varint(piece.end);
    }
  }
  void operator()(const ErrorEntry& entry) const {
    writer.put(Tag::error);
    writer.put_varint(entry.names.size());
    for (const std::string& name : entry.names) writer.put_string(name);
    writer.put_string(std::string_view(entry.text).substr(0, longest_text));
  }
  void operator()(const RetireEntry& entry) const {
    writer.put(Tag::retire);
    put_ids(writer, entry.ids);
  }
  void operator()(const LeftEntry& entry) const {
    writer.put(Tag::left);
    writer.put_varint(static_cast<std::uint64_t>(entry.rank));
    writer.put_varint(entry.missing.size());
    for (const LeftEntry::Missing& missing : entry.missing) {
      writer.put_string(missing.name);
      put_ranks(writer, missing.ranks);
    }
  }
  void operator()(const EndEntry&) const { writer.put(Tag::end); }
};

DefineEntry get_define(ByteReader& reader, int size) {
  Definition definition;
  const std::uint64_t id = reader.get_varint();
  if (id > std::numeric_limits<DefinitionId>::max()) reader.fail();
  definition.id = static_cast<DefinitionId>(id);
  definition.request = get_request(reader, size);
  return {std::make_shared<const Definition>(std::move(definition))};
}

RoundEntry get_round(ByteReader& reader) {
  RoundEntry entry;
  entry.reason = reader.get<CutReason>();
  if (entry.reason > CutReason::drained) reader.fail();
  entry.pieces.resize(reader.get_count());
  DefinitionId last = 0;
  for (Piece& piece : entry.pieces) {
    const std::uint64_t step = reader.get_varint();
    piece.id = id_from_step(reader, step >> 1, last);
    if ((step & 1) == 0) continue;
    piece.begin = reader.get_varint();
    piece.end = reader.get_varint();
    if (piece.begin >= piece.end) reader.fail();
    if (!reader.ok()) break;
  }
  return entry;
}

ErrorEntry get_error(ByteReader& reader) {
  ErrorEntry entry;
  entry.names.resize(reader.get_count());
  for (std::size_t i = 0; i < entry.names.size() && reader.ok(); ++i) {
    entry.names[i] = reader.get_string(longest_name);
    if (i > 0 && entry.names[i] <= entry.names[i - 1]) reader.fail();
  }
  entry.text = reader.get_string(longest_text);
  return entry;
}

LeftEntry get_left(ByteReader& reader, int size) {
  const std::uint64_t rank = reader.get_varint();
  if (rank >= static_cast<std::uint64_t>(size)) reader.fail();
  LeftEntry entry{reader.ok() ? static_cast<std::int32_t>(rank) : 0, {}};
  const std::size_t missing = reader.get_count(2);
  for (std::size_t i = 0; i < missing && reader.ok(); ++i) {
    std::string name = reader.get_string(longest_name);
    entry.missing.push_back({std::move(name), get_ranks(reader, size)});
  }
  return entry;
}

}  // namespace

Bytes encode(const UpMessage& message) {
  ByteWriter writer;
  writer.put(protocol_version);
  writer.put_varint(message.seen);
  writer.put(static_cast<std::uint8_t>((message.ids.empty() ? 0 : has_ids) | (message.posts.empty() ? 0 : has_posts) |
                                       (message.leaving.empty() ? 0 : has_leaving) |
                                       (message.stalls.empty() ? 0 : has_stalls)));
  if (!message.ids.empty()) put_ids(writer, message.ids);
  if (!message.posts.empty()) {
    writer.put_varint(message.posts.size());
    for (const RankedPost& ranked : message.posts) put_post(writer, ranked);
  }
  if (!message.leaving.empty()) put_ranks(writer, message.leaving);
  if (!message.stalls.empty()) {
    writer.put_varint(message.stalls.size());
    for (const StallReport& report : message.stalls) {
      writer.put_varint(report.id);
      writer.put_varint(report.waiting_ms);
      put_ranks(writer, report.missing);
    }
  }
  return writer.take();
}

std::optional<UpMessage> decode_up(std::span<const std::byte> bytes, int size) {
  ByteReader reader(bytes);
  UpMessage message;
  if (reader.get<std::uint8_t>() != protocol_version) return std::nullopt;
  message.seen = reader.get_varint();
  const auto flags = reader.get<std::uint8_t>();
  if ((flags & ~(has_ids | has_posts | has_leaving | has_stalls)) != 0) return std::nullopt;
  if ((flags & has_ids) != 0) message.ids = get_ids(reader);
  if ((flags & has_posts) != 0) {
    const std::size_t count = reader.get_count(8);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) message.posts.push_back(get_post(reader, size));
  }
  if ((flags & has_leaving) != 0) message.leaving = get_ranks(reader, size);
  if ((flags & has_stalls) != 0) {
    const std::size_t count = reader.get_count(3);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) message.stalls.push_back(get_stall(reader, size));
  }
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return message;
}

void begin_down(ByteWriter& writer, std::uint64_t first_position) {
  writer.put(protocol_version);
  writer.put_varint(first_position);
}

void put_entry(ByteWriter& writer, const StreamEntry& entry) { std::visit(EntryWriter{writer}, entry); }

DownReader::DownReader(std::span<const std::byte> bytes, int size) : reader_(bytes), size_(size) {
  if (reader_.get<std::uint8_t>() != protocol_version) reader_.fail();
  first_position_ = reader_.get_varint();
}

std::optional<StreamEntry> DownReader::next() {
  if (!reader_.ok() || reader_.at_end()) return std::nullopt;
  std::optional<StreamEntry> entry;
  switch (reader_.get<Tag>()) {
    case Tag::define: entry = get_define(reader_, size_); break;
    case Tag::round: entry = get_round(reader_); break;
    case Tag::error: entry = get_error(reader_); break;
    case Tag::retire: entry = RetireEntry{get_ids(reader_)}; break;
    case Tag::left: entry = get_left(reader_, size_); break;
    case Tag::end: entry = EndEntry{}; break;
    default: reader_.fail();
  }
  if (!reader_.ok()) return std::nullopt;
  return entry;
}

}  // namespace treering::controller
