#include "tools/treering_timeline/utf8.h"

#include <cstdint>

namespace treering::tools {
namespace {

/// Bytes of the code point that begins `text`, 0 if none does. Overlong forms, surrogates and what lies above U+10FFFF
/// are none.
std::size_t length_of_first(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 && first <= 0xf4  ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc2 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if (!is_continuation(text[at])) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return wrong ? 0 : length;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    if (length == 0) {
      valid += "\xef\xbf\xbd";
    } else {
      valid += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::string printable_utf8(std::string_view text) {
  std::string printable = valid_utf8(text);
  for (std::size_t at = 0; at < printable.size(); ++at) {
    const auto byte = static_cast<unsigned char>(printable[at]);
    if (byte < 0x20 || byte == 0x7f) printable[at] = ' ';
    // U+0080 to U+009F are control characters of two bytes
    if (byte == 0xc2 && static_cast<unsigned char>(printable[at + 1]) < 0xa0) printable[at + 1] = '\xa0';
  }
  return printable;
}

}  // namespace treering::tools
