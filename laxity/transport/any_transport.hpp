// Type-erased transports, for a kind that is chosen at run time: one virtual call per claim, publish and step.
//
// Threads: as the transport that is held. Elsewhere: the contract (transport.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "laxity/transport/delay.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity {

/// Holds any Sender. Move-only; empty when default-constructed.
class AnySender {
 public:
  static constexpr bool lossless = false;  // not known before run time, see is_lossless()

  AnySender() = default;
  template <Sender S>
    requires(!std::same_as<S, AnySender>)
  AnySender(S&& sender) : held_(std::make_unique<Held<S>>(std::forward<S>(sender))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }
  [[nodiscard]] bool is_lossless() const noexcept { return held_->is_lossless(); }
  [[nodiscard]] bool delays() const noexcept { return held_ != nullptr && held_->delays(); }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return held_->frame_capacity(); }
  [[nodiscard]] std::byte* try_claim() noexcept { return held_->try_claim(); }
  void publish(std::size_t bytes) noexcept { held_->publish(bytes); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual bool is_lossless() const noexcept = 0;
    virtual bool delays() const noexcept = 0;
    virtual std::size_t frame_capacity() const noexcept = 0;
    virtual std::byte* try_claim() noexcept = 0;
    virtual void publish(std::size_t bytes) noexcept = 0;
  };
  template <class S>
  struct Held final : Interface {
    explicit Held(S&& sender) : sender_(std::move(sender)) {}
    bool is_lossless() const noexcept override {
      if constexpr (requires { sender_.is_lossless(); })
        return sender_.is_lossless();
      else
        return S::lossless;
    }
    bool delays() const noexcept override { return laxity::delays(sender_); }
    std::size_t frame_capacity() const noexcept override { return sender_.frame_capacity(); }
    std::byte* try_claim() noexcept override { return sender_.try_claim(); }
    void publish(std::size_t bytes) noexcept override { sender_.publish(bytes); }
    S sender_;
  };
  std::unique_ptr<Interface> held_;
};

/// Holds any Receiver. Move-only; empty when default-constructed.
class AnyReceiver {
 public:
  AnyReceiver() = default;
  template <Receiver R>
    requires(!std::same_as<R, AnyReceiver>)
  AnyReceiver(R&& receiver) : held_(std::make_unique<Held<R>>(std::forward<R>(receiver))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }
  [[nodiscard]] bool delays() const noexcept { return held_ != nullptr && held_->delays(); }
  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept { return held_->try_step(limit); }
  [[nodiscard]] std::size_t jump() noexcept { return held_->jump(); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return held_->frame(); }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return held_->superseded; }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual bool delays() const noexcept = 0;
    virtual std::size_t try_step(std::size_t limit) noexcept = 0;
    virtual std::size_t jump() noexcept = 0;
    virtual std::span<const std::byte> frame() const noexcept = 0;
    std::uint64_t superseded = 0;  // as of the last step; read after each step, which saves a virtual call
  };
  template <class R>
  struct Held final : Interface {
    explicit Held(R&& receiver) : receiver_(std::move(receiver)) { this->superseded = receiver_.superseded(); }
    bool delays() const noexcept override { return laxity::delays(receiver_); }
    std::size_t try_step(std::size_t limit) noexcept override {
      const std::size_t moved = receiver_.try_step(limit);
      this->superseded = receiver_.superseded();
      return moved;
    }
    std::size_t jump() noexcept override {
      const std::size_t moved = receiver_.jump();
      this->superseded = receiver_.superseded();
      return moved;
    }
    std::span<const std::byte> frame() const noexcept override { return receiver_.frame(); }
    R receiver_;
  };
  std::unique_ptr<Interface> held_;
};

static_assert(Sender<AnySender> && Receiver<AnyReceiver>);

}  // namespace laxity
