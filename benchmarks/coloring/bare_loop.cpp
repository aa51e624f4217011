#include "bare_loop.hpp"

#include <cstring>

BareLoop::BareLoop(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed)
    : color(rows * columns),
      seen_(color.size()),
      neighbors_(4 * color.size()),
      p_(3 * color.size(), 1.0F / 3),
      unsure_at_(color.size(), 0),
      state_(seed) {
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::uint32_t* n = &neighbors_[4 * (r * columns + c)];
      n[0] = (r + rows - 1) % rows * columns + c;
      n[1] = (r + 1) % rows * columns + c;
      n[2] = r * columns + (c + columns - 1) % columns;
      n[3] = r * columns + (c + 1) % columns;
    }
  }
  for (auto& c : color) {
    std::uint64_t product;
    do product = (draw() >> 32) * 3;
    while (static_cast<std::uint32_t>(product) < 1);
    c = static_cast<std::uint8_t>(product >> 32);
  }
}

std::uint64_t BareLoop::draw() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void BareLoop::update() {
  const std::size_t nodes = color.size();
  std::memcpy(seen_.data(), color.data(), nodes);
  const std::uint8_t* seen = seen_.data();
  const std::uint32_t* n = neighbors_.data();
  for (std::size_t i = 0; i < nodes; ++i, n += 4) {
    const std::uint8_t own = color[i];
    if (seen[n[0]] != own && seen[n[1]] != own && seen[n[2]] != own && seen[n[3]] != own) continue;
    float* p = &p_[3 * i];
    if (unsure_at_[i] != update_)
      for (int k = 0; k < 3; ++k) p[k] = k == own ? 1.0F : 0.0F;
    unsure_at_[i] = update_ + 1;
    for (int k = 0; k < 3; ++k) p[k] = (1.0F - 0.1F) * p[k] + (k == own ? 0.0F : 0.1F / 2);
    float left = static_cast<float>(static_cast<double>(draw() >> 11) * 0x1p-53);
    std::uint8_t next = 0;
    while (next < 2 && (left -= p[next]) >= 0.0F) ++next;
    color[i] = next;
  }
  ++update_;
}
