// A codec for a user-defined payload: its size in bytes, how to encode it and how to decode it.
#include <cstring>
#include <iostream>
#include <map>

#include "laxity/channel/channel.hpp"

using Inventory = std::map<int, float>;

template <>
struct laxity::Codec<Inventory> {
  struct Entry {
    int item;
    float amount;
  };
  static std::size_t bytes(const Inventory& inventory) { return inventory.size() * sizeof(Entry); }
  static void encode(const Inventory& inventory, std::byte* room) {
    for (const auto& [item, amount] : inventory) {
      const Entry entry{item, amount};
      std::memcpy(room, &entry, sizeof entry);
      room += sizeof entry;
    }
  }
  static void decode(std::span<const std::byte> bytes, Inventory& inventory) {
    inventory.clear();
    for (; !bytes.empty(); bytes = bytes.subspan(sizeof(Entry))) {
      Entry entry;
      std::memcpy(&entry, bytes.data(), sizeof entry);
      inventory[entry.item] = entry.amount;
    }
  }
};

int main() {
  auto [inlet, outlet] = laxity::channel<Inventory>({.max_bytes = 64});
  std::cout << "put: " << inlet.try_put({{7, 0.5F}, {3, 2.25F}}) << '\n';
  for (const auto& [item, amount] : outlet.get_next()) std::cout << "item " << item << ": " << amount << '\n';
}
