// An exchange that is chosen at run time. An engine is a template of its exchange, and takes GCC a second to compile;
// with this class there is one engine for all exchanges but the recommended one.
//
// Threads: as the exchange. Elsewhere: the exchange that engines use without this (ring_exchange.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

/// An Exchange.
template <class M>
class AnyExchange {
 public:
  template <Exchange<M> E>
  explicit AnyExchange(std::unique_ptr<E> exchange) : exchange_(std::make_unique<Holder<E>>(std::move(exchange))) {}

  [[nodiscard]] std::size_t lane(LpId receiver) const { return exchange_->lane(receiver); }
  void send(int to, const Message<M>& message) { exchange_->send(to, message); }
  void flush() { exchange_->flush(); }
  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    return exchange_->receive(limit, std::ref(deliver));
  }
  [[nodiscard]] std::size_t channels() const { return exchange_->channels(); }
  [[nodiscard]] std::size_t backlog() const { return exchange_->backlog(); }

 private:
  using Delivery = std::function<void(std::size_t, const Message<M>&)>;

  struct Interface {
    virtual ~Interface() = default;
    virtual std::size_t lane(LpId receiver) = 0;
    virtual void send(int to, const Message<M>& message) = 0;
    virtual void flush() = 0;
    virtual std::size_t receive(std::size_t limit, const Delivery& deliver) = 0;
    virtual std::size_t channels() = 0;
    virtual std::size_t backlog() = 0;
  };
  template <class E>
  struct Holder final : Interface {
    explicit Holder(std::unique_ptr<E> held) : exchange(std::move(held)) {}
    std::size_t lane(LpId receiver) override { return exchange->lane(receiver); }
    void send(int to, const Message<M>& message) override { exchange->send(to, message); }
    void flush() override { exchange->flush(); }
    std::size_t receive(std::size_t limit, const Delivery& deliver) override {
      return exchange->receive(limit, std::cref(deliver));
    }
    std::size_t channels() override { return exchange->channels(); }
    std::size_t backlog() override { return exchange->backlog(); }
    std::unique_ptr<E> exchange;
  };

  std::unique_ptr<Interface> exchange_;
};

}  // namespace laxity::timewarp
