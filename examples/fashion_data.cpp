#include "examples/fashion_data.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace fashion {
namespace {

constexpr std::uint32_t pixels_magic = 0x0803;  // unsigned bytes, three dimensions
constexpr std::uint32_t labels_magic = 0x0801;  // unsigned bytes, one dimension

/// One gzip file, read from the front.
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path) : path_(path), file_(gzopen(path.c_str(), "rb"), gzclose) {
    if (!file_)
      fail(
          "cannot be opened. It is part of the Debian package dataset-fashion-mnist (apt install "
          "dataset-fashion-mnist); with --data DIR the files are read from another place");
  }

  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(path_.string() + " " + what); }

  void read(std::uint8_t* to, std::size_t count) {
    const int got = gzread(file_.get(), to, static_cast<unsigned>(count));
    if (got < 0) fail("is damaged: " + problem());
    if (static_cast<std::size_t>(got) < count) fail("is too short" + (problem().empty() ? "" : ": " + problem()));
  }

  std::uint32_t read_big_endian() {
    std::array<std::uint8_t, 4> raw{};
    read(raw.data(), raw.size());
    return std::uint32_t{raw[0]} << 24 | std::uint32_t{raw[1]} << 16 | std::uint32_t{raw[2]} << 8 | raw[3];
  }

  /// Also makes zlib compare the checksum.
  void expect_end() {
    std::uint8_t extra = 0;
    const int got = gzread(file_.get(), &extra, 1);
    if (got > 0) fail("holds more data than its header says");
    if (!problem().empty()) fail("is damaged: " + problem());
  }

 private:
  std::string problem() const {
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    return code == Z_OK || code == Z_STREAM_END ? std::string() : std::string(text);
  }

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, decltype(&gzclose)> file_;
};

void expect_magic(GzipFile& file, std::uint32_t wanted, const char* what) {
  const std::uint32_t magic = file.read_big_endian();
  if (magic != wanted)
    file.fail("is no IDX file of " + std::string(what) + ": it begins with " + std::to_string(magic) + ", not " +
              std::to_string(wanted));
}

std::vector<std::uint8_t> read_items(GzipFile& file, std::size_t count, std::size_t limit, std::size_t item) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  const std::size_t wanted = (limit == 0 ? count : std::min(count, limit)) * item;
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < wanted) {
    const std::size_t old = bytes.size();
    bytes.resize(old + std::min(piece, wanted - old));
    file.read(bytes.data() + old, bytes.size() - old);
  }
  if (wanted == count * item) file.expect_end();
  return bytes;
}

Images read_images(const std::filesystem::path& directory, const std::string& prefix, std::size_t limit) {
  Images images;
  images.pixels = read_pixels(directory / (prefix + "-images-idx3-ubyte.gz"), limit);
  images.labels = read_labels(directory / (prefix + "-labels-idx1-ubyte.gz"), limit);
  const std::size_t count = images.pixels.size() / image_pixels;
  if (count != images.labels.size())
    throw std::runtime_error("the " + prefix + " files in " + directory.string() + " do not belong together: " +
                             std::to_string(count) + " images, " + std::to_string(images.labels.size()) + " labels");
  if (count == 0) throw std::runtime_error("the " + prefix + " files in " + directory.string() + " hold no images");
  return images;
}

}  // namespace

std::vector<std::uint8_t> read_pixels(const std::filesystem::path& path, std::size_t limit) {
  GzipFile file(path);
  expect_magic(file, pixels_magic, "images");
  const std::size_t count = file.read_big_endian();
  const std::uint32_t rows = file.read_big_endian();
  const std::uint32_t columns = file.read_big_endian();
  if (rows != image_side || columns != image_side)
    file.fail("holds images of " + std::to_string(rows) + " x " + std::to_string(columns) + " pixels, not 28 x 28");
  return read_items(file, count, limit, image_pixels);
}

std::vector<std::uint8_t> read_labels(const std::filesystem::path& path, std::size_t limit) {
  GzipFile file(path);
  expect_magic(file, labels_magic, "labels");
  const std::size_t count = file.read_big_endian();
  std::vector<std::uint8_t> labels = read_items(file, count, limit, 1);
  const auto wrong = std::ranges::find_if(labels, [](std::uint8_t label) { return label >= class_count; });
  if (wrong != labels.end())
    file.fail("holds the label " + std::to_string(*wrong) + " at position " + std::to_string(wrong - labels.begin()) +
              "; labels are 0 to 9");
  return labels;
}

Dataset read_dataset(const std::filesystem::path& directory, std::size_t train_limit) {
  return {read_images(directory, "train", train_limit), read_images(directory, "t10k", 0)};
}

}  // namespace fashion
