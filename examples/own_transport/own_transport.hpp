// A user-defined transport: a mailbox of byte strings behind a lock, the simplest one that satisfies the contract.
//
// Replace the deque by a socket, a radio or a simulated network. Two rules of the contract are easy to break: try_claim() must
// refuse if publish() could not succeed, and frame() must stay unchanged until the next move. The conformance suite of laxity
// (tests/conformance/) tests this transport; run it on yours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "laxity/transport/transport.hpp"

using Letter = std::vector<std::byte>;

struct Mailbox {
  std::size_t depth;
  std::size_t frame_capacity;
  std::mutex mutex;
  std::deque<Letter> letters;  // guarded by mutex
};

class MailboxSender {
 public:
  static constexpr bool lossless = true;

  explicit MailboxSender(std::shared_ptr<Mailbox> box) : box_(std::move(box)), draft_(box_->frame_capacity) {}

  std::size_t frame_capacity() const noexcept { return box_->frame_capacity; }

  // Only this sender adds letters, so there is still room at publish().
  std::byte* try_claim() noexcept {
    const std::scoped_lock lock(box_->mutex);
    return box_->letters.size() < box_->depth ? draft_.data() : nullptr;
  }

  void publish(std::size_t bytes) noexcept {
    const std::scoped_lock lock(box_->mutex);
    box_->letters.emplace_back(draft_.begin(), draft_.begin() + static_cast<std::ptrdiff_t>(bytes));
  }

 private:
  std::shared_ptr<Mailbox> box_;
  Letter draft_;
};

class MailboxReceiver {
 public:
  explicit MailboxReceiver(std::shared_ptr<Mailbox> box) : box_(std::move(box)) {}

  std::size_t try_step(std::size_t limit) noexcept {
    const std::scoped_lock lock(box_->mutex);
    const std::size_t moved = std::min(limit, box_->letters.size());
    for (std::size_t passed = 0; passed < moved; ++passed) {
      shown_ = std::move(box_->letters.front());
      box_->letters.pop_front();
    }
    return moved;
  }

  std::size_t jump() noexcept { return try_step(box_->depth); }
  std::span<const std::byte> frame() const noexcept { return shown_; }
  std::uint64_t superseded() const noexcept { return 0; }

 private:
  std::shared_ptr<Mailbox> box_;
  Letter shown_;
};

static_assert(laxity::Sender<MailboxSender> && laxity::Receiver<MailboxReceiver>);
