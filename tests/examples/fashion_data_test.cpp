#include "examples/fashion_data.h"

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;

namespace {

using Raw = std::vector<std::uint8_t>;

/// A directory that is gone with the test case.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "fashion-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Raw header(std::initializer_list<std::uint32_t> words) {
  Raw raw;
  for (const std::uint32_t word : words)
    for (int shift = 24; shift >= 0; shift -= 8) raw.push_back(static_cast<std::uint8_t>(word >> shift));
  return raw;
}

/// `count` images whose pixels depend on image and place.
Raw image_file(std::uint32_t claimed, std::size_t count) {
  Raw raw = header({0x0803, claimed, 28, 28});
  for (std::size_t i = 0; i < count * fashion::image_pixels; ++i)
    raw.push_back(static_cast<std::uint8_t>(i * 31 % 251));
  return raw;
}

Raw label_file(std::uint32_t claimed, Raw labels) {
  Raw raw = header({0x0801, claimed});
  raw.insert(raw.end(), labels.begin(), labels.end());
  return raw;
}

void write_gzip(const fs::path& path, const Raw& raw) {
  const gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, raw.data(), static_cast<unsigned>(raw.size())) == static_cast<int>(raw.size()));
  REQUIRE(gzclose(file) == Z_OK);
}

std::vector<char> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class Read>
std::string message_of(Read read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("images and labels come back as they were written") {
  const TemporaryDirectory directory;
  write_gzip(directory / "images.gz", image_file(5, 5));
  write_gzip(directory / "labels.gz", label_file(5, {9, 0, 3, 7, 1}));
  const Raw pixels = fashion::read_pixels(directory / "images.gz");
  REQUIRE(pixels.size() == 5 * fashion::image_pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) REQUIRE(pixels[i] == i * 31 % 251);
  CHECK(fashion::read_labels(directory / "labels.gz") == Raw{9, 0, 3, 7, 1});
  CHECK(fashion::read_pixels(directory / "images.gz", 2).size() == 2 * fashion::image_pixels);
  CHECK(fashion::read_labels(directory / "labels.gz", 2) == Raw{9, 0});
  CHECK(fashion::read_labels(directory / "labels.gz", 50).size() == 5);
}

TEST_CASE("a gzip file cut anywhere is an error that names it") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "images.gz";
  write_gzip(path, image_file(3, 3));
  const std::vector<char> whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    const std::string message = message_of([&] { fashion::read_pixels(path); });
    CAPTURE(length);
    CAPTURE(message);
    REQUIRE(contains(message, path.c_str()));
  }
}

TEST_CASE("a flipped bit in the data is found by the checksum") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "labels.gz";
  write_gzip(path, label_file(4, {1, 2, 3, 4}));
  std::vector<char> bytes = read_file(path);
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // in the CRC
  write_file(path, bytes);
  CHECK(contains(message_of([&] { fashion::read_labels(path); }), "damaged"));
}

TEST_CASE("headers are not believed") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "file.gz";
  const auto pixels = [&] { fashion::read_pixels(path); };
  const auto labels = [&] { fashion::read_labels(path); };

  write_gzip(path, label_file(2, {1, 2}));
  CHECK(contains(message_of(pixels), "begins with 2049, not 2051"));
  write_gzip(path, image_file(1, 1));
  CHECK(contains(message_of(labels), "begins with 2051, not 2049"));
  write_gzip(path, image_file(4, 3));
  CHECK(contains(message_of(pixels), "too short"));
  write_gzip(path, image_file(0xFFFFFFFF, 3));
  CHECK(contains(message_of(pixels), "too short"));
  write_gzip(path, image_file(2, 3));
  CHECK(contains(message_of(pixels), "more data"));
  write_gzip(path, header({0x0803, 1, 27, 28}));
  CHECK(contains(message_of(pixels), "27 x 28"));
  write_gzip(path, label_file(3, {9, 10, 0}));
  CHECK(contains(message_of(labels), "label 10 at position 1"));
}

TEST_CASE("a data set needs four files that belong together") {
  const TemporaryDirectory directory;
  const auto read = [&] { fashion::read_dataset(directory.path()); };
  CHECK(contains(message_of(read), "dataset-fashion-mnist"));
  write_gzip(directory / "train-images-idx3-ubyte.gz", image_file(3, 3));
  write_gzip(directory / "train-labels-idx1-ubyte.gz", label_file(2, {1, 2}));
  CHECK(contains(message_of(read), "3 images, 2 labels"));
  write_gzip(directory / "train-labels-idx1-ubyte.gz", label_file(3, {1, 2, 3}));
  write_gzip(directory / "t10k-images-idx3-ubyte.gz", image_file(0, 0));
  write_gzip(directory / "t10k-labels-idx1-ubyte.gz", label_file(0, {}));
  CHECK(contains(message_of(read), "no images"));
  write_gzip(directory / "t10k-images-idx3-ubyte.gz", image_file(1, 1));
  write_gzip(directory / "t10k-labels-idx1-ubyte.gz", label_file(1, {4}));
  const fashion::Dataset data = fashion::read_dataset(directory.path(), 2);
  CHECK(data.train.count() == 2);
  CHECK(data.test.count() == 1);
}
