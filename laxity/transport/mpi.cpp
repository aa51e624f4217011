#include "laxity/transport/mpi.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "laxity/mpi_call.hpp"
#include "laxity/transport/detail/mpi_agreement.hpp"
#include "laxity/transport/detail/mpi_end.hpp"
#include "laxity/transport/detail/mpi_one_sided.hpp"
#include "laxity/transport/detail/mpi_relay.hpp"
#include "laxity/transport/detail/mpi_replacing.hpp"
#include "laxity/transport/detail/mpi_two_sided.hpp"
#include "laxity/transport/detail/mpi_window.hpp"

namespace laxity {
namespace {

using detail::MpiEnd;
using detail::MpiEndDescription;
using detail::MpiLinkKind;

constexpr std::array<std::string_view, 3> variant_names = {"two_sided", "ready_send", "one_sided"};

/// An end and the description of its link.
struct MadeEnd {
  int peer;
  MpiEndDescription description;
  std::shared_ptr<MpiEnd> end;
  std::byte* part = nullptr;  // of this rank's window; null without one
  MPI_Aint there = 0;         // the other end's part of its window
  std::size_t number = 0;     // of the link among those of its direction between the two ranks; set when connected

  [[nodiscard]] std::string name() const {
    return "link " + description.key.text() + (description.sends != 0 ? " to rank " : " from rank ") +
           std::to_string(peer);
  }
};

}  // namespace

std::string_view to_string(MpiVariant variant) noexcept { return variant_names[static_cast<std::size_t>(variant)]; }

std::optional<MpiVariant> mpi_variant_named(std::string_view name) noexcept {
  const auto found = std::find(variant_names.begin(), variant_names.end(), name);
  if (found == variant_names.end()) return std::nullopt;
  return static_cast<MpiVariant>(found - variant_names.begin());
}

class MpiLinks::State {
 public:
  State(MPI_Comm communicator, MpiVariant variant, MpiThreads threads)
      : variant_(variant), relays_(threads == MpiThreads::one ? std::make_shared<detail::MpiRelays>() : nullptr) {
    for (MPI_Comm* own : {&communicator_, &credit_communicator_}) {
      mpi::check("MPI_Comm_dup", MPI_Comm_dup(communicator, own));
      mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN));
    }
    ranks_ = static_cast<std::size_t>(mpi::size_of(communicator_));
    int* upper_bound = nullptr;
    int found = 0;
    mpi::check("MPI_Comm_get_attr", MPI_Comm_get_attr(communicator_, MPI_TAG_UB, &upper_bound, &found));
    max_links_ = static_cast<std::size_t>(found != 0 ? *upper_bound : 32767);
    links_to_.resize(ranks_);
    links_from_.resize(ranks_);
  }

  [[nodiscard]] MpiVariant variant() const noexcept { return variant_; }
  /// Null if all threads call MPI.
  [[nodiscard]] const std::shared_ptr<detail::MpiRelays>& relays() const noexcept { return relays_; }
  [[nodiscard]] bool is_closed() const noexcept { return communicator_ == MPI_COMM_NULL; }

  [[nodiscard]] MpiLinkKind kind_of(const RemoteLink& link) const noexcept {
    if (link.overwriting) {
      return variant_ == MpiVariant::one_sided ? MpiLinkKind::overwriting_one_sided : MpiLinkKind::overwriting;
    }
    return static_cast<MpiLinkKind>(variant_);
  }

  /// The link that an end over MPI makes for this one.
  [[nodiscard]] RemoteLink over_mpi(const RemoteLink& link) const noexcept {
    return relays_ == nullptr ? link : detail::mpi_relayed(link);
  }

  /// Throws UsageError naming what is out of range.
  void require_valid(const RemoteLink& link) const;
  void add(const RemoteLink& link, bool sends, std::shared_ptr<MpiEnd> end);
  template <class End>
  [[nodiscard]] AnySender add_sender(const RemoteLink& link, std::shared_ptr<End> end);
  template <class End>
  [[nodiscard]] AnyReceiver add_receiver(const RemoteLink& link, std::shared_ptr<End> end);
  void connect();
  void settle();
  void check() const;
  void close();

 private:
  void make_window();
  [[nodiscard]] std::vector<std::vector<MpiEndDescription>> new_descriptions() const;
  /// Finds the other end of each new end and numbers its link. Empty if all agree, else what the first does not.
  [[nodiscard]] std::string compare(const std::vector<std::vector<MpiEndDescription>>& theirs);
  [[nodiscard]] std::vector<std::uint64_t> settled_positions();

  MpiVariant variant_;
  std::shared_ptr<detail::MpiRelays> relays_;  // shared with the ends, whose handles may exist longer
  MPI_Comm communicator_ = MPI_COMM_NULL;      // of frames, and of all that is collective
  MPI_Comm credit_communicator_ = MPI_COMM_NULL;
  std::size_t ranks_ = 0;
  std::size_t max_links_ = 0;
  mutable std::mutex guard_;  // ends are made by several threads
  std::vector<MadeEnd> ends_;
  std::unordered_set<std::string> names_;                    // of ends_
  std::size_t connected_ = 0;                                // of ends_, from the front
  std::vector<std::unique_ptr<detail::MpiWindow>> windows_;  // one for each connect() that needed it
  bool window_made_ = false;                                 // by the last connect()
  std::vector<std::size_t> links_to_;                        // connected, by peer
  std::vector<std::size_t> links_from_;
};

void MpiLinks::State::require_valid(const RemoteLink& link) const {
  detail::require_valid(link.shape);
  if (link.peer < 0 || static_cast<std::size_t>(link.peer) >= ranks_) {
    throw UsageError("RemoteLink::peer is rank " + std::to_string(link.peer) + ", must be 0 to " +
                     std::to_string(ranks_ - 1));
  }
  if (link.send_depth > link.shape.depth) {
    throw UsageError("RemoteLink::send_depth is " + std::to_string(link.send_depth) +
                     " frames, must be at most the depth, " + std::to_string(link.shape.depth));
  }
}

void MpiLinks::State::add(const RemoteLink& link, bool sends, std::shared_ptr<MpiEnd> end) {
  const std::lock_guard lock(guard_);
  MadeEnd made{link.peer,
               {.key = link.key,
                .kind = kind_of(link),
                .sends = sends ? 1u : 0u,
                .depth = link.shape.depth,
                .frame_capacity = link.shape.frame_capacity,
                .type = link.type},
               std::move(end)};
  if (!names_.insert(made.name()).second) throw UsageError("this end of " + made.name() + " has been made before");
  ends_.push_back(std::move(made));
}

template <class End>
AnySender MpiLinks::State::add_sender(const RemoteLink& link, std::shared_ptr<End> end) {
  if (relays_ == nullptr) {
    add(link, true, end);
    return detail::MpiSenderHandle(std::move(end));
  }
  detail::MpiSenderHandle<End> to_mpi(end);
  auto relayed = std::make_shared<detail::MpiRelayedSender>(link, std::move(end), std::move(to_mpi), relays_);
  add(link, true, relayed);
  return detail::MpiSenderHandle(std::move(relayed));
}

template <class End>
AnyReceiver MpiLinks::State::add_receiver(const RemoteLink& link, std::shared_ptr<End> end) {
  if (relays_ == nullptr) {
    add(link, false, end);
    return detail::MpiReceiverHandle(std::move(end));
  }
  detail::MpiReceiverHandle<End> from_mpi(end);
  auto relayed = std::make_shared<detail::MpiRelayedReceiver>(link, std::move(end), std::move(from_mpi), relays_);
  add(link, false, relayed);
  return detail::MpiReceiverHandle(std::move(relayed));
}

std::vector<std::vector<MpiEndDescription>> MpiLinks::State::new_descriptions() const {
  std::vector<std::vector<MpiEndDescription>> descriptions(ranks_);
  for (std::size_t made = connected_; made < ends_.size(); ++made) {
    descriptions[static_cast<std::size_t>(ends_[made].peer)].push_back(ends_[made].description);
  }
  return descriptions;
}

// Links between two ranks are numbered in the sender's order, so that both sides use the same tags.
std::string MpiLinks::State::compare(const std::vector<std::vector<MpiEndDescription>>& theirs) {
  std::vector<detail::MpiOtherEnds> others(theirs.begin(), theirs.end());
  std::vector<std::size_t> sent_to = links_to_;
  for (std::size_t made = connected_; made < ends_.size(); ++made) {
    MadeEnd& ours = ends_[made];
    const auto peer = static_cast<std::size_t>(ours.peer);
    const auto other = others[peer].find(ours.description);
    if (!other) return ours.name() + ": the other end was not made";
    if (const auto what = disagreement(ours.description, other->description)) return ours.name() + ": " + *what;
    ours.there = static_cast<MPI_Aint>(other->description.window_offset);
    ours.number = ours.description.sends != 0 ? sent_to[peer]++ : links_from_[peer] + other->index;
    if (ours.number >= max_links_) {
      return ours.name() + ": this MPI has tags for " + std::to_string(max_links_) + " links between two ranks";
    }
  }
  return "";
}

// Makes a window with a part for each new end that needs one. Collective.
void MpiLinks::State::make_window() {
  std::uint64_t bytes = 0;
  for (std::size_t made = connected_; made < ends_.size(); ++made) {
    ends_[made].description.window_offset = static_cast<std::int64_t>(bytes);
    bytes += detail::round_up(ends_[made].end->window_bytes(), detail::cache_line);
  }
  std::uint64_t max_bytes = bytes;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &max_bytes, 1, MPI_UINT64_T, MPI_MAX, communicator_));
  window_made_ = max_bytes != 0;
  if (!window_made_) return;
  const detail::MpiWindow& window = *windows_.emplace_back(std::make_unique<detail::MpiWindow>(bytes, communicator_));
  for (std::size_t made = connected_; made < ends_.size(); ++made) {
    MadeEnd& end = ends_[made];
    end.part = window.data() + end.description.window_offset;
    if (end.end->window_bytes() != 0) end.end->prepare(end.part);
    end.description.window_offset += window.offset();
  }
}

void MpiLinks::State::connect() {
  const std::lock_guard lock(guard_);
  make_window();
  const auto theirs = detail::exchange_descriptions(new_descriptions(), communicator_);
  const std::string problem = compare(theirs);
  int disagree = problem.empty() ? 0 : 1;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &disagree, 1, MPI_INT, MPI_MAX, communicator_));
  if (disagree != 0) throw MpiMismatch(problem.empty() ? "the ends of a link of other ranks differ" : problem);
  for (; connected_ < ends_.size(); ++connected_) {
    MadeEnd& made = ends_[connected_];
    made.end->connect({.frames = communicator_,
                       .credit = credit_communicator_,
                       .peer = made.peer,
                       .tag = static_cast<int>(made.number),
                       .window = window_made_ ? windows_.back()->handle() : MPI_WIN_NULL,
                       .here = made.part,
                       .there = made.there});
    if (relays_ != nullptr) relays_->add(*made.end);
    ++(made.description.sends != 0 ? links_to_ : links_from_)[static_cast<std::size_t>(made.peer)];
  }
  mpi::check("MPI_Barrier", MPI_Barrier(communicator_));  // all receives are posted before the first send
}

std::vector<std::uint64_t> MpiLinks::State::settled_positions() {
  std::vector<std::vector<std::uint64_t>> published(ranks_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) published[rank].resize(links_to_[rank]);
  for (const MadeEnd& made : std::span(ends_).first(connected_)) {
    if (made.description.sends != 0) published[static_cast<std::size_t>(made.peer)][made.number] = made.end->position();
  }
  const auto theirs = detail::exchange_numbers(published, communicator_);
  std::vector<std::uint64_t> expected(connected_);
  for (std::size_t made = 0; made < connected_; ++made) {
    const MadeEnd& end = ends_[made];
    if (end.description.sends == 0) expected[made] = theirs[static_cast<std::size_t>(end.peer)][end.number];
  }
  return expected;
}

// A rank that has received all frames stays until all ranks have, because others may need its progress.
void MpiLinks::State::settle() {
  const std::vector<std::uint64_t> expected = settled_positions();
  MPI_Request all_here = MPI_REQUEST_NULL;
  int settled = 0;
  while (settled == 0) {
    bool all_arrived = true;
    for (std::size_t made = 0; made < connected_; ++made) {
      MpiEnd& end = *ends_[made].end;
      const std::uint64_t position = end.position();  // for senders too: it may send a frame that waits
      if (ends_[made].description.sends == 0 && position < expected[made] && !end.fault()) all_arrived = false;
    }
    if (all_arrived && all_here == MPI_REQUEST_NULL) mpi::check("MPI_Ibarrier", MPI_Ibarrier(communicator_, &all_here));
    if (all_arrived) mpi::check("MPI_Test", MPI_Test(&all_here, &settled, MPI_STATUS_IGNORE));
    std::this_thread::yield();
  }
  check();
}

void MpiLinks::State::check() const {
  const std::lock_guard lock(guard_);
  for (const MadeEnd& made : ends_) {
    if (const auto& fault = made.end->fault()) throw MpiMismatch(made.name() + ": " + *fault);
  }
}

void MpiLinks::State::close() {
  const std::lock_guard lock(guard_);
  for (MadeEnd& made : ends_) made.end->begin_close();
  std::vector<MpiEnd*> open;
  for (MadeEnd& made : ends_) open.push_back(made.end.get());
  while (!open.empty()) {
    std::erase_if(open, [](MpiEnd* end) { return end->finish_close(); });
    std::this_thread::yield();
  }
  for (const MadeEnd& made : ends_)
    if (made.end->is_lost()) static_cast<void>(new std::shared_ptr<MpiEnd>(made.end));  // MPI may still write there
  mpi::check("MPI_Barrier", MPI_Barrier(communicator_));                                // no rank puts after it
  windows_.clear();
  for (MPI_Comm* own : {&credit_communicator_, &communicator_}) mpi::check("MPI_Comm_free", MPI_Comm_free(own));
}

MpiLinks::MpiLinks(MPI_Comm communicator, MpiVariant variant, MpiThreads threads)
    : state_(std::make_unique<State>(communicator, variant, threads)) {}

MpiLinks::~MpiLinks() {
  int finalized = 0;
  mpi::report("MPI_Finalized", MPI_Finalized(&finalized));
  if (state_->is_closed()) return;
  if (std::uncaught_exceptions() > 0 || finalized != 0) {
    static_cast<void>(state_.release());  // MPI may still write to the buffers
    return;
  }
  try {
    state_->close();
  } catch (const Error&) {  // a destructor cannot throw, and the links are unusable anyway
  }
}

MpiVariant MpiLinks::variant() const noexcept { return state_->variant(); }

AnySender MpiLinks::sender(const RemoteLink& link) {
  state_->require_valid(link);
  const auto made = [&](auto end) { return state_->add_sender(link, std::move(end)); };
  const RemoteLink over_mpi = state_->over_mpi(link);
  switch (state_->kind_of(link)) {
    case MpiLinkKind::overwriting:
      return made(std::make_shared<detail::MpiReplacingSender>(over_mpi, variant() == MpiVariant::ready_send));
    case MpiLinkKind::overwriting_one_sided:
      return made(std::make_shared<detail::MpiOverwritingSender>(over_mpi));
    case MpiLinkKind::one_sided:
      return made(std::make_shared<detail::MpiOneSidedSender>(over_mpi));
    case MpiLinkKind::ready_send:
      return made(std::make_shared<detail::MpiTwoSidedSender>(over_mpi, true));
    case MpiLinkKind::two_sided:
      break;
  }
  return made(std::make_shared<detail::MpiTwoSidedSender>(over_mpi, false));
}

AnyReceiver MpiLinks::receiver(const RemoteLink& link) {
  state_->require_valid(link);
  const auto made = [&](auto end) { return state_->add_receiver(link, std::move(end)); };
  const RemoteLink over_mpi = state_->over_mpi(link);
  switch (state_->kind_of(link)) {
    case MpiLinkKind::overwriting:
      return made(std::make_shared<detail::MpiReplacingReceiver>(over_mpi));
    case MpiLinkKind::overwriting_one_sided:
      return made(std::make_shared<detail::MpiOverwritingReceiver>(over_mpi));
    case MpiLinkKind::one_sided:
      return made(std::make_shared<detail::MpiOneSidedReceiver>(over_mpi));
    case MpiLinkKind::ready_send:
    case MpiLinkKind::two_sided:
      break;
  }
  return made(std::make_shared<detail::MpiTwoSidedReceiver>(over_mpi));
}

void MpiLinks::connect() { state_->connect(); }
void MpiLinks::settle() { state_->settle(); }
void MpiLinks::relay() noexcept {
  if (state_->relays() != nullptr) state_->relays()->relay_all();
}
void MpiLinks::check() const { state_->check(); }
void MpiLinks::close() {
  if (!state_->is_closed()) state_->close();
}

}  // namespace laxity
