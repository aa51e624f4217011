#include "laxity/transport/detail/mpi_two_sided.hpp"

#include "laxity/mpi_call.hpp"

namespace laxity::detail {
namespace {

/// True if a request has completed or failed; at the end of a link both are the same.
bool is_complete(MPI_Request& request) noexcept {
  int complete = 0;
  if (request == MPI_REQUEST_NULL) return true;
  const mpi::Result tested{"MPI_Test", MPI_Test(&request, &complete, MPI_STATUS_IGNORE)};
  return complete != 0 || !tested.succeeded();
}

template <class Requests>
bool all_complete(Requests& requests) noexcept {
  return std::all_of(requests.begin(), requests.end(), [](MPI_Request& request) { return is_complete(request); });
}

/// Frees persistent receives that have completed.
template <class Requests>
void free_all(Requests& requests) noexcept {
  for (MPI_Request& request : requests) mpi::ignore("MPI_Request_free", MPI_Request_free(&request));
}

}  // namespace

MpiSlots::MpiSlots(std::size_t slots, std::size_t capacity)
    : slots_(slots),
      stride_(round_up(mpi_header_bytes + capacity, cache_line)),
      bytes_(slots * stride_ + cache_line),
      memory_(bytes_.data() + -reinterpret_cast<std::uintptr_t>(bytes_.data()) % cache_line) {}

MpiTwoSidedSender::MpiTwoSidedSender(const RemoteLink& link, bool ready_sends)
    : depth_(link.shape.depth),
      capacity_(link.shape.frame_capacity),
      type_(link.type.hash),
      ready_sends_(ready_sends),
      slots_(link.send_depth == 0 ? depth_ : link.send_depth, capacity_),
      requests_(slots_.size(), MPI_REQUEST_NULL) {
  credit_requests_.fill(MPI_REQUEST_NULL);
}

void MpiTwoSidedSender::connect(const MpiPlace& place) {
  place_ = place;
  for (std::size_t slot = 0; slot < mpi_credits; ++slot) {
    mpi::check("MPI_Recv_init", MPI_Recv_init(&credits_[slot], sizeof(MpiCredit), MPI_BYTE, place.peer, place.tag,
                                              place.credit, &credit_requests_[slot]));
  }
  mpi::check("MPI_Startall", MPI_Startall(mpi_credits, credit_requests_.data()));
  may_publish_ = depth_;
  credit_ended_ = false;
}

void MpiTwoSidedSender::send(std::size_t bytes, std::uint64_t sequence) noexcept {
  LAXITY_DCHECK(bytes <= capacity_);
  MpiFrameHeader& header = slots_.header(slot_);
  header = {.sequence = sequence, .type = type_, .bytes = bytes};
  ++published_;
  const int count = mpi_count(mpi_header_bytes + bytes);
  MPI_Request* const request = &requests_[slot_];
  const bool sent =
      ready_sends_ ? succeeded("MPI_Irsend",
                               MPI_Irsend(&header, count, MPI_BYTE, place_.peer, place_.tag, place_.frames, request))
                   : succeeded("MPI_Isend",
                               MPI_Isend(&header, count, MPI_BYTE, place_.peer, place_.tag, place_.frames, request));
  if (!sent) may_publish_ = published_;
  slot_ = slots_.after(slot_);
  --free_slots_;
}

bool MpiTwoSidedSender::receive_credit() noexcept {
  while (!credit_ended_ && !fault()) {
    int arrived = 0;
    MPI_Request& request = credit_requests_[credit_slot_];
    if (!succeeded("MPI_Test", MPI_Test(&request, &arrived, MPI_STATUS_IGNORE)) || arrived == 0) break;
    const MpiCredit credit = credits_[credit_slot_];
    may_publish_ = credit.position + depth_;
    if (credit.last != 0) {
      credit_ended_ = true;
      break;
    }
    if (!succeeded("MPI_Start", MPI_Start(&request))) break;
    credit_slot_ = (credit_slot_ + 1) % mpi_credits;
  }
  return published_ != may_publish_ && !fault();
}

// Tests a quarter of the slots at once, which are nearly always free; otherwise the next slot alone.
bool MpiTwoSidedSender::find_free_slots() noexcept {
  const std::size_t run = std::min(std::max<std::size_t>(slots_.size() / 4, 1), slots_.size() - slot_);
  int sent = 0;
  if (!succeeded("MPI_Testall", MPI_Testall(static_cast<int>(run), &requests_[slot_], &sent, MPI_STATUSES_IGNORE))) {
    return false;
  }
  if (sent != 0) {
    free_slots_ = run;
    return true;
  }
  if (!succeeded("MPI_Test", MPI_Test(&requests_[slot_], &sent, MPI_STATUS_IGNORE)) || sent == 0) return false;
  free_slots_ = 1;
  return true;
}

// Empty frames match the receives that are still posted. Their number is known once the receiver has sent its last
// credit.
bool MpiTwoSidedSender::finish_close() noexcept {
  if (place_.frames == MPI_COMM_NULL) return true;
  static_cast<void>(receive_credit());
  while (credit_ended_ && published_ != may_publish_ && (free_slots_ != 0 || find_free_slots())) publish(0);
  const bool matched = credit_ended_ && published_ == may_publish_;
  if (is_lost()) {
    may_publish_ = published_;
  } else {
    if (!matched || !all_complete(requests_) || !all_complete(credit_requests_)) return false;
    free_all(credit_requests_);
  }
  credit_ended_ = true;
  place_ = {};
  return true;
}

MpiTwoSidedReceiver::MpiTwoSidedReceiver(const RemoteLink& link, bool lossless)
    : depth_(link.shape.depth),
      capacity_(link.shape.frame_capacity),
      type_(link.type.hash),
      lossless_(lossless),
      frames_per_credit_(mpi_frames_per_credit(depth_)),
      slots_(depth_ + 1, capacity_),
      requests_(slots_.size(), MPI_REQUEST_NULL),
      done_(slots_.size(), 0),
      indices_(slots_.size()) {
  credit_requests_.fill(MPI_REQUEST_NULL);
}

void MpiTwoSidedReceiver::connect(const MpiPlace& place) {
  place_ = place;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    mpi::check("MPI_Recv_init", MPI_Recv_init(&slots_.header(slot), mpi_count(mpi_header_bytes + capacity_), MPI_BYTE,
                                              place.peer, place.tag, place.frames, &requests_[slot]));
  }
  done_[shown_slot_] = 1;  // the empty frame shown first
  post(next_slot_, depth_);
  ended_ = false;
  last_credits_ = 0;
}

// Tests the next frame alone, since most pulls find none or one; if it has arrived, tests four times as many frames in
// each further call until one is missing: a backlog of n frames needs about log n calls of MPI, which test at most
// depth requests.
void MpiTwoSidedReceiver::poll(std::size_t wanted) noexcept {
  wanted = std::min(wanted, depth_);
  if (ended_ || fault() || waiting() == depth_ || !test_next()) return;
  for (std::size_t batch = 4; waiting() < wanted; batch *= 4) {
    const std::size_t posted = depth_ - waiting();
    const std::size_t run = std::min({batch, posted, slots_.size() - next_slot_});
    const std::uint64_t before = received_;
    if (!test_run(next_slot_, run) || received_ - before < run) return;
  }
}

bool MpiTwoSidedReceiver::test_next() noexcept {
  int arrived = 0;
  if (!succeeded("MPI_Test", MPI_Test(&requests_[next_slot_], &arrived, MPI_STATUS_IGNORE)) || arrived == 0)
    return false;
  done_[next_slot_] = 1;
  count_received();
  return true;
}

bool MpiTwoSidedReceiver::test_run(std::size_t first, std::size_t slots) noexcept {
  int found = 0;
  if (!succeeded("MPI_Testsome", MPI_Testsome(static_cast<int>(slots), &requests_[first], &found, indices_.data(),
                                              MPI_STATUSES_IGNORE))) {
    return false;
  }
  for (int each = 0; each < found; ++each) {
    done_[first + static_cast<std::size_t>(indices_[static_cast<std::size_t>(each)])] = 1;
  }
  count_received();
  return true;
}

// Large frames may complete after later small ones; a frame counts as received when all before it are.
void MpiTwoSidedReceiver::count_received() noexcept {
  while (waiting() < depth_ && done_[next_slot_] != 0) {
    const MpiFrameHeader& header = slots_.header(next_slot_);
    const std::uint64_t next = lossless_ ? sequence_received_ + 1 : std::max(sequence_received_ + 1, header.sequence);
    if (!is_expected(header, next, type_, capacity_)) {
      fail(why_unexpected(header, next, type_, capacity_));
      return;
    }
    ++received_;
    sequence_received_ = next;
    next_slot_ = slots_.after(next_slot_);
  }
}

void MpiTwoSidedReceiver::show(std::size_t frames) noexcept {
  const std::size_t first = shown_slot_;
  shown_slot_ = (shown_slot_ + frames) % slots_.size();
  shown_ += frames;
  frame_ = {slots_.payload(shown_slot_), slots_.header(shown_slot_).bytes};
  post(first, frames);
}

// Slots are posted in the order of their next positions.
void MpiTwoSidedReceiver::post(std::size_t first, std::size_t slots) noexcept {
  const std::size_t to_the_end = std::min(slots, slots_.size() - first);
  std::fill_n(done_.begin() + static_cast<std::ptrdiff_t>(first), to_the_end, 0);
  static_cast<void>(succeeded("MPI_Startall", MPI_Startall(static_cast<int>(to_the_end), &requests_[first])));
  if (slots > to_the_end) post(0, slots - to_the_end);
}

// False if an earlier message is still being sent; the next one will contain the newest position.
bool MpiTwoSidedReceiver::send_credit(bool last) noexcept {
  if (last_credits_ == mpi_credits || !is_complete(credit_requests_[credit_slot_])) return false;
  credits_[credit_slot_] = {.position = shown_, .last = last ? std::uint64_t{1} : 0};
  if (!succeeded("MPI_Isend", MPI_Isend(&credits_[credit_slot_], sizeof(MpiCredit), MPI_BYTE, place_.peer, place_.tag,
                                        place_.credit, &credit_requests_[credit_slot_]))) {
    return false;
  }
  credited_ = shown_;
  credit_slot_ = (credit_slot_ + 1) % mpi_credits;
  if (last) ++last_credits_;
  return true;
}

// A receive is posted no more, so the last credit tells the sender how many are left. The credit messages after it
// match the sender's own receives.
void MpiTwoSidedReceiver::begin_close() noexcept { ended_ = true; }

bool MpiTwoSidedReceiver::finish_close() noexcept {
  if (place_.frames == MPI_COMM_NULL) return true;
  while (last_credits_ < mpi_credits && send_credit(true)) {
  }
  if (!is_lost()) {
    if (last_credits_ < mpi_credits || !all_complete(requests_) || !all_complete(credit_requests_)) return false;
    free_all(requests_);
  }
  last_credits_ = mpi_credits;
  received_ = shown_;
  frame_ = {};
  place_ = {};
  return true;
}

}  // namespace laxity::detail
