#include "laxity/transport/detail/mpi_frame.hpp"

namespace laxity::detail {

std::string why_unexpected(const MpiFrameHeader& header, std::uint64_t sequence, std::uint64_t type,
                           std::size_t capacity) {
  const auto against = [](const char* what, std::uint64_t has, std::uint64_t expected) {
    return "received a frame with " + std::string(what) + " " + std::to_string(has) + ", expected " +
           std::to_string(expected);
  };
  if (header.version != mpi_frame_version) return against("version", header.version, mpi_frame_version);
  if (header.type != type) return against("type hash", header.type, type);
  if (header.sequence != sequence) return against("sequence number", header.sequence, sequence);
  return "received a frame with " + std::to_string(header.bytes) + " bytes, expected at most " +
         std::to_string(capacity);
}

}  // namespace laxity::detail
