#include "laxity/trace/file/writer.hpp"

namespace laxity::trace {
namespace {

// Encodes one record of at most `max_bytes` and publishes it.
template <class Write>
bool add(BlockFile& file, Tag tag, std::size_t max_bytes, std::int64_t now_ns, Write write) noexcept {
  unsigned char* room = file.room(max_bytes, now_ns);
  if (room == nullptr) return false;
  Encoder out(room);
  out.byte(static_cast<std::uint8_t>(tag));
  write(out);
  file.publish(out.at());
  return true;
}

void put_time(BlockFile& file, Encoder& out, std::int64_t time_ns) noexcept {
  out.signed_number(time_ns - file.last_ns());
  file.set_last_ns(time_ns);
}

}  // namespace

bool Writer::process(const Process& process) noexcept {
  return add(file_, Tag::process, max_record_bytes, process.start_ns, [&](Encoder& out) {
    out.number(process.job);
    out.number(process.rank);
    out.number(process.size);
    out.number(process.pid);
    out.number(process.every);
    put_time(file_, out, process.start_ns);
    out.number(process.clock);
    out.text(process.host);
    out.text(process.mpi);
    out.text(process.program);
  });
}

bool Writer::clock(const ClockPoint& point) noexcept {
  return add(file_, Tag::clock, max_call_bytes, point.at_ns, [&](Encoder& out) {
    put_time(file_, out, point.at_ns);
    out.byte(point.synchronized ? 1 : 0);
    out.real(point.offset_ns);
    out.real(point.slope);
    out.real(point.error_ns);
  });
}

bool Writer::setting(std::string_view name, std::string_view value) noexcept {
  return add(file_, Tag::setting, max_record_bytes, file_.last_ns(), [&](Encoder& out) {
    out.text(name);
    out.text(value);
  });
}

bool Writer::communicator(const Communicator& communicator) noexcept {
  return add(file_, Tag::communicator, max_call_bytes, file_.last_ns(), [&](Encoder& out) {
    out.number(communicator.id);
    out.number(communicator.size);
    out.number(communicator.remote_size);
    out.number(communicator.rank);
  });
}

bool Writer::site(const CallSite& site) noexcept {
  return add(file_, Tag::site, max_record_bytes, file_.last_ns(), [&](Encoder& out) {
    out.text(site.object);
    out.number(site.offset);
    out.text(site.symbol);
  });
}

bool Writer::call(const Call& call) noexcept {
  return add(file_, Tag::call, max_call_bytes, call.arrival_ns, [&](Encoder& out) {
    out.byte(static_cast<std::uint8_t>(call.kind));
    out.byte(static_cast<std::uint8_t>(static_cast<unsigned>(call.start) | (call.in_place ? 4U : 0U) |
                                       (call.failed ? 8U : 0U)));
    out.number(call.thread);
    out.number(call.communicator);
    out.number(call.site);
    out.signed_number(call.root);
    out.number(call.sequence);
    out.number(call.bytes_sent);
    out.number(call.bytes_received);
    put_time(file_, out, call.arrival_ns);
    put_time(file_, out, call.return_ns);
  });
}

bool Writer::completion(const Completion& completion) noexcept {
  return add(file_, Tag::completion, max_call_bytes, completion.completing_ns, [&](Encoder& out) {
    out.byte(completion.failed ? 1 : 0);
    out.number(completion.thread);
    out.number(completion.communicator);
    out.number(completion.sequence);
    put_time(file_, out, completion.completing_ns);
    put_time(file_, out, completion.exit_ns);
  });
}

bool Writer::end(const End& end) noexcept {
  return add(file_, Tag::end, max_call_bytes, end.at_ns, [&](Encoder& out) {
    put_time(file_, out, end.at_ns);
    out.number(end.calls);
    out.number(end.recorded);
  });
}

}  // namespace laxity::trace
