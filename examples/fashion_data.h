#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace fashion {

inline constexpr int image_side = 28;
inline constexpr int image_pixels = image_side * image_side;
inline constexpr int class_count = 10;

/// Grey images and what they show. Image i is pixels[i * image_pixels, (i + 1) * image_pixels), rows from the top.
struct Images {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;  ///< below class_count

  std::size_t count() const { return labels.size(); }
};

struct Dataset {
  Images train;
  Images test;
};

/// Reads the four gzipped IDX files of Fashion-MNIST from `directory`, at most `train_limit` training images (0 = all).
/// Throws std::runtime_error that names the file and what is wrong with it; if it is missing, also where to get it.
Dataset read_dataset(const std::filesystem::path& directory, std::size_t train_limit = 0);

/// The first `limit` (0 = all) images of one IDX file of 28 x 28 images; errors as above. The file is not trusted:
/// memory grows only with the data that is really there.
std::vector<std::uint8_t> read_pixels(const std::filesystem::path& file, std::size_t limit = 0);

/// The first `limit` (0 = all) labels of one IDX file; errors as above.
std::vector<std::uint8_t> read_labels(const std::filesystem::path& file, std::size_t limit = 0);

}  // namespace fashion
