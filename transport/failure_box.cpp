#include "transport/failure_box.h"

#include <algorithm>
#include <cstring>

namespace treering::transport {

namespace {

StatusCode code_from(std::uint64_t raw) {
  const bool known =
      raw > static_cast<std::uint32_t>(StatusCode::ok) && raw <= static_cast<std::uint32_t>(StatusCode::internal);
  return known ? static_cast<StatusCode>(raw) : StatusCode::internal;
}

}  // namespace

void put_cause(FailureBox& box, const Status& cause) {
  std::uint32_t empty = 0;
  if (!box.state.compare_exchange_strong(empty, 1, std::memory_order_acq_rel)) return;
  const std::string& text = cause.message();
  box.code = static_cast<std::uint32_t>(cause.code());
  box.length = static_cast<std::uint32_t>(std::min(text.size(), max_cause_bytes));
  std::memcpy(box.text, text.data(), box.length);
  box.state.store(2, std::memory_order_release);
}

std::optional<Status> cause_in(const FailureBox& box) {
  if (box.state.load(std::memory_order_acquire) != 2) return std::nullopt;
  const std::size_t length = std::min<std::size_t>(box.length, max_cause_bytes);
  return Status(code_from(box.code), std::string(box.text, length));
}

Bytes encode_cause(const Status& cause) {
  ByteWriter writer;
  writer.put_varint(static_cast<std::uint8_t>(cause.code()));
  writer.put_string(std::string_view(cause.message()).substr(0, max_cause_bytes));
  return writer.take();
}

Status decode_cause(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const std::uint64_t code = reader.get_varint();
  std::string text = reader.get_string(max_cause_bytes);
  if (!reader.ok() || text.empty()) text = "a neighbour reported a failure without a readable cause";
  return Status(code_from(code), std::move(text));
}

}  // namespace treering::transport
